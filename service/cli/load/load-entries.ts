import { sql } from 'kysely';
import type { NewFieldInfo } from '../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../contract/rules/schema/fields.ts';
import {
  createField,
  createEntryType,
  type EntryType,
  lockSchemaShared,
  findField,
} from '../../areas/schema/index.ts';
import { change, createHostActor, type Recorder } from '../../kernel/audit/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { CommandError } from '../commands/command.ts';
import { drawVals, getCreationTime, type DrawContext, CITIES } from './draw.ts';
import { withoutIndexes } from './indexes.ts';
import { createRandom, type Random } from './random.ts';
import { toEntryChangeRows, type LoadedEntry, toEntryRows, toMultiRows, toTextRows } from './rows.ts';
import type { LoadTarget } from './target.ts';

export interface LoadOptions {
  site: string;
  /** The apiName of the new type. */
  type: string;
  entries: number;
  /** Average number of changes of values per entry. */
  changes: number;
  seed: number;
  /** End of the data. */
  asOf: Date;
}

export interface LoadResult {
  siteId: number;
  typeId: number;
  changes: number;
}

/** Entries per batch; a batch is written table by table. */
const ENTRY_BATCH_SIZE = 10_000;

/** Creates an entry type with random entries and their history in one transaction. */
export async function loadEntries(target: LoadTarget, options: LoadOptions): Promise<LoadResult> {
  const siteId = await findSiteId(target, options.site);
  const loaded = await change(target.db, createHostActor(siteId), async (tx, record) => {
    const type = await createCompanyType(tx, siteId, options.type, record);
    const stock = await createDrawContext(tx, siteId, options);
    const changes = await withoutIndexes(tx, options.entries, async () => {
      for (const entries of drawBatches(siteId, type, stock, createRandom(options.seed)))
        await writeBatch(tx, target, type, entries);
      return writeHistory(tx, type, stock, { ...options, siteId });
    });
    record({
      action: 'cli.load',
      subject: ['entry-type', type.id],
      changes: { entries: [null, options.entries], changes: [null, changes] },
    });
    return { siteId, typeId: type.id, changes };
  });
  // Otherwise the first reads would check the visibility of each row and use plans for empty tables.
  await sql`vacuum analyze entry, entry_change, entry_multi, entry_text, cell_log, entry_block`.execute(
    target.db,
  );
  return loaded;
}

async function findSiteId({ db }: LoadTarget, slug: string): Promise<number> {
  const row = await db.selectFrom('site').select('site_id').where('slug', '=', slug).executeTakeFirst();
  if (!row) throw new CommandError(`No site has the slug ${slug}`);
  return row.site_id;
}

async function createCompanyType(
  tx: Tx,
  siteId: number,
  apiName: string,
  record: Recorder,
): Promise<EntryType> {
  const { names, fields } = getCompanyTypeDefinition(apiName);
  const { id } = await createEntryType(tx, siteId, names, record);
  for (const field of fields)
    // Their ids and slots are in this order.
    await createField(tx, siteId, String(id), field, record);
  const type = (await lockSchemaShared(tx, siteId)).typesById.get(id);
  if (!type) throw new Error(`Type ${id} was not made`);
  return type;
}

