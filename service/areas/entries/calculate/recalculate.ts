/**
 * Calculates the calculated fields of queued entries in the background, so that writes need not wait for them. The work of a step is
 * bounded (PIECE_LIMITS); formulas run in a worker thread without a transaction being open.
 */
import { change, createHostActor } from '../../../kernel/audit/change.ts';
import type { Db, Tx } from '../../../kernel/db/database.ts';
import {
  getDbError,
  isDatabaseUnavailable,
  isPassingFailure,
  isWorkerLost,
} from '../../../kernel/db/driver/errors.ts';
import { formatNumber } from '../../../kernel/numbers.ts';
import { createItemTask, describeError } from '../../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../../kernel/tasks/scheduled-tasks.ts';
import type { TaskItem } from '../../../kernel/tasks/task-failures.store.ts';
import {
  type EntryType,
  getCalculations,
  listParkedFields,
  loadSchema,
  lockSchemaShared,
  type SchemaField,
  type SiteSchema,
} from '../../schema/index.ts';
import { RECALCULATE_TASK, recordEntryChanges } from '../write/write-entries.ts';
import { CAUSE, getChangeTime, updateEntries, type EntryWrite } from '../write/write.store.ts';
import * as store from './calculations.store.ts';
import { calculator } from './calculator.ts';
import { type FailedCalculation, saveFailures } from './failures.ts';
import { type CalculatedEntry, PIECE_LIMITS, type PieceEntry, type TypeDefinition } from './piece.ts';

/** Maximum number of entries of a step. */
const MAX_ENTRIES = 500;
/** Entries that the first step of a run examines. */
const FIRST_WINDOW_ENTRIES = 16;
const WINDOW_GROWTH = 2;
const INTERVAL_MS = 5_000;
/** Milliseconds after which a run makes room for others; the next run continues at once. */
const MAX_RUN_MS = 2_000;
/** Slow calculations of one entry that are skipped one by one; after them all calculations of the entry are skipped. */
const MAX_SLOW_FIELDS = 3;

/** Scheduled task that updates calculated fields. */
export const recalculateTask = (db: Db, readEntries = store.readEntries): ScheduledTask =>
  createItemTask<QueuedSite>(db, {
    name: RECALCULATE_TASK,
    intervalMs: INTERVAL_MS,
    maxRunMs: MAX_RUN_MS,
    async listItems() {
      await store.queueDueRetries(db);
      return (await store.listQueuedSites(db)).map((siteId) => ({
        siteId,
        item: '',
        window: FIRST_WINDOW_ENTRIES,
      }));
    },
    runStep: (site, _signal, siteDb) => recalculateStep({ db: siteDb, readEntries }, site),
  });

/** Source of the values of entries. */
interface EntrySource {
  db: Db;
  readEntries: typeof store.readEntries;
}

/** A site whose queue is processed piece by piece. */
interface QueuedSite extends TaskItem {
  siteId: number;
  /**
   * Entries that the next piece examines. It follows the number of entries that fitted into the piece before, so that the work on
   * entries that do not fit stays in proportion to those that do, whatever their size.
   */
  window: number;
}

const growWindow = (site: QueuedSite): void => {
  site.window = Math.min(MAX_ENTRIES, site.window * WINDOW_GROWTH);
};

/**
 * Calculates the next entries of a site. If they cannot be read or written, fewer are tried, and a single entry that cannot be written
 * is set aside with the reason, unless the failure passes by itself.
 * @returns whether there may be more to do now
 */
async function recalculateStep(source: EntrySource, site: QueuedSite): Promise<boolean> {
  const { db } = source;
  for (;;) {
    let piece: Piece | boolean | undefined;
    try {
      piece = await preparePiece(source, site.siteId, site.window);
      const hasMore = typeof piece === 'boolean' ? piece : await savePiece(db, piece);
      if (typeof piece === 'object' && piece.isCut) site.window = piece.entries.length;
      else growWindow(site);
      return hasMore;
    } catch (error) {
      const isOfEntries = typeof piece === 'object' || getDbError(error) !== undefined;
      if (!isOfEntries || isDatabaseUnavailable(error) || isWorkerLost(error)) throw error;
      const size = typeof piece === 'object' ? piece.entries.length : site.window;
      if (size === 1) {
        if (typeof piece !== 'object' || isPassingFailure(error)) throw error;
        return savePiece(db, setAside(piece, describeError(error)));
      }
      site.window = Math.ceil(size / 2);
    }
  }
}

