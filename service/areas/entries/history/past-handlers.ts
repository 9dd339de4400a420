import type { ChangedEntry, EntryChange, EntryLineage } from '../../../../contract/generated/types.gen.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { type Call, type Handlers, ok } from '../../../kernel/http/handler.ts';
import { HISTORY_DAYS, readModifiedSince, readMoment } from '../../../kernel/http/moments.ts';
import { type EntryType, loadSchema, type SchemaField } from '../../schema/index.ts';
import { typeOf } from '../query/asking.ts';
import { type ChangedEntryRow, changeCounts, latestChanges } from './changed.store.ts';
import { cursorOf, placeAt } from '../query/cursor.ts';
import { goneFields, goneValuesAt } from './gone-fields.store.ts';
import { entryFacts, tookIn, wentInto } from './lineage.store.ts';
import { momentsAround } from './moments.store.ts';
import { rowsAsOf } from './past.ts';
import type { Rendering } from '../query/render.store.ts';
import { entryEvents, isAwayAt, type TimelineEvent } from './timeline.store.ts';
import { CAUSE } from '../write/write.store.ts';

type PastReads =
  | 'listEntryChanges'
  | 'readEntryLineage'
  | 'readGoneValues'
  | 'listChangedEntries'
  | 'countChangedEntries'
  | 'readChangeMoments'
  | 'queryRowsAsOf';

const DAY_MS = 86_400_000;

/** From when changes are told: as asked, by default as far back as it goes (shapes 1). */
function sinceOf(modifiedSince: string | undefined): Date {
  const now = Date.now();
  return readModifiedSince(modifiedSince ?? new Date(now - HISTORY_DAYS * DAY_MS).toISOString(), now);
}

/** An entry of a type, one that is gone as well. @throws ApiError 404 */
async function entryOf({
  reads: db,
  caller,
  params,
}: Call<'listEntryChanges' | 'readEntryLineage' | 'readGoneValues'>) {
  const type = await typeOf(db, caller.siteId, params.entryTypeId);
  const facts = await entryFacts(db, caller.siteId, type.id, params.entryId);
  if (!facts) throw notFound(`Entry ${params.entryId}`);
  return { type, facts };
}

function kindOf({ rank, cause, other }: TimelineEvent): EntryChange['kind'] {
  if (rank === 0) return 'created';
  if (rank === 2) return 'tookIn';
  if (rank === 4) return 'restored';
  if (rank === 3) return other ? 'merged' : 'deleted';
  if (cause === CAUSE.calculation) return 'calculated';
  return cause === CAUSE.indirect ? 'redirected' : 'changed';
}

type Row = EntryChange['before'];

const rowIn = (text: string | null): Row => (text === null ? undefined : (JSON.parse(text) as Row));

/** Values of fields that the type has no more, apart from the others: a name of theirs may be in use again. */
function goneOf(gone: readonly SchemaField[], before: Row, after: Row): EntryChange['gone'] {
  return gone.flatMap(({ id, apiName, name, fieldType, isMultiSelect, isDateOnly, isMoney }) => {
    const [was, is] = [before?.[apiName], after?.[apiName]];
    if (was === undefined && is === undefined) return [];
    const field = { id, name, fieldType, isMultiSelect, isDateOnly, isMoney };
    return { ...field, ...(was !== undefined && { before: was }), ...(is !== undefined && { after: is }) };
  });
}

function without(row: Row & object, gone: readonly SchemaField[]): Row {
  if (gone.length === 0) return row;
  const names = new Set(gone.map(({ apiName }) => apiName));
  return {
    EntryId: row.EntryId,
    ...Object.fromEntries(Object.entries(row).filter(([name]) => !names.has(name))),
  };
}

function changeOf(event: TimelineEvent, type: EntryType, gone: readonly SchemaField[]): EntryChange {
  const { moment, other, by, proxy, fieldIds } = event;
  const names = new Map(type.fields.map(({ id, apiName }) => [id, apiName]));
  const [before, after] = [rowIn(event.before), rowIn(event.after)];
  const left = goneOf(gone, before, after);
  return {
    at: moment.toISOString(),
    kind: kindOf(event),
    ...(by && { by }),
    ...(proxy && { proxy }),
    ...(other && { entry: other }),
    ...(fieldIds && { fields: fieldIds.flatMap((id) => names.get(id) ?? []) }),
    ...(before && { before: without(before, gone) }),
    ...(after && { after: without(after, gone) }),
    ...(left && left.length > 0 && { gone: left }),
  };
}