async function createDrawContext(
  tx: Tx,
  siteId: number,
  { entries, asOf }: LoadOptions,
): Promise<DrawContext> {
  const users = await sql<{ id: number }>`
    select user_id as id from membership where site_id = ${siteId} and is_active order by user_id limit 1000`.execute(
    tx,
  );
  const ids = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('entry', 'entry_id'))::int as id from generate_series(1, ${entries}::int)`.execute(
    tx,
  );
  return {
    userIds: users.rows.map(({ id }) => id),
    entryIds: ids.rows.map(({ id }) => id),
    asOf: asOf.getTime(),
  };
}

/** Batches of entries, drawn while the first table of a batch is written. */
function* drawBatches(
  siteId: number,
  type: EntryType,
  stock: DrawContext,
  random: Random,
): Generator<Iterable<LoadedEntry>> {
  function* piece(from: number): Generator<LoadedEntry> {
    for (const [offset, entryId] of stock.entryIds.slice(from, from + ENTRY_BATCH_SIZE).entries()) {
      const index = from + offset;
      const createdBy = stock.userIds[index % stock.userIds.length] ?? null;
      yield {
        siteId,
        entryId,
        vals: drawVals(random, type, stock, index),
        createdAt: getCreationTime(stock, index),
        createdBy,
      };
    }
  }
  for (let from = 0; from < stock.entryIds.length; from += ENTRY_BATCH_SIZE) yield piece(from);
}

async function writeBatch(
  tx: Tx,
  target: LoadTarget,
  type: EntryType,
  drawnEntries: Iterable<LoadedEntry>,
): Promise<void> {
  const entries: LoadedEntry[] = [];
  function* kept() {
    for (const entry of drawnEntries) {
      entries.push(entry);
      yield entry;
    }
  }
  await target.write(tx, toEntryRows(type, kept()));
  await target.write(tx, toEntryChangeRows(type, entries));
  await target.write(tx, toMultiRows(type, entries));
  await target.write(tx, toTextRows(type, entries));
}

const toChoiceValues = (...names: string[]) => names.map((name) => ({ name }));

/** Names and fields of the entry type, without the key field. */
const getCompanyTypeDefinition = (apiName: string) => ({
  names: { apiName, singularName: 'Company', pluralName: 'Companies' },
  fields: FIELDS,
});

/**
 * Together with the key field twenty fields of all types except files, counters and formulas. The first twelve that compare as numbers
 * and the first six texts get slots; the last two have none, as in a type with very many fields.
 */
const FIELDS: readonly NewFieldInfo[] = [
  {
    apiName: 'Stage',
    name: 'Stage',
    fieldType: FIELD.choice,
    choiceValues: toChoiceValues(
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
    choiceValues: toChoiceValues('Africa', 'Americas', 'Asia', 'Europe', 'Middle East', 'Oceania'),
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
    choiceValues: toChoiceValues(
      'Family',
      'Growth',
      'Listed',
      'Export',
      'Software',
      'Health',
      'Energy',
      'Retail',
    ),
  },
  {
    apiName: 'Source',
    name: 'Source',
    fieldType: FIELD.choice,
    choiceValues: toChoiceValues('Conference', 'Referral', 'Web', 'Cold call'),
  },
  { apiName: 'IsListed', name: 'Listed', fieldType: FIELD.boolean },
];

const HISTORY_BATCH_SIZE = 50_000;

const createSeries = (count: number, step: number): number[] =>
  Array.from({ length: count }, (_, at) => 1 + at * step);

/** Earlier values in the history, by apiName; default: the choices of the field. */
const PAST_VALUES: Readonly<Record<string, readonly (string | number)[]>> = {
  Employees: createSeries(97, 13),
  Score: createSeries(89, 1.1),
  City: CITIES,
};

interface LoggedField {
  fieldId: number;
  values: readonly (string | number)[];
}

const getLoggedFields = (type: EntryType): LoggedField[] =>
  ['Stage', 'Region', 'Employees', 'Score', 'City'].flatMap((apiName) => {
    const field = findField(type, apiName);
    return field ? [{ fieldId: field.id, values: PAST_VALUES[apiName] ?? [...field.choices.keys()] }] : [];
  });

/**
 * Generates the history of the entries in the database: values change in the first year after the creation of their entry, some
 * several times, and the last change results in the current value. @returns the number of changes
 */
async function writeHistory(
  tx: Tx,
  type: EntryType,
  stock: DrawContext,
  { siteId, changes, seed }: { siteId: number; changes: number; seed: number },
): Promise<number> {
  if (changes === 0) return 0;
  await sql`analyze entry, entry_change`.execute(tx);
  await sql`select set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`.execute(tx);
  const fields = getLoggedFields(type);
  let writtenCount = 0;
  for (let from = 0; from < stock.entryIds.length; from += HISTORY_BATCH_SIZE) {
    const ids = stock.entryIds.slice(from, from + HISTORY_BATCH_SIZE);
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
            (${[...stock.userIds]}::int[])[1 + (chance.h + j) % greatest(1, ${stock.userIds.length}::int)] as user_id
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
    writtenCount += rows[0]?.n ?? 0;
  }
  return writtenCount;
}
