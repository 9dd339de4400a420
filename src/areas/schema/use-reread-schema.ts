import { useQueryClient } from '@tanstack/react-query';
import { fieldsQuery, typesQuery } from '../entries/model/schema.ts';

/** Reads types and fields again: a new type brings its first field with it, which no write of fields tells. */
export function useRereadSchema() {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: typesQuery.queryKey }),
      client.invalidateQueries({ queryKey: fieldsQuery.queryKey }),
    ]);
}
