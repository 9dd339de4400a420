import type { ChangedEntry, EntryChange, EntryLineage } from '../../../contract/generated/types.gen.ts';
import { notFound } from '../../kernel/http/errors.ts';
import { type Call, type Handlers, ok } from '../../kernel/http/handler.ts';
import { HISTORY_DAYS, readModifiedSince } from '../../kernel/http/moments.ts';
import { type EntryType, loadSchema } from '../schema/index.ts';
import { typeOf } from './asking.ts';
import { type ChangedEntryRow, changeCounts, latestChanges } from './changed.store.ts';
import { cursorOf, placeAt } from './cursor.ts';
import { entryFacts, tookIn, wentInto } from './lineage.store.ts';
import { rowsAsOf } from './past.ts';
import { entryEvents, type TimelineEvent } from './timeline.store.ts';
import { CAUSE } from './write.store.ts';

type PastReads =
  | 'listEntryChanges'
  | 'readEntryLineage'
  | 'listChangedEntries'
  | 'countChangedEntries'
  | 'queryRowsAsOf';

const DAY_MS = 86_400_000;

/** From when changes are told: as asked, by default as far back as it goes (shapes 1). */
function sinceOf(modifiedSince: string | undefined): Date {
  const now = Date.now();
  return readModifiedSince(modifiedSince ?? new Date(now - HISTORY_DAYS * DAY_MS).toISOString(), now);
}

/** An entry of a type, one that is gone as well. @throws ApiError 404 */
async function entryOf({ db, caller, params }: Call<'listEntryChanges' | 'readEntryLineage'>) {
  const type = await typeOf(db, caller.siteId, params.entryTypeId);
  const facts = await entryFacts(db, caller.siteId, type.id, params.entryId);
  if (!facts) throw notFound(`Entry ${params.entryId}`);
  return { type, facts };
}

function kindOf({ rank, cause, other }: TimelineEvent): EntryChange['kind'] {
  if (rank === 0) return 'created';
  if (rank === 2) return 'tookIn';
  if (rank === 3) return other ? 'merged' : 'deleted';
  if (cause === CAUSE.calculation) return 'calculated';
  return cause === CAUSE.indirect ? 'redirected' : 'changed';
}

type Row = EntryChange['before'];

function changeOf(event: TimelineEvent, type: EntryType): EntryChange {
  const { moment, other, by, proxy, fieldIds, before, after } = event;
  const names = new Map(type.fields.map(({ id, apiName }) => [id, apiName]));
  return {
    at: moment.toISOString(),
    kind: kindOf(event),
    ...(by && { by }),
    ...(proxy && { proxy }),
    ...(other && { entry: other }),
    ...(fieldIds && { fields: fieldIds.flatMap((id) => names.get(id) ?? []) }),
    ...(before !== null && { before: JSON.parse(before) as Row }),
    ...(after !== null && { after: JSON.parse(after) as Row }),
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

export const entryPastHandlers: Handlers<PastReads> = {
  async listEntryChanges(call) {
    const { db, caller, query } = call;
    const { type, facts } = await entryOf(call);
    const { siteId } = caller;
    const limit = query.limit ?? 20;
    const rendering = { siteId, linkTo: undefined, extended: false, wrapIntoArrays: true };
    const entry = { siteId, type, entryId: facts.id };
    const events = await entryEvents(db, entry, placeAt(query.cursor, 2), limit + 1, rendering);
    const page = events.slice(0, limit);
    const last = page.at(-1);
    const isLast = last?.rank === 0 && events.length <= limit;
    return ok({
      changes: page.map((event) => changeOf(event, type)),
      // The oldest change is that it was made: whatever ends before was cut.
      ...(last && !isLast && { next: cursorOf([last.moment.toISOString(), last.rank, Number(last.seq)]) }),
    });
  },

  async readEntryLineage(call) {
    const { db, caller } = call;
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

  async listChangedEntries({ db, caller, params, query }) {
    const type = await typeOf(db, caller.siteId, params.entryTypeId);
    const since = {
      siteId: caller.siteId,
      since: sinceOf(query.modifiedSince),
      indirect: query.indirect ?? false,
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

  async countChangedEntries({ db, caller, query }) {
    const { siteId } = caller;
    const since = { siteId, since: sinceOf(query.modifiedSince), indirect: query.indirect ?? false };
    const { types } = await loadSchema(db, siteId);
    return ok(
      await changeCounts(
        db,
        since,
        types.map(({ id }) => id),
      ),
    );
  },

  queryRowsAsOf: rowsAsOf,
};
