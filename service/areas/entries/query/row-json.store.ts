import { type RawBuilder, sql } from 'kysely';
import { FIELD, holdsMoney, isFileField } from '../../../../contract/rules/schema/fields.ts';
import type { SchemaField } from '../../schema/index.ts';
import { ENTRY, fieldKeySql, textSql, valueSql } from './field-sql.store.ts';

type Sql = RawBuilder<unknown>;

/** How values are written in a response. */
export interface Rendering {
  siteId: number;
  /** Start of links to entries; undefined: references have no `url`. */
  linkTo: string | undefined;
  /** Whether users and references have more properties: the e-mail address, the name of the type (spec 4.4, fillExtendedData). */
  extended: boolean;
  /** Whether a multi-select field with a single value is an array as well. */
  wrapIntoArrays: boolean;
  /** Maximum length of texts in characters; undefined: no limit. */
  textLimit?: number | undefined;
  /** Rows are `{entryId, values, truncated}`, as agents get them (shapes 8), instead of the rows of the API (shapes 4). */
  isNested?: boolean | undefined;
}

/**
 * Value of a field of `ENTRY` as JSON text in the format of shapes 4; SQL null without data. The database writes the
 * text, so that a thousand rows occupy the event loop hardly at all.
 */
export function valueJsonSql(field: SchemaField, rendering: Rendering): Sql {
  if (isFileField(field.fieldType)) return filesJsonSql(field, rendering);
  if (field.fieldType === FIELD.date) return dateJsonSql(field);
  if (isSameInJson(field)) return textSql(field);
  const itemJsonSql = getItemRenderer(field, rendering);
  if (!itemJsonSql) return sql`${valueSql(field)}::text`;
  if (field.fieldType === FIELD.choice && !field.isMultiSelect) return singleChoiceJsonSql(field);
  if (!field.isMultiSelect) return sql`(${itemJsonSql(sql`${textSql(field)}::int`)})::text`;
  return multiSelectJsonSql(field, itemJsonSql, rendering);
}

const SAME_IN_JSON: ReadonlySet<number> = new Set([FIELD.number, FIELD.counter, FIELD.boolean]);

/** Numbers and booleans are the same as text and as JSON; reading them as text costs half. */
const isSameInJson = (field: SchemaField): boolean => !holdsMoney(field) && SAME_IN_JSON.has(field.fieldType);

/** A date in UTC, which needs no escaping. Other time zones are derived from this text (row-text.ts). */
const dateJsonSql = (field: SchemaField): Sql =>
  sql`('"' || ${textSql(field)} || ${sql.lit(field.isDateOnly ? 'T00:00:00.000Z"' : '"')})`;

type ItemRenderer = (id: Sql) => Sql;

/** Renders the choice, entry or user with an id as jsonb; undefined for fields whose values are not ids. */
function getItemRenderer(field: SchemaField, rendering: Rendering): ItemRenderer | undefined {
  if (field.fieldType === FIELD.choice) return (id) => choiceJsonSql(field, id);
  if (field.fieldType === FIELD.reference) return (id) => referenceJsonSql(id, rendering);
  return field.fieldType === FIELD.user ? (id) => userJsonSql(id, rendering) : undefined;
}

/** Choices of a field in the format of a response. */
export const listChoices = (choices: Iterable<{ id: number; name: string; seqNumber: number }>) =>
  [...choices].map(({ id, name, seqNumber }) => ({ id, name, seqNumber, entryListId: -6 }));

const listChoicesById = ({ choices }: SchemaField): [id: string, choice: object][] =>
  listChoices(choices.values()).map((choice) => [String(choice.id), choice]);

const choiceJsonSql = (field: SchemaField, id: Sql): Sql =>
  sql`${JSON.stringify(Object.fromEntries(listChoicesById(field)))}::jsonb -> ((${id})::text)`;

/** A single choice as text; the texts of all choices are a parameter, so that no row has to be rendered. */
function singleChoiceJsonSql(field: SchemaField): Sql {
  const texts = listChoicesById(field).map(([id, choice]) => [id, JSON.stringify(choice)]);
  return sql`(${JSON.stringify(Object.fromEntries(texts))}::jsonb ->> ${textSql(field)})`;
}

/** The name comes from entry_change, which has deleted entries as well and always the same name as the entry. */
export function referenceJsonSql(id: Sql, { siteId, linkTo, extended }: Rendering): Sql {
  const typeName = extended
    ? sql`, 'entryTypeName', (select t.singular_name from entry_type t where t.site_id = ${siteId} and t.type_id = r.type_id)`
    : sql``;
  const url =
    linkTo === undefined
      ? sql``
      : sql`, 'url', ${`${linkTo}/entries/`}::text || r.type_id || '/' || r.entry_id`;
  return sql`select jsonb_build_object('type', 0, 'id', r.entry_id, 'name', r.name, 'entryListId', r.type_id${url}${typeName})
    from entry_change r where r.site_id = ${siteId} and r.entry_id = ${id}`;
}

/** The user with an id; no row for an unknown one. */
export function userJsonSql(id: Sql, { extended }: Rendering): Sql {
  const email = extended ? sql`, 'email', a.email` : sql``;
  return sql`select jsonb_build_object('id', a.user_id, 'name', a.first_name || ' ' || a.last_name, 'entryListId', -1,
      'url', 'mailto:' || a.email${email})
    from account a where a.user_id = ${id}`;
}

