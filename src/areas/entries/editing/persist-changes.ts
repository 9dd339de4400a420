import type { QueryClient } from '@tanstack/react-query';
import { sessionState, isSameIdentity, isSignedIn } from '../../../api/session-state.ts';
import type { SessionIdentity } from '../../../api/session-state.ts';
import { unlockJob, lockJob, createJobStore } from '../../../app/jobs/job-store.ts';
import { toast } from '../../../ui/toast.ts';
import { loadSchema } from '../model/schema.ts';
import type { Schema } from '../model/schema.ts';
import { restoreChangeSet, getChangeSet, stagedChangeSets } from './change-set-store.ts';
import { countStaged, hasStagedChanges, limitSteps } from './change-set.ts';
import type { ChangeSet } from './change-set.ts';
import { formatStagedCounts } from './format-changes.ts';

/** Version of the stored format. Records of another version are dropped, since their shape differs. */
const FORMAT_VERSION = 3;

/** Stored change set of one entry type in one browser tab. */
interface StoredChangeSet {
  id: string;
  format: number;
  identity: SessionIdentity;
  typeId: number;
  changes: ChangeSet;
}

const recordStore = createJobStore<StoredChangeSet, never>('staged', { whileActing: true });
// Shorter than a pause between two edits; the rest is written when the page closes.
const WRITE_DELAY_MS = 300;
// A change set is written as a whole, so that large ones are written less often: delay as a multiple of the last write.
const WRITE_REST_FACTOR = 20;
// Older undo steps beyond this are not stored.
const MAX_STORED_MOVES = 20_000;

const recordIds = new Map<number, string>();
const lastWritten = new Map<number, ChangeSet>();
let owner: SessionIdentity | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let writeQueue = Promise.resolve();
let lastWriteMs = 0;
let hasWarned = false;

/** Id of the record of a type; locked by this tab while it is open. */
function getRecordId(typeId: number): string {
  const existing = recordIds.get(typeId);
  if (existing !== undefined) return existing;
  const id = crypto.randomUUID();
  recordIds.set(typeId, id);
  void lockJob(id);
  return id;
}

// Nothing is written after a sign-out or when the session may have ended.
const canWrite = (): boolean => isSignedIn() && sessionState.get() === 'open';

async function writeChangeSet(identity: SessionIdentity, typeId: number, changes: ChangeSet): Promise<void> {
  const id = getRecordId(typeId);
  if (!hasStagedChanges(changes)) return recordStore.delete(id);
  const startedAt = performance.now();
  await recordStore.save(
    { id, format: FORMAT_VERSION, identity, typeId, changes: limitSteps(changes, MAX_STORED_MOVES) },
    [],
  );
  lastWriteMs = performance.now() - startedAt;
}

/** Warns once that staged changes cannot be stored, before they are lost. */
function warnNotPersisted(): void {
  if (hasWarned || ![...stagedChangeSets.get().values()].some(hasStagedChanges)) return;
  hasWarned = true;
  toast({
    tone: 'info',
    title: 'Staged changes are kept only while this page is open',
    description: 'The browser has no storage left. Save your changes before you close or reload the page.',
  });
}

async function writePending(): Promise<void> {
  const identity = owner;
  if (!identity) return;
  const unwritten = [...stagedChangeSets.get()].filter(
    ([typeId, changes]) => lastWritten.get(typeId) !== changes,
  );
  for (const [typeId, changes] of unwritten) {
    if (!canWrite()) return;
    // Usually one or two types.
    await writeChangeSet(identity, typeId, changes);
    lastWritten.set(typeId, changes);
  }
}

/** Writes change sets that changed since the last write; warns if the browser cannot store them. */
export function persistChanges(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  writeQueue = writeQueue.then(writePending).catch(() => {
    if (canWrite()) warnNotPersisted();
  });
  return writeQueue;
}

/** Restores a record; returns false if its format is unknown or its entry type was deleted. */
function restoreRecord(
  { id, format, typeId, changes }: StoredChangeSet,
  schema: Schema | undefined,
): boolean {
  if (format !== FORMAT_VERSION || (schema && !schema.typeById.has(typeId))) return false;
  const own = recordIds.get(typeId);
  if (own !== undefined) {
    void recordStore.delete(own).catch(() => undefined);
    unlockJob(own);
  }
  recordIds.set(typeId, id);
  lastWritten.set(typeId, changes);
  restoreChangeSet(typeId, changes);
  return true;
}

async function restoreRecords(identity: SessionIdentity, client: QueryClient): Promise<void> {
  const records = await recordStore.loadJobs(identity);
  if (records.length === 0) return;
  // If the schema cannot be loaded, all records are restored rather than dropped.
  const schema = await loadSchema(client).catch(() => undefined);
  const count = { cells: 0, deletions: 0 };
  let hasDropped = false;
  for (const record of records) {
    // A second record of the same type is restored after the first one is saved.
    if (hasStagedChanges(getChangeSet(record.typeId)) || !(await lockJob(record.id))) continue;
    if (restoreRecord(record, schema)) {
      const { cells, deletions } = countStaged(record.changes);
      count.cells += cells;
      count.deletions += deletions;
      continue;
    }
    hasDropped = true;
    await recordStore.delete(record.id);
    unlockJob(record.id);
  }
  if (count.cells + count.deletions > 0)
    toast({
      title: 'Unsaved changes were restored',
      description: `${formatStagedCounts(count)}. They are staged in their lists.`,
    });
  if (hasDropped)
    toast({
      tone: 'bad',
      title: 'Some unsaved changes could not be restored',
      description: 'Their entry type was deleted, or they were made with another version of the console.',
    });
}

/** Restores the user's change sets and stores them from now on, until they are saved or discarded or the user signs out. */
export async function startPersistence(identity: SessionIdentity, client: QueryClient): Promise<void> {
  const isFirst = owner === undefined;
  if (owner && isSameIdentity(owner, identity)) return;
  owner = identity;
  await restoreRecords(identity, client).catch(() => undefined);
  if (!isFirst) {
    // The page continues under another identity with the same staged changes (session-gate.ts).
    lastWritten.clear();
    await persistChanges();
    return;
  }
  stagedChangeSets.subscribe(() => {
    timer ??= setTimeout(
      () => void persistChanges(),
      Math.max(WRITE_DELAY_MS, WRITE_REST_FACTOR * lastWriteMs),
    );
  });
  // A sign-out in another tab may have deleted the records; they are written again after signing in.
  sessionState.subscribe(() => {
    if (sessionState.get() !== 'open') return;
    lastWritten.clear();
    void persistChanges();
  });
  globalThis.addEventListener?.('pagehide', () => void persistChanges());
  globalThis.addEventListener?.('beforeunload', () => void persistChanges());
}
