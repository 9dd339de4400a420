import { sql } from 'kysely';
import { addField, createType, type EntryType, holdSchema, findField } from '../../areas/schema/index.ts';
import { change, hostActor, type Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { createRandom, type Random } from '../sample/random.ts';
import { drawVals, madeAt, type Stock, CITIES } from './draw.ts';
import { withoutIndexes } from './indexes.ts';
import { changeRows, type Entry, entryRows, multiRows, textRows } from './rows.ts';
import type { Target } from './target.ts';
import type { NewFieldInfo } from '../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../contract/rules/fields.ts';

export interface LoadOptions {
  site: string;
  /** The apiName of the new type. */
  type: string;
  entries: number;
  /** Changes of values in the history of an entry, on average. */
  changes: number;
  seed: number;
  /** The moment at which the data end. */
  asOf: Date;
}

export interface Loaded {
  siteId: number;
  typeId: number;
  changes: number;
}

/** Entries are written so many at a time, each table after the other. */
const PIECE = 10_000;

/** Makes an entry type and fills it with drawn entries and their history: all of it or nothing. */
export async function loadEntries(target: Target, options: LoadOptions): Promise<Loaded> {
  const siteId = await siteCalled(target, options.site);
  const loaded = await change(target.db, hostActor(siteId), async (tx, record) => {
    const type = await makeType(tx, siteId, options.type, record);
    const stock = await stockOf(tx, siteId, options);
    const changes = await withoutIndexes(tx, options.entries, async () => {
      for (const entries of pieces(siteId, type, stock, createRandom(options.seed)))
        // oxlint-disable-next-line no-await-in-loop -- one connection, in order
        await writePiece(tx, target, type, entries);
      return writeHistory(tx, type, stock, { ...options, siteId });
    });
    record({
      action: 'cli.load',
      subject: ['entry-type', type.id],
      changes: { entries: [null, options.entries], changes: [null, changes] },
    });
    return { siteId, typeId: type.id, changes };
  });
  // Without it the first reads would look at each row to learn whether it is there, and plan for empty tables.
  await sql`vacuum analyze entry, entry_change, entry_multi, entry_text, cell_log, list_block`.execute(
    target.db,
  );
  return loaded;
}

async function siteCalled({ db }: Target, slug: string): Promise<number> {
  const row = await db.selectFrom('site').select('site_id').where('slug', '=', slug).executeTakeFirst();
  if (!row) throw new Error(`There is no site ${slug}`);
  return row.site_id;
}

async function makeType(tx: Tx, siteId: number, apiName: string, record: Recorder): Promise<EntryType> {
  const { names, fields } = companyType(apiName);
  const id = await createType(tx, siteId, names, record);
  for (const field of fields)
    // oxlint-disable-next-line no-await-in-loop -- their ids and slots are in this order
    await addField(tx, siteId, String(id), field, record);
  const type = (await holdSchema(tx, siteId)).typesById.get(id);
  if (!type) throw new Error(`Type ${id} was not made`);
  return type;
}

async function stockOf(tx: Tx, siteId: number, { entries, asOf }: LoadOptions): Promise<Stock> {
  const users = await sql<{ id: number }>`
    select user_id as id from membership where site_id = ${siteId} and is_active order by user_id limit 1000`.execute(
    tx,
  );
  const ids = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('entry', 'entry_id'))::int as id from generate_series(1, ${entries}::int)`.execute(
    tx,
  );
  return {
    users: users.rows.map(({ id }) => id),
    entryIds: ids.rows.map(({ id }) => id),
    asOf: asOf.getTime(),
  };
}

/** Entries as they are drawn, in pieces: the first table that takes a piece draws it. */
function* pieces(siteId: number, type: EntryType, stock: Stock, random: Random): Generator<Iterable<Entry>> {
  function* piece(from: number): Generator<Entry> {
    for (const [offset, entryId] of stock.entryIds.slice(from, from + PIECE).entries()) {
      const index = from + offset;
      const createdBy = stock.users[index % stock.users.length] ?? null;
      yield {
        siteId,
        entryId,
        vals: drawVals(random, type, stock, index),
        createdAt: madeAt(stock, index),
        createdBy,
      };
    }
  }
  for (let from = 0; from < stock.entryIds.length; from += PIECE) yield piece(from);
}

async function writePiece(tx: Tx, target: Target, type: EntryType, drawn: Iterable<Entry>): Promise<void> {
  const entries: Entry[] = [];
  function* kept() {
    for (const entry of drawn) {
      entries.push(entry);
      yield entry;
    }
  }
  await target.write(tx, entryRows(type, kept()));
  await target.write(tx, changeRows(type, entries));
  await target.write(tx, multiRows(type, entries));
  await target.write(tx, textRows(type, entries));
}

const choices = (...names: string[]) => names.map((name) => ({ name }));

/** An entry type as it is made for a load: its names, and its fields besides the name of the entry. */
const companyType = (apiName: string) => ({
  names: { apiName, singularName: 'Company', pluralName: 'Companies' },
  fields: FIELDS,
});

/**
 * With the name of the entry twenty fields of every kind but files, counters and formulas. The first twelve that are
 * compared as numbers and the first six texts get slots; the last two have none, as in a type with very many fields.
 */
const FIELDS: readonly NewFieldInfo[] = [
  {
    apiName: 'Stage',
    name: 'Stage',
    fieldType: FIELD.choice,
    choiceValues: choices(
      'Lead',
      'Contacted',
      'Qualified',
      'Meeting',
      'Proposal',
      'Diligence',
      'Negotiation',
      'Won',
      'Lost',
      'On hold',
    ),
  },
  {
    apiName: 'Region',
    name: 'Region',
    fieldType: FIELD.choice,
    choiceValues: choices('Africa', 'Americas', 'Asia', 'Europe', 'Middle East', 'Oceania'),
  },
  { apiName: 'Parent', name: 'Parent company', fieldType: FIELD.reference },
  { apiName: 'Owner', name: 'Owner', fieldType: FIELD.user },
  { apiName: 'Employees', name: 'Employees', fieldType: FIELD.number },
  { apiName: 'Score', name: 'Score', fieldType: FIELD.number },
  { apiName: 'Revenue', name: 'Revenue', fieldType: FIELD.number, isMoney: true },
  { apiName: 'Valuation', name: 'Valuation', fieldType: FIELD.currency },
  { apiName: 'LastContact', name: 'Last contact', fieldType: FIELD.date },
  { apiName: 'Founded', name: 'Founded', fieldType: FIELD.date, isDateOnly: true },
  { apiName: 'NextStep', name: 'Next step', fieldType: FIELD.date, isDateOnly: true },
  { apiName: 'IsClient', name: 'Client', fieldType: FIELD.boolean },
  { apiName: 'City', name: 'City', fieldType: FIELD.text },
  { apiName: 'Email', name: 'E-mail', fieldType: FIELD.text },
  { apiName: 'Phone', name: 'Phone', fieldType: FIELD.text },
  { apiName: 'Summary', name: 'Summary', fieldType: FIELD.text, isSearchable: true },
  {
    apiName: 'Tags',
    name: 'Tags',
    fieldType: FIELD.choice,
    isMultiSelect: true,
    choiceValues: choices('Family', 'Growth', 'Listed', 'Export', 'Software', 'Health', 'Energy', 'Retail'),
  },
  {
    apiName: 'Source',
    name: 'Source',
    fieldType: FIELD.choice,
    choiceValues: choices('Conference', 'Referral', 'Web', 'Cold call'),
  },
  { apiName: 'IsListed', name: 'Listed', fieldType: FIELD.boolean },
];

const ENTRIES_AT_ONCE = 50_000;

const numbers = (count: number, step: number): number[] =>
  Array.from({ length: count }, (_, at) => 1 + at * step);

/** By apiName, what the fields that have a history held once. */
const HELD: Readonly<Record<string, readonly (string | number)[]>> = {
  Employees: numbers(97, 13),
  Score: numbers(89, 1.1),
  City: CITIES,
};

interface Logged {
  fieldId: number;
  values: readonly (string | number)[];
}

const loggedFields = (type: EntryType): Logged[] =>
  ['Stage', 'Region', 'Employees', 'Score', 'City'].flatMap((name) => {
    const field = findField(type, name);
    return field ? [{ fieldId: field.id, values: HELD[name] ?? [...field.choices.keys()] }] : [];
  });

/**
 * Writes the history of these entries, in the database: each value changed in the first year after its entry was made,
 * some several times, and the last change led to what the entry holds. Answers how many changes there are.
 */
async function writeHistory(
  tx: Tx,
  type: EntryType,
  stock: Stock,
  { siteId, changes, seed }: { siteId: number; changes: number; seed: number },
): Promise<number> {
  if (changes === 0) return 0;
  await sql`analyze entry, entry_change`.execute(tx);
  await sql`select set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`.execute(tx);
  const fields = loggedFields(type);
  let written = 0;
  for (let from = 0; from < stock.entryIds.length; from += ENTRIES_AT_ONCE) {
    const ids = stock.entryIds.slice(from, from + ENTRIES_AT_ONCE);
    // oxlint-disable-next-line no-await-in-loop -- one connection, in order
    const { rows } = await sql<{ n: number }>`
      with field as materialized (
        select id, past::jsonb as values, jsonb_array_length(past::jsonb) as size
        from unnest(${fields.map(({ fieldId }) => fieldId)}::int[],
          ${fields.map(({ values }) => JSON.stringify(values))}::text[]) as given(id, past)),
      logged as (
        insert into cell_log (site_id, entry_id, field_id, at, type_id, old, new, user_id)
        select ${siteId}, entry_id, field_id, at, ${type.id}, old, new, user_id
        from (
          select c.entry_id, f.id as field_id, moment.at, f.values -> ((chance.h + j - 1) % f.size) as old,
            case when j = times.k or moment.next > ${new Date(stock.asOf)}::timestamptz then c.vals -> f.id::text
              else f.values -> ((chance.h + j) % f.size) end as new,
            (${[...stock.users]}::int[])[1 + (chance.h + j) % greatest(1, ${stock.users.length}::int)] as user_id
          from (
            select c.entry_id, c.created_at, e.vals
            from entry_change c join entry e on e.site_id = c.site_id and e.entry_id = c.entry_id
            where c.site_id = ${siteId} and e.type_id = ${type.id} and c.entry_id between ${ids[0]} and ${ids.at(-1)}
              and e.entry_id between ${ids[0]} and ${ids.at(-1)} offset 0) c
          cross join field f
          cross join lateral (select (hashint8extended(c.entry_id::bigint * 8192 + f.id, ${seed}) & 2147483647)::int as h) chance
          cross join lateral (select floor(chance.h / 2147483648.0 * ${(2 * changes) / fields.length + 1}::float8)::int as k) times
          cross join lateral generate_series(1, times.k) as j
          cross join lateral (select
            c.created_at + interval '365 days' * ((j - chance.h % 1000 / 1000.0) / times.k) as at,
            c.created_at + interval '365 days' * ((j + 1 - chance.h % 1000 / 1000.0) / times.k) as next) moment
          where moment.at <= ${new Date(stock.asOf)}::timestamptz) changed
        where old is distinct from new
        order by at
        returning entry_id, at, user_id),
      last as (select distinct on (entry_id) entry_id, at, user_id from logged order by entry_id, at desc),
      noted as (
        update entry_change c set direct_at = last.at, any_at = last.at, modified_by = last.user_id
        from last where c.site_id = ${siteId} and c.entry_id = last.entry_id)
      select count(*)::int as n from logged`.execute(tx);
    written += rows[0]?.n ?? 0;
  }
  return written;
}
