import type { QueryClient } from '@tanstack/react-query';
import { fieldsQuery, schemaOf, typesQuery } from '../schema.ts';
import type { Schema } from '../schema.ts';

/** The schema outside of the pages of entries. */
export async function schemaNow(client: QueryClient): Promise<Schema> {
  const [types, fields] = await Promise.all([
    client.ensureQueryData(typesQuery),
    client.ensureQueryData(fieldsQuery),
  ]);
  return schemaOf(types, fields);
}