const changedOf = (typeId: number, row: ChangedEntryRow): ChangedEntry => {
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

const asLists = (siteId: number): Rendering => ({
  siteId,
  linkTo: undefined,
  extended: false,
  wrapIntoArrays: true,
});

export const entryPastHandlers: Handlers<PastReads> = {
  async listEntryChanges(call) {
    const { reads: db, caller, query } = call;
    const { type, facts } = await entryOf(call);
    const { siteId } = caller;
    const limit = query.limit ?? 20;
    const entry = { siteId, type, entryId: facts.id };
    const gone = await goneFields(db, entry);
    const fields = [...type.fields, ...gone];
    const events = await entryEvents(db, entry, fields, placeAt(query.cursor, 2), limit + 1, asLists(siteId));
    const page = events.slice(0, limit);
    const last = page.at(-1);
    const isLast = last?.rank === 0 && events.length <= limit;
    return ok({
      changes: page.map((event) => changeOf(event, type, gone)),
      // The oldest change is that it was made: whatever ends before was cut.
      ...(last && !isLast && { next: cursorOf([last.moment.toISOString(), last.rank, Number(last.seq)]) }),
    });
  },

  async readGoneValues(call) {
    const { reads: db, caller, query } = call;
    const { siteId } = caller;
    const { type, facts } = await entryOf(call);
    const entry = { siteId, type, entryId: facts.id };
    const gone = await goneFields(db, entry);
    const heldAt = async (path: 'at' | 'with'): Promise<Row> => {
      const said = query[path];
      if (said === undefined) return undefined;
      const at = readMoment(path, said);
      const wasThere =
        facts.created <= at &&
        (facts.deleted === null || at < facts.deleted) &&
        !(await isAwayAt(db, siteId, facts.id, at));
      return wasThere ? rowIn(await goneValuesAt(db, entry, gone, at, asLists(siteId))) : undefined;
    };
    return ok(goneOf(gone, await heldAt('at'), await heldAt('with')) ?? []);
  },

  async readEntryLineage(call) {
    const { reads: db, caller } = call;
    const { facts } = await entryOf(call);
    const [steps, taken] = await Promise.all([
      wentInto(db, caller.siteId, facts.id),
      tookIn(db, caller.siteId, facts.id),
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
      wentInto: steps.map(({ at, by, ...step }) => ({ ...step, at: at.toISOString(), ...(by && { by }) })),
      tookIn: taken.map(({ mergedAt, by, ...entry }) => ({
        ...entry,
        mergedAt: mergedAt.toISOString(),
        ...(by && { by }),
      })),
    };
    return ok(lineage);
  },

  async listChangedEntries({ reads: db, caller, params, query }) {
    const type = await typeOf(db, caller.siteId, params.entryTypeId);
    const since = {
      siteId: caller.siteId,
      since: sinceOf(query.modifiedSince),
      indirect: query.indirect ?? false,
      userId: query.userId,
    };
    const limit = query.limit ?? 100;
    const rows = await latestChanges(db, since, type.id, query.fate, placeAt(query.cursor, 1), limit + 1);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return ok({
      entries: page.map((row) => changedOf(type.id, row)),
      ...(last && rows.length > limit && { next: cursorOf([last.at.toISOString(), last.id]) }),
    });
  },

  async countChangedEntries({ reads: db, caller, query }) {
    const { siteId } = caller;
    const since = {
      siteId,
      since: sinceOf(query.modifiedSince),
      indirect: query.indirect ?? false,
      userId: query.userId,
    };
    const { types } = await loadSchema(db, siteId);
    return ok(
      await changeCounts(
        db,
        since,
        types.map(({ id }) => id),
      ),
    );
  },

  async readChangeMoments({ reads: db, caller, params, query }) {
    const type = await typeOf(db, caller.siteId, params.entryTypeId);
    const at = readMoment('at', query.at);
    const { before, after } = await momentsAround(db, caller.siteId, type.id, at);
    return ok({
      ...(before && { before: before.toISOString() }),
      ...(after && { after: after.toISOString() }),
    });
  },

  queryRowsAsOf: rowsAsOf,
};
