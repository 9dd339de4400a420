import type { ChangedEntry, EntryChange, EntryLineage } from '../../../../contract/generated/types.gen.ts';
import { badRequest, notFound } from '../../../kernel/api-error.ts';
import { encodeCursor, decodeCursor } from '../../../kernel/http/cursor.ts';
import { type Call, type Handlers, ok } from '../../../kernel/http/handler.ts';
import { HISTORY_WINDOW_DAYS, parseModifiedSince, parseTimestamp } from '../../../kernel/http/parameters.ts';
import { type EntryType, loadSchema, type SchemaField, toSlotText } from '../../schema/index.ts';
import { loadType, loadZones, parseMoment } from '../query/resolve-query.ts';
import type { Rendering } from '../query/row-json.store.ts';
import { formatRowResult, joinRows, localizeRows, streamJsonList } from '../query/row-text.ts';
import { respondAndRecalculate } from '../write/handlers.ts';
import { CAUSE } from '../write/write.store.ts';
import { queryRowsAsOf } from './as-of-rows.ts';
import {
  type ChangedEntryRow,
  countChanges,
  findChangeTimesAround,
  findLatestChanges,
  listTypesWithHistory,
  streamChangedEntries,
} from './changed-entries.store.ts';
import { findDeletedFields, readDeletedFieldValues } from './deleted-fields.store.ts';
import { readHistoricalRows } from './historical-rows.store.ts';
import {
  findEntriesById,
  findEntriesByName,
  findEntriesByPrefix,
  findEntryFacts,
  findMergedEntries,
  findMergeTargets,
} from './lineage.store.ts';
import { restoreForAdministrator } from './restore.ts';
import { readTimeline, wasDeletedAt, type TimelineEvent } from './timeline.store.ts';

type HistoryOperations =
  | 'listEntryChanges'
  | 'readEntryLineage'
  | 'findEntries'
  | 'readGoneValues'
  | 'listChangedEntries'
  | 'countChangedEntries'
  | 'readChangeMoments'
  | 'queryRowsAsOf'
  | 'listEntriesHistory'
  | 'listEntriesAllHistory'
  | 'listAllEntriesHistory'
  | 'readHistoricalData'
  | 'restoreEntries';

const DAY_MS = 86_400_000;
const DEFAULT_FOUND_ENTRIES = 20;

/** Start of the requested history; by default the whole retained history (shapes 1). */
function parseSince(modifiedSince: string | undefined): Date {
  const now = Date.now();
  return parseModifiedSince(modifiedSince ?? new Date(now - HISTORY_WINDOW_DAYS * DAY_MS).toISOString(), now);
}

/** The type and the facts of an entry, which may be deleted. @throws ApiError 404 */
async function requireEntry({
  readDb: db,
  caller,
  params,
}: Call<'listEntryChanges' | 'readEntryLineage' | 'readGoneValues'>) {
  const type = await loadType(db, caller.siteId, params.entryTypeId);
  const facts = await findEntryFacts(db, caller.siteId, type.id, params.entryId);
  if (!facts) throw notFound(`Entry ${params.entryId}`);
  return { type, facts };
}

function getChangeKind({ rank, cause, other }: TimelineEvent): EntryChange['kind'] {
  if (rank === 0) return 'created';
  if (rank === 2) return 'tookIn';
  if (rank === 4) return 'restored';
  if (rank === 3) return other ? 'merged' : 'deleted';
  if (cause === CAUSE.calculation) return 'calculated';
  return cause === CAUSE.indirect ? 'redirected' : 'changed';
}

type Row = EntryChange['before'];

const parseRow = (text: string | null): Row => (text === null ? undefined : (JSON.parse(text) as Row));

