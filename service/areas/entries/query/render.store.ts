import { type RawBuilder, sql } from 'kysely';
import { FIELD, holdsMoney, isFileField } from '../../../../contract/rules/fields.ts';
import type { SchemaField } from '../../schema/index.ts';
import { idOf, textOf, valueOf } from './columns.store.ts';

type Sql = RawBuilder<unknown>;

/** How values are to be written in an answer. */
export interface Rendering {
  siteId: number;
  /** Where links to entries and files begin; undefined: references carry no `url`. */
  linkTo: string | undefined;
  /** More about users and references: the e-mail address, the name of the type (spec 4.4, fillExtendedData). */
  extended: boolean;
  /** Fields of several values are arrays even with a single one. */
  wrapIntoArrays: boolean;
  /** Texts end after so many characters; undefined: they are whole. */
  textLimit?: number | undefined;
}

/**
 * The value of a field of the row `e` (columns entry_id and vals) as JSON text, in the form of shapes 4; SQL null where
 * it has no data. The text is written by the database: a thousand rows cost the event loop next to nothing.
 */
export function valueJson(field: SchemaField, rendering: Rendering): Sql {
  if (isFileField(field.fieldType)) return filesJson(field, rendering);
  if (field.fieldType === FIELD.date) return dateJson(field);
  if (isBare(field)) return textOf(field);
  const one = oneOf(field, rendering);
  if (!one) return sql`${valueOf(field)}::text`;
  if (field.fieldType === FIELD.choice && !field.isMultiSelect) return choiceText(field);
  if (!field.isMultiSelect) return sql`(${one(sql`${textOf(field)}::int`)})::text`;
  return severalJson(field, one, rendering);
}

/** Numbers and truths stand in JSON as they do in text; to ask for the text costs half. */
const isBare = (field: SchemaField): boolean => !holdsMoney(field) && BARE.has(field.fieldType);
const BARE: ReadonlySet<number> = new Set([FIELD.number, FIELD.counter, FIELD.boolean]);

/** Dates in UTC, nothing in which JSON would escape; those in another zone are written anew from these (shown-dates.ts). */
const dateJson = (field: SchemaField): Sql =>
  sql`('"' || ${textOf(field)} || ${sql.lit(field.isDateOnly ? 'T00:00:00.000Z"' : '"')})`;

/** What stands behind an id: a choice, an entry or a user with its name; undefined for fields that hold no ids. */
function oneOf(field: SchemaField, rendering: Rendering): ((id: Sql) => Sql) | undefined {
  if (field.fieldType === FIELD.choice) return (id) => choiceJson(field, id);
  if (field.fieldType === FIELD.reference) return (id) => referenceJson(id, rendering);
  return field.fieldType === FIELD.user ? (id) => userJson(id, rendering) : undefined;
}

const choicesOf = (field: SchemaField): [id: string, choice: object][] =>
  [...field.choices.values()].map(({ id, name, seqNumber }) => [
    String(id),
    { id, name, seqNumber, entryListId: -6 },
  ]);

const choiceJson = (field: SchemaField, id: Sql): Sql =>
  sql`${JSON.stringify(Object.fromEntries(choicesOf(field)))}::jsonb -> ((${id})::text)`;

/** A single choice in its text, written once here instead of once a row there. */
function choiceText(field: SchemaField): Sql {
  const texts = choicesOf(field).map(([id, choice]) => [id, JSON.stringify(choice)]);
  return sql`(${JSON.stringify(Object.fromEntries(texts))}::jsonb ->> ${textOf(field)})`;
}

/** entry_change names deleted entries as well, and its name is kept equal to the entry's. */
function referenceJson(id: Sql, { siteId, linkTo, extended }: Rendering): Sql {
  const typeName = extended
    ? sql`, 'entryTypeName', (select t.singular_name from entry_type t where t.site_id = r.site_id and t.type_id = r.type_id)`
    : sql``;
  const url =
    linkTo === undefined
      ? sql``
      : sql`, 'url', ${`${linkTo}/entries/`}::text || r.type_id || '/' || r.entry_id`;
  return sql`select jsonb_build_object('type', 0, 'id', r.entry_id, 'name', r.name, 'entryListId', r.type_id${url}${typeName})
    from entry_change r where r.site_id = ${siteId} and r.entry_id = ${id}`;
}

