import { listSchemaUsers } from '../../../api/generated/sdk.gen.ts';
import type { RowVm } from '../../../api/generated/types.gen.ts';
import { ENTRY_ID } from '../export/headings.ts';
import { pagesOf } from '../model/pages.ts';
import type { Field, Schema } from '../model/schema.ts';
import { itemText, itemsOf, valueIn } from '../model/values.ts';
import type { Named } from './book.ts';

// So many values stand in a query (its bound is 1,000 of them, and a megabyte).
const MOST_VALUES = 500;
const MOST_TEXT = 200_000;

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

/** All entries whose field (or id) has one of these values, a page at a time. */
export async function* entriesWith(
  typeId: number,
  key: string,
  values: readonly (string | number)[],
  fields: readonly string[],
): AsyncGenerator<readonly RowVm[]> {
  for (const portion of portionsOf(values))
    yield* pagesOf(typeId, { query: { [key]: { $in: portion } }, fields: [...fields] });
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

/** Entries of a type by what one of their fields holds, with it beside their names. */
export async function* calledByKey(
  schema: Schema,
  typeId: number,
  key: string,
  values: readonly (string | number)[],
): AsyncGenerator<readonly Named[]> {
  const fields = schema.fieldsOf(typeId);
  const name = fields.find(({ isKey }) => isKey);
  const keyed = fields.find(({ apiName }) => apiName === key);
  if (!name || !keyed) return;
  for await (const rows of entriesWith(typeId, key, values, [name.apiName, key])) {
    const called = named(rows, name);
    yield named(rows, keyed).map(({ id, name: also }, at) => ({ id, name: called[at]?.name ?? '', also }));
  }
}

/** How all entries of a type are called. */
export async function* allNames(schema: Schema, typeId: number): AsyncGenerator<readonly Named[]> {
  const key = schema.fieldsOf(typeId).find(({ isKey }) => isKey);
  if (!key) return;
  for await (const rows of pagesOf(typeId, { fields: [key.apiName] })) yield named(rows, key);
}

/** Everybody whom user fields can name. */
export async function everybody(): Promise<Named[]> {
  const { data } = await listSchemaUsers();
  return data.map(({ id, name, email }) => ({ id, name, ...(email !== undefined && { also: email }) }));
}
