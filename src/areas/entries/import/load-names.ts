import type { RowVm } from '../../../../contract/generated/types.gen.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { listSchemaUsers } from '../../../api/generated/sdk/schema.gen.ts';
import { loadRowPages } from '../model/row-pages.ts';
import type { Field, Schema } from '../model/schema.ts';
import { formatItem, toItems, getValue } from '../model/values.ts';
import type { NamedItem } from './name-index.ts';

// Well below the limits of a query: 1,000 values and one megabyte.
const MAX_VALUES_PER_QUERY = 500;
const MAX_QUERY_CHARACTERS = 200_000;

/** Splits values into lists that fit into one query. */
function splitValues<Value extends string | number>(values: readonly Value[]): Value[][] {
  const chunks: Value[][] = [];
  let chunk: Value[] = [];
  let size = 0;
  for (const value of values) {
    const own = String(value).length;
    if (chunk.length >= MAX_VALUES_PER_QUERY || (chunk.length > 0 && size + own > MAX_QUERY_CHARACTERS)) {
      chunks.push(chunk);
      chunk = [];
      size = 0;
    }
    chunk.push(value);
    size += own;
  }
  return chunk.length > 0 ? [...chunks, chunk] : chunks;
}

/** Loads entries whose property, a field or `EntryId`, has one of these values, page by page. */
export async function* loadEntriesByValues(
  typeId: number,
  property: string,
  values: readonly (string | number)[],
  fields: readonly string[],
): AsyncGenerator<readonly RowVm[]> {
  for (const chunk of splitValues(values))
    yield* loadRowPages(typeId, { query: { [property]: { $in: chunk } }, fields: [...fields] });
}

const toNamedItems = (rows: readonly RowVm[], key: Field): NamedItem[] =>
  rows.map((row) => {
    const [name] = toItems(getValue(row, key));
    return { id: row.EntryId, name: name === undefined ? '' : formatItem(name, key) };
  });

/** Loads names of entries, by ids and by names. */
export async function* loadNames(
  schema: Schema,
  typeId: number,
  { ids, names }: { ids: readonly number[]; names: readonly string[] },
): AsyncGenerator<readonly NamedItem[]> {
  const key = schema.getFields(typeId).find(({ isKey }) => isKey);
  if (!key) return;
  for await (const rows of loadEntriesByValues(typeId, ENTRY_ID, ids, [key.apiName]))
    yield toNamedItems(rows, key);
  for await (const rows of loadEntriesByValues(typeId, key.apiName, names, [key.apiName]))
    yield toNamedItems(rows, key);
}

/** Loads names of entries by the value of another field, which becomes their alias. */
export async function* loadAliases(
  schema: Schema,
  typeId: number,
  aliasFieldName: string,
  values: readonly (string | number)[],
): AsyncGenerator<readonly NamedItem[]> {
  const fields = schema.getFields(typeId);
  const keyField = fields.find(({ isKey }) => isKey);
  const aliasField = fields.find(({ apiName }) => apiName === aliasFieldName);
  if (!keyField || !aliasField) return;
  for await (const rows of loadEntriesByValues(typeId, aliasFieldName, values, [
    keyField.apiName,
    aliasFieldName,
  ])) {
    const namedItems = toNamedItems(rows, keyField);
    yield toNamedItems(rows, aliasField).map(({ id, name: alias }, at): NamedItem => ({
      id,
      name: namedItems[at]?.name ?? '',
      alias,
    }));
  }
}

/** Loads the names of all entries of a type. */
export async function* loadAllNames(schema: Schema, typeId: number): AsyncGenerator<readonly NamedItem[]> {
  const key = schema.getFields(typeId).find(({ isKey }) => isKey);
  if (!key) return;
  for await (const rows of loadRowPages(typeId, { fields: [key.apiName] })) yield toNamedItems(rows, key);
}

/** Loads the users that user fields can hold. */
export async function loadUserNames(): Promise<NamedItem[]> {
  const { data } = await listSchemaUsers();
  return data.map(({ id, name, email }) => ({ id, name, ...(email !== undefined && { alias: email }) }));
}