function userJson(id: Sql, { extended }: Rendering): Sql {
  const email = extended ? sql`, 'email', a.email` : sql``;
  return sql`select jsonb_build_object('id', a.user_id, 'name', a.first_name || ' ' || a.last_name, 'entryListId', -1,
      'url', 'mailto:' || a.email${email})
    from account a where a.user_id = ${id}`;
}

/** Several ids in their order; a single one stands bare unless arrays were asked for (shapes 4). */
function severalJson(field: SchemaField, one: (id: Sql) => Sql, { wrapIntoArrays }: Rendering): Sql {
  const bare = wrapIntoArrays
    ? sql`jsonb_agg(item order by at)`
    : sql`case when count(*) = 1 then jsonb_agg(item) -> 0 else jsonb_agg(item order by at) end`;
  return sql`(select (${bare})::text from (
    select at, (${one(sql`id::int`)}) as item from jsonb_array_elements_text(${valueOf(field)}) with ordinality as ids(id, at)
    ) as items where item is not null having count(*) > 0)`;
}

/** Files with the number that selects each (spec 4.4, seqNumber) and where it is read. */
function filesJson(field: SchemaField, { wrapIntoArrays }: Rendering): Sql {
  const item = sql`jsonb_build_object('id', (file ->> 'file')::int, 'name', file ->> 'name', 'contentType', file ->> 'type',
    'size', (file ->> 'size')::bigint, 'seqNumber', at - 1,
    'url', '/api/rest/v4/data/entryfiles/' || e.entry_id || '/fields/' || ${idOf(field)} || '?seqNumber=' || (at - 1))`;
  const all = sql`jsonb_agg(${item} order by at)`;
  const bare =
    field.isMultiSelect && wrapIntoArrays
      ? all
      : sql`case when count(*) = 1 then ${all} -> 0 else ${all} end`;
  return sql`(select (${bare})::text from jsonb_array_elements(${valueOf(field)}) with ordinality as files(file, at)
    having count(*) > 0)`;
}

/** A row as JSON text: the id of the entry and, under its apiName, each of the fields that has data (shapes 4). */
export function rowJson(fields: readonly SchemaField[], rendering: Rendering): Sql {
  const { textLimit } = rendering;
  if (textLimit !== undefined) return cutRowJson(fields, rendering, textLimit);
  return rowOf(fields.map((field) => partOf(field, valueJson(field, rendering))));
}

const partOf = (field: SchemaField, json: Sql): Sql =>
  sql`coalesce(${sql.lit(`,"${field.apiName}":`)} || ${json}, '')`;

const rowOf = (parts: readonly Sql[]): Sql =>
  sql`'{"EntryId":' || e.entry_id || ${parts.length > 0 ? sql`${sql.join(parts, sql` || `)} ||` : sql``} '}'`;

/**
 * The row with its texts cut, and in `$cut`, which no apiName can be, the fields whose texts go on. Large values lie
 * compressed and out of line: `|| '{}'` unpacks them once for all fields instead of once for each.
 */
function cutRowJson(fields: readonly SchemaField[], rendering: Rendering, textLimit: number): Sql {
  const texts = fields.filter(({ fieldType }) => fieldType === FIELD.text);
  if (texts.length === 0) return rowJson(fields, { ...rendering, textLimit: undefined });
  const limit = sql.lit(textLimit);
  const begins = texts.map(
    (field) => sql`left(${textOf(field)}, ${sql.lit(textLimit + 1)}) as ${beginOf(field)}`,
  );
  const parts = fields.map((field) =>
    partOf(
      field,
      texts.includes(field)
        ? sql`to_json(left(e.${beginOf(field)}, ${limit}))::text`
        : valueJson(field, rendering),
    ),
  );
  const named = texts.map(
    (field) =>
      sql`case when length(e.${beginOf(field)}) > ${limit} then ${sql.lit(`,"${field.apiName}"`)} else '' end`,
  );
  const cut = sql`coalesce(',"$cut":[' || nullif(substr(${sql.join(named, sql` || `)}, 2), '') || ']', '')`;
  return sql`(select ${rowOf([...parts, cut])} from (
      select e.entry_id, e.vals, ${sql.join(begins)} from (select e.entry_id, e.vals || '{}' as vals offset 0) as e offset 0
    ) as e)`;
}

/** The column with the first characters of a text. */
const beginOf = ({ id }: SchemaField): Sql => sql.ref(`begin_${id}`);
