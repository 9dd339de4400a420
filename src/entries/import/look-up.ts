import { listSchemaUsers } from '../../api/generated/sdk.gen.ts';
import type { RowVm } from '../../api/generated/types.gen.ts';
import { ENTRY_ID } from '../export/headings.ts';
import type { Field, Schema } from '../schema.ts';
import { readRows } from '../use-rows.ts';
import { itemText, itemsOf, valueIn } from '../values.ts';
import type { Named } from './book.ts';

// So many values stand in a query (its bound is 1,000 of them, and a megabyte).
const MOST_VALUES = 500;
const MOST_TEXT = 200_000;
const WINDOW = 1000;

/** Values in portions that a query takes. */
function portionsOf<Value extends string | number>(values: readonly Value[]): Value[][] {
  const portions: Value[][] = [];
  let portion: Value[] = [];
  let size = 0;
  for (const value of values) {
    const own = String(value).length;
    if (portion.length >= MOST_VALUES || (portion.length > 0 && size + own > MOST_TEXT)) {
      portions.push(portion);
      portion = [];
      size = 0;
    }
    portion.push(value);
    size += own;
  }
  return portion.length > 0 ? [...portions, portion] : portions;
}

/** All entries whose field (or id) has one of these values, a window at a time. */
export async function* entriesWith(
  typeId: number,
  key: string,
  values: readonly (string | number)[],
  fields: readonly string[],
): AsyncGenerator<readonly RowVm[]> {
  for (const portion of portionsOf(values)) {
    for (let last = 0; ;) {
      const asked = { [key]: { $in: portion } };
      const query = last === 0 ? asked : { $and: [asked, { [ENTRY_ID]: { $gt: last } }] };
      // oxlint-disable-next-line no-await-in-loop -- one after the other: all at once would be refused
      const { rows } = await readRows(typeId, { query, fields: [...fields], limit: WINDOW });
      yield rows;
      if (rows.length < WINDOW) break;
      last = rows.at(-1)?.EntryId ?? 0;
    }
  }
}

const named = (rows: readonly RowVm[], key: Field): Named[] =>
  rows.map((row) => {
    const [name] = itemsOf(valueIn(row, key));
    return { id: row.EntryId, name: name === undefined ? '' : itemText(name, key) };
  });

/** How entries of a type are called: those with these ids, and those that are called so. */
export async function* namesOf(
  schema: Schema,
  typeId: number,
  { ids, names }: { ids: readonly number[]; names: readonly string[] },
): AsyncGenerator<readonly Named[]> {
  const key = schema.fieldsOf(typeId).find(({ isKey }) => isKey);
  if (!key) return;
  for await (const rows of entriesWith(typeId, ENTRY_ID, ids, [key.apiName])) yield named(rows, key);
  for await (const rows of entriesWith(typeId, key.apiName, names, [key.apiName])) yield named(rows, key);
}

/** How all entries of a type are called. */
export async function* allNames(schema: Schema, typeId: number): AsyncGenerator<readonly Named[]> {
  const key = schema.fieldsOf(typeId).find(({ isKey }) => isKey);
  if (!key) return;
  for (let last = 0; ;) {
    const query = { [ENTRY_ID]: { $gt: last } };
    // oxlint-disable-next-line no-await-in-loop -- window after window
    const { rows } = await readRows(typeId, { query, fields: [key.apiName], limit: WINDOW });
    yield named(rows, key);
    if (rows.length < WINDOW) return;
    last = rows.at(-1)?.EntryId ?? 0;
  }
}

/** Everybody whom user fields can name. */
export async function everybody(): Promise<Named[]> {
  const { data } = await listSchemaUsers();
  return data.map(({ id, name, email }) => ({ id, name, ...(email !== undefined && { also: email }) }));
}
