import type { QueryClient } from '@tanstack/react-query';
import { notFound } from '@tanstack/react-router';
import { fieldsQuery, schemaOf, typeCalled, typesQuery } from './schema.ts';
import type { Schema } from './schema.ts';

/** Reads what entries there can be, before a page of them is shown. */
export async function readSchema(client: QueryClient): Promise<Schema> {
  const [types, fields] = await Promise.all([
    client.ensureQueryData(typesQuery),
    client.ensureQueryData(fieldsQuery),
  ]);
  return schemaOf(types, fields);
}

/** The type that an address names; one that somebody has just made is not among those that were read before. */
export async function readType(client: QueryClient, name: string) {
  const type =
    typeCalled((await readSchema(client)).types, name) ??
    typeCalled(await client.fetchQuery({ ...typesQuery, staleTime: 0 }), name);
  if (!type) throw notFound();
  return type;
}