/** Values of deleted fields, separate from the others because a new field may have the same name. */
function toDeletedFieldValues(
  deletedFields: readonly SchemaField[],
  before: Row,
  after: Row,
): EntryChange['gone'] {
  return deletedFields.flatMap(({ id, apiName, name, fieldType, isMultiSelect, isDateOnly, isMoney }) => {
    const [oldValue, newValue] = [before?.[apiName], after?.[apiName]];
    if (oldValue === undefined && newValue === undefined) return [];
    const field = { id, name, fieldType, isMultiSelect, isDateOnly, isMoney };
    return {
      ...field,
      ...(oldValue !== undefined && { before: oldValue }),
      ...(newValue !== undefined && { after: newValue }),
    };
  });
}

function omitFields(row: Row & object, deletedFields: readonly SchemaField[]): Row {
  if (deletedFields.length === 0) return row;
  const names = new Set(deletedFields.map(({ apiName }) => apiName));
  return {
    EntryId: row.EntryId,
    ...Object.fromEntries(Object.entries(row).filter(([name]) => !names.has(name))),
  };
}

function toEntryChange(
  event: TimelineEvent,
  type: EntryType,
  deletedFields: readonly SchemaField[],
): EntryChange {
  const { timestamp, other, by, proxy, fieldIds } = event;
  const names = new Map(type.fields.map(({ id, apiName }) => [id, apiName]));
  const [before, after] = [parseRow(event.before), parseRow(event.after)];
  const deletedValues = toDeletedFieldValues(deletedFields, before, after);
  return {
    at: timestamp.toISOString(),
    kind: getChangeKind(event),
    ...(by && { by }),
    ...(proxy && { proxy }),
    ...(other && { entry: other }),
    ...(fieldIds && { fields: fieldIds.flatMap((id) => names.get(id) ?? []) }),
    ...(before && { before: omitFields(before, deletedFields) }),
    ...(after && { after: omitFields(after, deletedFields) }),
    ...(deletedValues && deletedValues.length > 0 && { gone: deletedValues }),
  };
}

const toChangedEntry = (typeId: number, row: ChangedEntryRow): ChangedEntry => {
  const { id, name, isDeleted, mergedEntryId, fate, at, isIndirect, by } = row;
  return {
    id,
    name,
    entryListId: typeId,
    isDeleted,
    ...(mergedEntryId !== null && { mergedEntryId }),
    fate,
    at: at.toISOString(),
    isIndirect,
    ...(by && { by }),
  };
};

/** Rows of the history are rendered like those of lists, with arrays for all multi-value fields. */
const listRendering = (siteId: number): Rendering => ({
  siteId,
  linkTo: undefined,
  extended: false,
  wrapIntoArrays: true,
});

interface TypeChangesRequest {
  entryTypeId: string;
  modifiedSince?: string | undefined;
  indirect: boolean;
}

/** Responds with the changed entries of one type. */
async function streamChangesOfType(
  db: Call['db'],
  siteId: number,
  { entryTypeId, modifiedSince, indirect }: TypeChangesRequest,
) {
  const { id: typeId } = await loadType(db, siteId, entryTypeId);
  const filter = { siteId, typeId, since: parseSince(modifiedSince), indirect };
  return { status: 200 as const, jsonParts: streamJsonList(streamChangedEntries(db, filter)) };
}

/** Ids of changed entries of all types with retained history. */
async function* streamChangesOfAllTypes(
  db: Call['db'],
  siteId: number,
  since: Date,
): AsyncGenerator<string[]> {
  for (const typeId of await listTypesWithHistory(db, siteId))
    yield* streamChangedEntries(db, { siteId, typeId, since, indirect: false });
}

/** Rows of one response of readHistoricalData; more must be requested by entry ids. */
const MAX_HISTORICAL_ROWS = 10_000;

