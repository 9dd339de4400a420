import type { PastDifference, PastState, RowVm } from '../../../../contract/generated/types.gen.ts';
import { ApiError, retryLater } from '../../../kernel/api-error.ts';
import { type Db, isEmbedded, readInSnapshot, type Tx } from '../../../kernel/db/database.ts';
import { loadSchema, type SchemaField, type SiteSchema } from '../../schema/index.ts';
import type { ChangeSets } from '../history/as-of-cache.ts';
import { prepareComparison } from '../history/as-of-compare.ts';
import { type AsOfRow, readRowsAsOf } from '../history/as-of-rows.store.ts';
import { formatPage, readListAsOf } from '../history/as-of-rows.ts';
import { hasId, NO_IDS, type SortedIds } from '../query/id-list.ts';
import { countMatches } from '../query/matching.store.ts';
import type { ResolvedQuery } from '../query/resolve-query.ts';
import { listChoices, type Rendering } from '../query/row-json.store.ts';
import { readIds, readMoment, readSeparatingTime, streamIds } from './export-ids.store.ts';
import { readStoredRows } from './stored-rows.store.ts';
import { createRowParser } from './stored-rows.ts';
import type { StoredField, StoredRows } from './stored-values.ts';

/** Rows and columns that an export reads, with all names resolved. */
export interface ExportQuery {
  query: ResolvedQuery;
  fields: readonly SchemaField[];
  /** The list as of this time instead of the current one. */
  asOf: { at: Date; only: PastState | undefined; withAdded: boolean } | undefined;
}

/** Some rows of an export in their order. */
export interface ExportPage {
  rows: readonly RowVm[];
  /** Differences from today by entry id; only for a list as of a date. */
  differences: ReadonlyMap<number, PastDifference>;
}

/** The rows of an export as of one moment. */
export interface ExportSnapshot {
  at: Date;
  request: ExportQuery;
  total: number;
  pages(): AsyncGenerator<ExportPage>;
  /** Reads other entries, to which the rows refer, as of the same moment; those that do not exist have no row. */
  readEntries(ids: readonly number[], fields: readonly SchemaField[]): Promise<RowVm[]>;
  /** Rows as they are stored, in texts for `createRowParser`; not for a list as of a date. */
  readTexts: () => AsyncGenerator<RowText>;
}

/** Some rows of an export in their order. */
interface RowText {
  stored: StoredRows;
  /** Number of rows. */
  rows: number;
}

/** Later than every change: values as of this time are the current ones. */
const FUTURE = new Date('9999-12-31T00:00:00Z');

/**
 * Opens a snapshot and passes it to `work`. On PostgreSQL it is one read-only transaction. The embedded database has one connection: there a
 * short transaction reads the ids and a time, and each page is a statement of its own that reads the values as of that time from the
 * history of the entries. Names of referenced entries and of users are those of the moment of the page.
 * @throws ApiError 400 or 404 where the request does not fit the schema any more, 503 where the schema changed meanwhile
 */
export async function withExportSnapshot<T>(
  db: Db,
  siteId: number,
  resolve: (schema: SiteSchema) => ExportQuery,
  work: (snapshot: ExportSnapshot) => Promise<T>,
): Promise<T> {
  const request = resolve(await loadSchema(db, siteId));
  if (request.asOf)
    await prepareComparison(db, { ...request, query: { ...request.query, at: request.asOf.at } });
  if (!isEmbedded(db))
    return readInSnapshot(db, async (tx) => {
      const ids = await openIds(tx, resolve(await loadSchema(tx, siteId)), true);
      return work(createSnapshot(tx, ids));
    });
  const { ids, version } = await readInSnapshot(db, async (tx) => {
    const schema = await loadSchema(tx, siteId);
    return { ids: await openIds(tx, resolve(schema), false), version: schema.version };
  });
  const result = await work(createSnapshot(db, ids));
  if ((await loadSchema(db, siteId)).version !== version)
    throw retryLater(503, 'The schema of the site changed while the file was written', 1);
  return result;
}

