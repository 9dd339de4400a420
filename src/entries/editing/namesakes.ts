import { queryOptions } from '@tanstack/react-query';
import type { Field } from '../schema.ts';
import { readRows } from '../use-rows.ts';
import { itemText, itemsOf, valueIn } from '../values.ts';

// So many names are asked for, and so many entries named.
const MOST_NAMES = 100;
const SHOWN = 10;

/** The newest entries that are called so now, and how many there are. */
export const namesakesQuery = (typeId: number, key: Field | undefined, names: readonly string[]) =>
  queryOptions({
    queryKey: [{ _id: 'queryRowsByBody', typeId, namesakes: names }],
    async queryFn({ signal }) {
      if (!key) return { total: 0, rows: [] };
      const { rows, totalRecords } = await readRows(
        typeId,
        {
          query: { [key.apiName]: { $in: names.slice(0, MOST_NAMES) } },
          fields: ['EntryId', key.apiName],
          orderBy: '-EntryId',
          limit: SHOWN,
        },
        signal,
      );
      const named = rows.map((row) => {
        const [name] = itemsOf(valueIn(row, key));
        return { id: row.EntryId, name: name === undefined ? '' : itemText(name, key) };
      });
      return { total: totalRecords, rows: named };
    },
    enabled: key !== undefined && names.length > 0,
    staleTime: 0,
    gcTime: 0,
  });