/** Several ids in their order; a single one is not an array unless the request wants arrays (shapes 4). */
function multiSelectJsonSql(
  field: SchemaField,
  itemJsonSql: ItemRenderer,
  { wrapIntoArrays }: Rendering,
): Sql {
  const items = wrapIntoArrays
    ? sql`jsonb_agg(item order by at)`
    : sql`case when count(*) = 1 then jsonb_agg(item) -> 0 else jsonb_agg(item order by at) end`;
  return sql`(select (${items})::text from (
    select at, (${itemJsonSql(sql`id::int`)}) as item from jsonb_array_elements_text(${valueSql(field)}) with ordinality as ids(id, at)
    ) as items where item is not null having count(*) > 0)`;
}

/** Files with their download paths; `seqNumber` identifies each within the field (spec 4.4). */
function filesJsonSql(field: SchemaField, { wrapIntoArrays }: Rendering): Sql {
  const file = sql`jsonb_build_object('id', (file ->> 'file')::int, 'name', file ->> 'name', 'contentType', file ->> 'type',
    'size', (file ->> 'size')::bigint, 'seqNumber', at - 1,
    'url', '/api/rest/v4/data/entryfiles/' || ${ENTRY}.entry_id || '/fields/' || ${fieldKeySql(field)} || '?seqNumber=' || (at - 1))`;
  const list = sql`jsonb_agg(${file} order by at)`;
  const files =
    field.isMultiSelect && wrapIntoArrays
      ? list
      : sql`case when count(*) = 1 then ${list} -> 0 else ${list} end`;
  return sql`(select (${files})::text from jsonb_array_elements(${valueSql(field)}) with ordinality as files(file, at)
    having count(*) > 0)`;
}

/** A row as JSON text: the id of the entry and, by apiName, the given fields that have data. */
export function rowJsonSql(fields: readonly SchemaField[], rendering: Rendering): Sql {
  const { textLimit } = rendering;
  if (textLimit !== undefined) return truncatedRowJsonSql(fields, rendering, textLimit);
  return objectSql(
    fields.map((field) => memberSql(field, valueJsonSql(field, rendering))),
    rendering,
  );
}

/** The member of a field with a leading comma; empty without data. */
const memberSql = (field: SchemaField, json: Sql): Sql =>
  sql`coalesce(${sql.lit(`,"${field.apiName}":`)} || ${json}, '')`;

/** @param cutNames the quoted names of truncated fields in JSON; SQL null if there are none */
function objectSql(members: readonly Sql[], { isNested }: Rendering, cutNames?: Sql): Sql {
  const id = sql`${ENTRY}.entry_id`;
  const cut = (name: string) =>
    cutNames ? [sql`coalesce(${sql.lit(`,"${name}":[`)} || ${cutNames} || ']', '')`] : [];
  const parts = isNested
    ? [
        sql`'{"entryId":' || ${id} || ',"values":{'`,
        ...(members.length > 0 ? [sql`substr(${concat(members)}, 2)`] : []),
        sql`'}'`,
        ...cut('truncated'),
      ]
    : [sql`'{"EntryId":' || ${id}`, ...members, ...cut('$cut')];
  return concat([...parts, sql`'}'`]);
}

const concat = (parts: readonly Sql[]): Sql => sql.join(parts, sql` || `);

/**
 * The row with truncated texts; `$cut`, which cannot be an apiName, lists the fields whose texts are longer. Large values
 * are stored compressed and out of line: `|| '{}'` decompresses `vals` once for all fields instead of once for each.
 */
function truncatedRowJsonSql(fields: readonly SchemaField[], rendering: Rendering, textLimit: number): Sql {
  const textFields = fields.filter(({ fieldType }) => fieldType === FIELD.text);
  if (textFields.length === 0) return rowJsonSql(fields, { ...rendering, textLimit: undefined });
  const limit = sql.lit(textLimit);
  const prefixes = textFields.map(
    (field) => sql`left(${textSql(field)}, ${sql.lit(textLimit + 1)}) as ${prefixColumn(field)}`,
  );
  const members = fields.map((field) =>
    memberSql(
      field,
      textFields.includes(field)
        ? sql`to_json(left(${ENTRY}.${prefixColumn(field)}, ${limit}))::text`
        : valueJsonSql(field, rendering),
    ),
  );
  const truncatedNames = textFields.map(
    (field) =>
      sql`case when length(${ENTRY}.${prefixColumn(field)}) > ${limit} then ${sql.lit(`,"${field.apiName}"`)} else '' end`,
  );
  const cutNames = sql`nullif(substr(${concat(truncatedNames)}, 2), '')`;
  return sql`(select ${objectSql(members, rendering, cutNames)} from (
      select ${ENTRY}.entry_id, ${ENTRY}.vals, ${sql.join(prefixes)}
      from (select ${ENTRY}.entry_id, ${ENTRY}.vals || '{}' as vals offset 0) as ${ENTRY} offset 0
    ) as ${ENTRY})`;
}

/** Column with the first characters of a text, one more than the limit. */
const prefixColumn = ({ id }: SchemaField): Sql => sql.ref(`begin_${id}`);