/** Ids of a snapshot, and the times at which values are read. */
interface ExportIds {
  request: ExportQuery;
  total: number;
  lists: AsyncIterable<SortedIds> | Iterable<SortedIds>;
  changeSets: ChangeSets | undefined;
  moment: Date;
  /** Time of current values. */
  currentAt: Date;
  /** Time of current values where the rows are not read in the transaction of the ids. */
  storedAt: Date | undefined;
}

async function openIds(tx: Tx, request: ExportQuery, isTransactionKept: boolean): Promise<ExportIds> {
  const { query, fields, asOf } = request;
  const moment = isTransactionKept ? await readMoment(tx) : await readSeparatingTime(tx);
  const times = {
    request,
    moment,
    currentAt: isTransactionKept ? FUTURE : moment,
    storedAt: isTransactionKept ? undefined : moment,
  };
  if (asOf) {
    const comparison = { query: { ...query, at: asOf.at }, fields };
    const { lists, changeSets } = await readListAsOf(tx, comparison, asOf);
    return { ...times, lists, changeSets, total: lists.reduce((sum, ids) => sum + ids.length, 0) };
  }
  if (isTransactionKept)
    return {
      ...times,
      total: await countMatches(tx, query),
      lists: streamIds(tx, query),
      changeSets: undefined,
    };
  const ids = await readIds(tx, query);
  return { ...times, total: ids.length, lists: [ids], changeSets: undefined };
}

function createSnapshot(db: Db, ids: ExportIds): ExportSnapshot {
  const { request, total, moment } = ids;
  const readTexts = () => readInPages(ids, (wanted) => readRowText(db, ids, wanted));
  return {
    at: moment,
    request,
    total,
    readTexts,
    pages: () =>
      ids.changeSets
        ? readInPages(ids, (wanted) => readPage(db, ids, wanted))
        : parseTexts(request, readTexts()),
    readEntries: (entryIds, fields) => readEntries(db, ids, Int32Array.from(entryIds), fields),
  };
}

async function* parseTexts(
  { fields }: ExportQuery,
  texts: AsyncIterable<RowText>,
): AsyncGenerator<ExportPage> {
  const parse = createRowParser(fields.map(toStoredField));
  for await (const { stored } of texts) yield { rows: parse(stored), differences: new Map() };
}

/** The field as `createRowParser` needs it. */
export const toStoredField = ({
  id,
  apiName,
  fieldType,
  isMultiSelect,
  isDateOnly,
  choices,
}: SchemaField): StoredField => ({
  id,
  apiName,
  fieldType,
  isMultiSelect,
  isDateOnly,
  choices: listChoices(choices.values()),
});

/** Rows of the first page; a field may hold a million characters, so pages grow only while their rows are small. */
const FIRST_PAGE_ROWS = 100;
const MAX_PAGE_ROWS = 1_000;
const TARGET_PAGE_LENGTH = 500_000;

/** Size of what was read. */
interface ReadSize {
  /** Number of ids that were read; entries that no longer exist have no row. */
  count: number;
  length: number;
}

type ReadRows<Page extends ReadSize> = (ids: SortedIds) => Promise<Page>;

/** Reads pages of bounded size; the next one is read while the previous one is written. */
async function* readInPages<Page extends ReadSize>(
  ids: ExportIds,
  read: ReadRows<Page>,
): AsyncGenerator<Page> {
  let size = FIRST_PAGE_ROWS;
  let next: Promise<Page> | undefined;
  for await (const list of ids.lists)
    for (let from = 0; from < list.length;) {
      const page = await (next ?? readLargestPage(list.subarray(from, from + size), read));
      from += page.count;
      size = getNextSize(page);
      next = from < list.length ? readLargestPage(list.subarray(from, from + size), read) : undefined;
      // Avoids an unhandled rejection when the consumer stops before awaiting it.
      next?.catch(() => undefined);
      yield page;
    }
}

