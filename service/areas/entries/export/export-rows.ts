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
import type { Rendering } from '../query/row-json.store.ts';
import { readIds, readMoment, readSeparatingTime, streamIds } from './export-ids.store.ts';

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
}

async function openIds(tx: Tx, request: ExportQuery, isTransactionKept: boolean): Promise<ExportIds> {
  const { query, fields, asOf } = request;
  const moment = isTransactionKept ? await readMoment(tx) : await readSeparatingTime(tx);
  const times = { request, moment, currentAt: isTransactionKept ? FUTURE : moment };
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
  return { at: moment, request, total, pages: () => readPages(db, ids) };
}

/** Rows of the first page; a field may hold a million characters, so pages grow only while their rows are small. */
const FIRST_PAGE_ROWS = 100;
const MAX_PAGE_ROWS = 1_000;
const TARGET_PAGE_LENGTH = 500_000;

/** Reads pages of bounded size; the next one is read while the previous one is written. */
async function* readPages(db: Db, ids: ExportIds): AsyncGenerator<ExportPage> {
  let size = FIRST_PAGE_ROWS;
  let next: Promise<ReadPage> | undefined;
  for await (const list of ids.lists)
    for (let from = 0; from < list.length;) {
      const page = await (next ?? readLargestPage(db, ids, list.subarray(from, from + size)));
      from += page.count;
      size = getNextSize(page);
      next = from < list.length ? readLargestPage(db, ids, list.subarray(from, from + size)) : undefined;
      // Avoids an unhandled rejection when the consumer stops before awaiting it.
      next?.catch(() => undefined);
      yield page;
    }
}

interface ReadPage extends ExportPage {
  /** Number of ids that were read; entries that no longer exist have no row. */
  count: number;
  length: number;
}

const getNextSize = ({ count, length }: ReadPage): number =>
  Math.max(
    1,
    Math.min(MAX_PAGE_ROWS, count * 2, Math.round((count * TARGET_PAGE_LENGTH) / Math.max(length, 1))),
  );

const isTooLarge = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 400 && error.fields.some(({ path }) => path === 'limit');

/** Reads a page; with fewer rows if they are larger than what one statement returns. */
async function readLargestPage(db: Db, ids: ExportIds, wanted: SortedIds): Promise<ReadPage> {
  for (let count = wanted.length; ; count = Math.ceil(count / 4))
    try {
      return await readPage(db, ids, wanted.subarray(0, count));
    } catch (error) {
      if (count === 1 || !isTooLarge(error)) throw error;
    }
}

const ZONES = { user: 'UTC', site: 'UTC' };

async function readPage(
  db: Db,
  { request, changeSets, currentAt }: ExportIds,
  ids: SortedIds,
): Promise<ReadPage> {
  const { query, fields, asOf } = request;
  const rendering: Rendering = {
    siteId: query.context.siteId,
    linkTo: undefined,
    extended: false,
    wrapIntoArrays: false,
  };
  const read = (at: Date, some: SortedIds) =>
    readRowsAsOf(db, { ...query, at }, { ids: some, asToday: NO_IDS }, fields, rendering);
  if (!asOf || !changeSets) {
    const rows = await read(currentAt, ids);
    return { ...toPage(rows, ids.length), rows: rows.map(parseRow), differences: new Map() };
  }
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
    ...toPage(rows, ids.length),
    rows: rows.map(parseRow),
    differences: new Map(differences.map((difference) => [difference.entryId, difference])),
  };
}

const toPage = (rows: readonly AsOfRow[], count: number) => ({
  count,
  length: rows.reduce((sum, { row }) => sum + row.length, 0),
});

const parseRow = ({ row }: AsOfRow): RowVm => JSON.parse(row) as RowVm;