/** Calculated entries of one type that are still to be written. */
interface Piece {
  schema: SiteSchema;
  type: EntryType;
  /** All entries of the piece. */
  entries: readonly store.StoredEntry[];
  changed: readonly CalculatedEntry[];
  failed: readonly FailedCalculation[];
  /** True if further entries were examined that did not fit. */
  isCut: boolean;
}

/** Reads and calculates the next entries of a site, all of one type. @returns instead of a piece whether there may be more to do */
async function preparePiece(source: EntrySource, siteId: number, limit: number): Promise<Piece | boolean> {
  const { db, readEntries } = source;
  const schema = await loadSchema(db, siteId);
  const queued = await store.listQueuedEntries(db, siteId, limit);
  const [first] = queued;
  if (!first) return false;
  const ids = queued.filter(({ typeId }) => typeId === first.typeId).map(({ entryId }) => entryId);
  const type = first.typeId === null ? undefined : schema.typesById.get(first.typeId);
  if (!type) {
    await store.dequeueDeletedEntries(db, siteId, ids);
    return first.typeId === null;
  }
  const definition = getDefinition(type);
  const fieldIds = definition.fields.map(({ id }) => id);
  const stored = await readEntries(db, siteId, ids, fieldIds, PIECE_LIMITS.readBytes);
  const parkedFieldIds = await listParkedFields(db, siteId);
  const [firstStored] = stored;
  if (!firstStored) return true;
  if (firstStored.vals === null) return prepareTooLarge(source, { schema, type, definition }, firstStored);
  const entries = stored.flatMap(({ entryId, vals }) => (vals === null ? [] : [{ entryId, vals }]));
  const { count, ...result } = await calculateEntries(definition, entries, parkedFieldIds);
  return { schema, type, entries: stored.slice(0, count), ...result, isCut: count < ids.length };
}

const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** A piece of one entry whose values are too large to be read: its calculated fields have no data. */
async function prepareTooLarge(
  { db, readEntries }: EntrySource,
  { schema, type, definition }: { schema: SiteSchema; type: EntryType; definition: TypeDefinition },
  entry: store.StoredEntry,
): Promise<Piece | boolean> {
  const calculatedIds = definition.calculatedFieldIds;
  const [stored] = await readEntries(db, schema.siteId, [entry.entryId], calculatedIds, UNLIMITED);
  if (!stored || stored.vals === null || stored.version !== entry.version) return true;
  const entries = [{ entryId: stored.entryId, vals: stored.vals }];
  const { changed } = await calculateEntries(definition, entries, new Set(calculatedIds));
  const reason = `The values that the formulas of this entry read have ${formatMegabytes(entry.bytes)}; the limit is ${formatMegabytes(PIECE_LIMITS.readBytes)}.`;
  const failed = calculatedIds.map((fieldId) => ({
    entryId: entry.entryId,
    fieldId,
    reason,
    isRetried: false,
  }));
  return { schema, type, entries: [stored], changed, failed, isCut: true };
}

const formatMegabytes = (bytes: number): string => `${formatNumber(Math.ceil(bytes / 100_000) / 10)} MB`;

const EXCEEDED_REASONS = {
  time: `The calculation took longer than ${PIECE_LIMITS.timeMs} ms.`,
  memory: `The calculation needed more than ${PIECE_LIMITS.memoryMb} MB of memory.`,
};

/**
 * Calculates entries from the first one on, at most as many as fit into the limits. A calculation of the first entry that exceeds
 * them is skipped and fails.
 * @throws Error when the thread does not answer although it has nothing to calculate
 */