const getNextSize = ({ count, length }: ReadSize): number =>
  Math.max(
    1,
    Math.min(MAX_PAGE_ROWS, count * 2, Math.round((count * TARGET_PAGE_LENGTH) / Math.max(length, 1))),
  );

const isTooLarge = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 400 && error.fields.some(({ path }) => path === 'limit');

/** Reads a page; with fewer rows if they are larger than what one statement returns. */
async function readLargestPage<Page extends ReadSize>(
  wanted: SortedIds,
  read: ReadRows<Page>,
): Promise<Page> {
  for (let count = wanted.length; ; count = Math.ceil(count / 4))
    try {
      return await read(wanted.subarray(0, count));
    } catch (error) {
      if (count === 1 || !isTooLarge(error)) throw error;
    }
}

async function readRowText(
  db: Db,
  { request, storedAt }: ExportIds,
  ids: SortedIds,
): Promise<RowText & ReadSize> {
  const { query, fields } = request;
  const requestedIds = new Set(fields.map(({ id }) => id));
  const { count, length, ...stored } = await readStoredRows(db, {
    siteId: query.context.siteId,
    ids,
    fields,
    otherFieldIds: query.type.fields.flatMap(({ id }) => (requestedIds.has(id) ? [] : id)),
    at: storedAt,
  });
  return { stored, rows: count, count: ids.length, length };
}

const ZONES = { user: 'UTC', site: 'UTC' };

/** Reads rows of a list as of a date. */
async function readPage(
  db: Db,
  { request, changeSets, currentAt }: ExportIds,
  ids: SortedIds,
): Promise<ExportPage & ReadSize> {
  const { query, fields, asOf } = request;
  if (!asOf || !changeSets) throw new Error('The list is not one as of a date');
  const rendering: Rendering = {
    siteId: query.context.siteId,
    linkTo: undefined,
    extended: false,
    wrapIntoArrays: false,
  };
  const read = (at: Date, some: SortedIds) =>
    readRowsAsOf(db, { ...query, at }, { ids: some, asToday: NO_IDS }, fields, rendering);
  const { added } = changeSets;
  const isAdded = (id: number) => hasId(added, id);
  const past = await read(
    asOf.at,
    ids.filter((id) => !isAdded(id)),
  );
  const current = await read(currentAt, ids.filter(isAdded));
  const byId = new Map(
    [...past, ...current.map((row) => ({ ...row, today: null }))].map((row) => [row.entryId, row]),
  );
  const rows = [...ids].flatMap((id) => byId.get(id) ?? []);
  const { differences } = formatPage(rows, changeSets, { fields, behavior: 0, zones: ZONES });
  return {
    count: ids.length,
    length: getLength(rows),
    rows: rows.map(parseRow),
    differences: new Map(differences.map((difference) => [difference.entryId, difference])),
  };
}

async function readEntries(
  db: Db,
  ids: ExportIds,
  entryIds: SortedIds,
  fields: readonly SchemaField[],
): Promise<RowVm[]> {
  const { query, asOf } = ids.request;
  const rendering = {
    siteId: query.context.siteId,
    linkTo: undefined,
    extended: false,
    wrapIntoArrays: false,
  };
  const past = { ...query, at: asOf?.at ?? ids.currentAt };
  const rows: RowVm[] = [];
  for (let from = 0; from < entryIds.length;) {
    const page = await readLargestPage(entryIds.subarray(from, from + FIRST_PAGE_ROWS), async (some) => {
      const read = await readRowsAsOf(db, past, { ids: some, asToday: NO_IDS }, fields, rendering);
      return { rows: read, count: some.length, length: getLength(read) };
    });
    rows.push(...page.rows.map(parseRow));
    from += page.count;
  }
  return rows;
}

const getLength = (rows: readonly AsOfRow[]): number => rows.reduce((sum, { row }) => sum + row.length, 0);

const parseRow = ({ row }: AsOfRow): RowVm => JSON.parse(row) as RowVm;