export const entryHistoryHandlers: Handlers<HistoryOperations> = {
  async listEntriesHistory({ readDb: db, caller, params, query }) {
    return streamChangesOfType(db, caller.siteId, { ...params, ...query, indirect: false });
  },

  async listEntriesAllHistory({ readDb: db, caller, params, query }) {
    return streamChangesOfType(db, caller.siteId, { ...params, ...query, indirect: true });
  },

  async listAllEntriesHistory({ readDb: db, caller, query }) {
    const since = parseSince(query.modifiedSince);
    return { status: 200, jsonParts: streamJsonList(streamChangesOfAllTypes(db, caller.siteId, since)) };
  },

  async readHistoricalData(call) {
    const { readDb: db, caller, body, query } = call;
    const { siteId } = caller;
    const behavior = query.dateTimeBehavior === 1 ? 1 : 0;
    const schema = await loadSchema(db, siteId);
    const type = schema.typesById.get(body.entryTypeId);
    if (!type) throw notFound(`Entry type ${body.entryTypeId}`);
    const fieldsById = new Map(type.fields.map((field) => [field.id, field]));
    const errors = (body.fields ?? []).flatMap((id, index) =>
      fieldsById.has(id) ? [] : [{ path: `fields.${index}`, message: `Field with id ${id} does not exist` }],
    );
    if (errors.length > 0) throw badRequest(errors);
    const fields = body.fields
      ? [...new Set(body.fields)].flatMap((id) => fieldsById.get(id) ?? [])
      : type.fields;
    const zones = await loadZones(db, caller, behavior);
    const historicalQuery = {
      siteId,
      typeId: type.id,
      entryIds: body.entries,
      fields,
      at: parseMoment('fromDate', body.fromDate, behavior, zones),
    };
    const rendering = {
      siteId,
      linkTo: undefined,
      extended: false,
      wrapIntoArrays: query.wrapIntoArrays ?? false,
    };
    const rows = await readHistoricalRows(db, historicalQuery, MAX_HISTORICAL_ROWS + 1, rendering);
    if (rows.length > MAX_HISTORICAL_ROWS)
      throw badRequest([
        {
          path: 'entries',
          message: `is required: more than ${MAX_HISTORICAL_ROWS} entries existed at that time`,
        },
      ]);
    return formatRowResult(rows.length, joinRows(localizeRows(rows, fields, behavior, zones)));
  },

  async listEntryChanges(call) {
    const { readDb: db, caller, query } = call;
    const { type, facts } = await requireEntry(call);
    const { siteId } = caller;
    const limit = query.limit ?? 20;
    const entry = { siteId, type, entryId: facts.id };
    const deletedFields = await findDeletedFields(db, entry);
    const fields = [...type.fields, ...deletedFields];
    const events = await readTimeline(
      db,
      entry,
      fields,
      decodeCursor(query.cursor, ['int', 'bigint']),
      { limit: limit + 1, onlyProxy: query.onlyProxy ?? false },
      listRendering(siteId),
    );
    const page = events.slice(0, limit);
    const last = page.at(-1);
    const isLast = last?.readCount === page.length;
    return ok({
      changes: page.map((event) => toEntryChange(event, type, deletedFields)),
      ...(last &&
        !isLast && { next: encodeCursor([last.timestamp.toISOString(), last.rank, Number(last.seq)]) }),
    });
  },

  async readGoneValues(call) {
    const { readDb: db, caller, query } = call;
    const { siteId } = caller;
    const { type, facts } = await requireEntry(call);
    const entry = { siteId, type, entryId: facts.id };
    const deletedFields = await findDeletedFields(db, entry);
    const readValuesAt = async (path: 'at' | 'with'): Promise<Row> => {
      const text = query[path];
      if (text === undefined) return undefined;
      const at = parseTimestamp(path, text);
      const existed =
        facts.created <= at &&
        (facts.deleted === null || at < facts.deleted) &&
        !(await wasDeletedAt(db, siteId, facts.id, at));
      return existed
        ? parseRow(await readDeletedFieldValues(db, entry, deletedFields, at, listRendering(siteId)))
        : undefined;
    };
    return ok(
      toDeletedFieldValues(deletedFields, await readValuesAt('at'), await readValuesAt('with')) ?? [],
    );
  },

  async readEntryLineage(call) {
    const { readDb: db, caller } = call;
    const { facts } = await requireEntry(call);
    const [targets, merged] = await Promise.all([
      findMergeTargets(db, caller.siteId, facts.id),
      findMergedEntries(db, caller.siteId, facts.id),
    ]);
    const lineage: EntryLineage = {
      id: facts.id,
      name: facts.name,
      entryListId: facts.entryListId,
      isDeleted: facts.deleted !== null,
      created: facts.created.toISOString(),
      ...(facts.deleted && { deleted: facts.deleted.toISOString() }),
      ...(facts.deletedBy && { deletedBy: facts.deletedBy }),
      ...(facts.mergedEntryId !== null && { mergedEntryId: facts.mergedEntryId }),
      wentInto: targets.map(({ at, by, ...step }) => ({ ...step, at: at.toISOString(), ...(by && { by }) })),
      tookIn: merged.map(({ mergedAt, by, ...entry }) => ({
        ...entry,
        mergedAt: mergedAt.toISOString(),
        ...(by && { by }),
      })),
    };
    return ok(lineage);
  },

  async findEntries({ readDb: db, caller: { siteId }, body }) {
    const { ids = [], names = [], startsWith, limit = DEFAULT_FOUND_ENTRIES } = body;
    const nameKeys = [...new Set(names.map((name) => toSlotText(name)))];
    const [entries, named, starting] = await Promise.all([
      ids.length === 0 ? [] : findEntriesById(db, siteId, ids),
      nameKeys.length === 0 ? [] : findEntriesByName(db, siteId, nameKeys, limit),
      startsWith === undefined ? [] : findEntriesByPrefix(db, siteId, toSlotText(startsWith), limit),
    ]);
    return ok({
      entries: entries.map(({ deletedAt, mergedEntryId, survivor, ...entry }) => ({
        ...entry,
        isDeleted: deletedAt !== null,
        ...(deletedAt && { deleted: deletedAt.toISOString() }),
        ...(mergedEntryId !== null && { mergedEntryId }),
        ...(survivor && { survivor }),
      })),
      named,
      starting,
    });
  },

  async listChangedEntries({ readDb: db, caller, params, query }) {
    const type = await loadType(db, caller.siteId, params.entryTypeId);
    const filter = {
      siteId: caller.siteId,
      since: parseSince(query.modifiedSince),
      indirect: query.indirect ?? false,
      userId: query.userId,
    };
    const limit = query.limit ?? 100;
    const rows = await findLatestChanges(
      db,
      filter,
      type.id,
      query.fate,
      decodeCursor(query.cursor, ['int']),
      limit + 1,
    );
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return ok({
      entries: page.map((row) => toChangedEntry(type.id, row)),
      ...(last && rows.length > limit && { next: encodeCursor([last.at.toISOString(), last.id]) }),
    });
  },

  async countChangedEntries({ readDb: db, caller, query }) {
    const { siteId } = caller;
    const filter = {
      siteId,
      since: parseSince(query.modifiedSince),
      indirect: query.indirect ?? false,
      userId: query.userId,
    };
    const { types } = await loadSchema(db, siteId);
    return ok(
      await countChanges(
        db,
        filter,
        types.map(({ id }) => id),
      ),
    );
  },

  async readChangeMoments({ readDb: db, caller, params, query }) {
    const type = await loadType(db, caller.siteId, params.entryTypeId);
    const at = parseTimestamp('at', query.at);
    const { before, after } = await findChangeTimesAround(db, caller.siteId, type.id, at);
    return ok({
      ...(before && { before: before.toISOString() }),
      ...(after && { after: after.toISOString() }),
    });
  },

  queryRowsAsOf,

  restoreEntries: (call) => respondAndRecalculate(call, restoreForAdministrator(call)),
};
