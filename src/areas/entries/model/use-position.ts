import { skipToken, useQuery } from '@tanstack/react-query';
import type { Field } from './schema.ts';
import { readRows } from './use-rows.ts';
import type { RowQuestion } from './use-rows.ts';
import { itemText, itemsOf, valueIn } from './values.ts';

/** Where an entry stands in a list. */
export interface Position {
  /** Null where it is not in it. */
  row: number | null;
  /** How it is called, read where it is not in the list; undefined where there is no such entry. */
  name: string | undefined;
}

async function nameOf(typeId: number, entryId: number, key: Field, signal: AbortSignal) {
  const query = { EntryId: entryId };
  const { rows } = await readRows(typeId, { query, fields: [key.apiName], limit: 1 }, signal);
  const [row] = rows;
  if (!row) return undefined;
  const [name] = itemsOf(valueIn(row, key));
  const text = name === undefined ? '' : itemText(name, key).trim();
  return text === '' ? `Entry ${entryId}` : text.slice(0, 200);
}

/** Looks for an entry in the list that a question gives. */
export function usePosition(
  typeId: number,
  { query, orderBy }: RowQuestion,
  entryId: number | undefined,
  key: Field | undefined,
): Position | undefined {
  const question = { ...(query !== undefined && { query }), ...(orderBy !== undefined && { orderBy }) };
  const { data } = useQuery({
    queryKey: [{ _id: 'queryRowsByBody', typeId, question, positionOf: entryId }],
    queryFn:
      entryId === undefined || !key
        ? skipToken
        : async ({ signal }): Promise<Position> => {
            const place = { ...question, fields: ['EntryId'], limit: 1, positionOf: entryId };
            const { position = null } = await readRows(typeId, place, signal);
            const name = position === null ? await nameOf(typeId, entryId, key, signal) : undefined;
            return { row: position, name };
          },
    gcTime: 60_000,
    refetchOnWindowFocus: false,
  });
  return data;
}