async function calculateEntries(
  definition: TypeDefinition,
  entries: readonly PieceEntry[],
  parkedFieldIds: ReadonlySet<number>,
): Promise<{ count: number; changed: readonly CalculatedEntry[]; failed: readonly FailedCalculation[] }> {
  if (definition.calculatedFieldIds.length === 0) return { count: entries.length, changed: [], failed: [] };
  let batch = entries;
  const reasons = new Map<number, string>();
  for (;;) {
    const skippedIds = new Set([...parkedFieldIds, ...reasons.keys()]);
    const outcome = await calculator.calculate(definition, batch, skippedIds);
    if ('count' in outcome) {
      const entryId = batch[0]?.entryId ?? 0;
      const slow = [...reasons].map(([fieldId, reason]) => ({ entryId, fieldId, reason, isRetried: true }));
      const failed = outcome.failed.map((each) => ({ ...each, isRetried: false }));
      return { ...outcome, failed: [...failed, ...slow] };
    }
    if ('exceeded' in outcome && outcome.entryIndex > 0) {
      // The entries before it are calculated now, the entry itself is the first of the next piece.
      batch = batch.slice(0, outcome.entryIndex);
      continue;
    }
    batch = batch.slice(0, 1);
    if (definition.calculatedFieldIds.every((id) => skippedIds.has(id)))
      throw new Error('The thread that calculates formulas does not answer');
    const exceeded = 'exceeded' in outcome ? outcome.exceeded : 'time';
    const fieldId = 'exceeded' in outcome ? outcome.fieldId : outcome.slowFieldId;
    const slowIds = reasons.size < MAX_SLOW_FIELDS && fieldId ? [fieldId] : definition.calculatedFieldIds;
    for (const id of slowIds) if (!skippedIds.has(id)) reasons.set(id, EXCEEDED_REASONS[exceeded]);
  }
}

/** The piece of one entry with all its changes refused: they stay as they are, with the reason. */
function setAside(piece: Piece, reason: string): Piece {
  const refused = piece.changed.flatMap(({ entryId, changedFieldIds }) =>
    changedFieldIds.map((fieldId) => ({ entryId, fieldId, reason, isRetried: true })),
  );
  return { ...piece, changed: [], failed: refused };
}

/**
 * Writes a piece and takes its entries from the queue, unless the schema has changed since they were calculated. Entries that have
 * changed since then stay queued.
 * @returns whether there may be more to do now
 */
function savePiece(db: Db, { schema, type, entries, changed, failed }: Piece): Promise<boolean> {
  const { siteId } = schema;
  return change(db, createHostActor(siteId), async (tx, record) => {
    if ((await lockSchemaShared(tx, siteId)) !== schema) return true;
    const takenIds = await store.takeEntries(tx, siteId, entries);
    const taken = changed.filter(({ entryId }) => takenIds.has(entryId));
    const { writes, changedFields } = await writeChanges(tx, siteId, type, taken);
    await recordEntryChanges(
      tx,
      record,
      { siteId, type, kind: 'updated', action: 'entry.calculate', changedFields },
      writes,
    );
    const failedOfTaken = failed.filter(({ entryId }) => takenIds.has(entryId));
    await saveFailures(tx, siteId, [...takenIds], failedOfTaken);
    return takenIds.size > 0;
  });
}

/** Writes the changed values. @returns the writes and the fields of which values changed */
async function writeChanges(
  tx: Tx,
  siteId: number,
  type: EntryType,
  entries: readonly CalculatedEntry[],
): Promise<{ writes: EntryWrite[]; changedFields: SchemaField[] }> {
  if (entries.length === 0) return { writes: [], changedFields: [] };
  const fields = new Map(type.fields.map((field) => [field.id, field]));
  const writes = entries
    .toSorted((a, b) => a.entryId - b.entryId)
    .map(({ changedFieldIds, before, ...entry }) => ({
      ...entry,
      before: before as Record<string, CalculatedEntry['after'][string]>,
      changed: changedFieldIds.flatMap((id) => fields.get(id) ?? []),
    }));
  const author = { siteId, userId: null, proxyId: null };
  updateEntries(tx, author, type, writes, await getChangeTime(tx), CAUSE.calculation);
  return { writes, changedFields: [...new Set(writes.flatMap((write) => write.changed))] };
}

/** By entry type: a schema is never modified, a changed one has new type objects. */
const definitions = new WeakMap<EntryType, TypeDefinition>();

function getDefinition(type: EntryType): TypeDefinition {
  const definition = definitions.get(type) ?? buildDefinition(type);
  definitions.set(type, definition);
  return definition;
}

function buildDefinition(type: EntryType): TypeDefinition {
  const calculations = getCalculations(type);
  const usedIds = new Set(calculations.flatMap(({ field, formula }) => [field.id, ...formula.fieldIds]));
  return {
    fields: type.fields
      .filter(({ id }) => usedIds.has(id))
      .map(({ choices, ...field }) => ({
        ...field,
        choiceNames: new Map([...choices.values()].map((choice) => [choice.id, choice.name])),
      })),
    calculatedFieldIds: calculations.map(({ field }) => field.id),
  };
}
