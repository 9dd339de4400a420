import type { StoreRequestVm } from '../../../../contract/generated/types.gen.ts';
import { ServiceError } from '../../../api/errors.ts';
import { updateEntries } from '../../../api/generated/sdk.gen.ts';
import type { SessionIdentity } from '../../../api/session-state.ts';
import type { ConfirmedJob } from '../../../app/jobs/confirmed-job.ts';
import { createJobStore } from '../../../app/jobs/job-store.ts';
import { concernsAllItems, isTransientError } from '../../bulk/index.ts';
import type { Field } from '../model/schema.ts';
import { isSameValue, toRequestValue, getValue } from '../model/values.ts';
import { readEntries } from './dry-run.ts';
import type { EntryChange, Refusal } from './plan.ts';

/** Outcome of one entry; results as in bulk/outcome.ts. */
export interface Outcome {
  entryId: number;
  result: 'done' | 'already' | 'conflict' | 'failed';
  why?: string | undefined;
  requestId?: string | undefined;
}

interface ChangeTarget {
  typeId: number;
  fields: readonly Field[];
  /** Whether an earlier attempt may have been stored without an answer. */
  mayBeStored: boolean;
}

type Item = StoreRequestVm & { entryId: number };

/** Each cell with its expected value, so that no concurrent change is overwritten. */
const toRequestItems = (changes: readonly EntryChange[]): Item[] =>
  changes.flatMap(({ entryId, cells }) =>
    cells.map(({ fieldId, before, after }) => ({
      entryId,
      fieldId,
      ...toRequestValue(after),
      expected: toRequestValue(before),
    })),
  );

const REQUEST_INDEX = /^storeRequests\.(\d+)/;

/** Outcomes of the entries named in a refusal. A conflict takes precedence over the first other error of an entry. */
function getRefusedOutcomes(error: ServiceError, items: readonly Item[]): Map<number, Outcome> {
  const outcomes = new Map<number, Outcome>();
  for (const { path, message } of error.fields) {
    const item = items[Number(REQUEST_INDEX.exec(path)?.[1] ?? Number.NaN)];
    if (!item) continue;
    const isMissing = path.endsWith('.entryId');
    const isConflict = isMissing || path.endsWith('.expected');
    if (outcomes.has(item.entryId) && !isConflict) continue;
    const why = isMissing ? 'No longer exists' : message;
    outcomes.set(item.entryId, {
      entryId: item.entryId,
      result: isConflict ? 'conflict' : 'failed',
      why,
      requestId: error.requestId,
    });
  }
  return outcomes;
}

/**
 * Writes a batch. A request succeeds or fails as a whole: the refused entries are reported and the others are sent
 * again without them; a refusal that names no entry is halved until the entry is found. @throws ServiceError if the
 * error concerns no entry
 */
export async function executeChanges(
  changes: readonly EntryChange[],
  target: ChangeTarget,
): Promise<Outcome[]> {
  if (changes.length === 0) return [];
  const items = toRequestItems(changes);
  try {
    await updateEntries({ path: { entryTypeId: String(target.typeId) }, body: { storeRequests: items } });
    return changes.map(({ entryId }) => ({ entryId, result: 'done' }));
  } catch (thrown) {
    if (!(thrown instanceof ServiceError) || isTransientError(thrown)) throw thrown;
    const refusedOutcomes =
      thrown.status === 400 ? getRefusedOutcomes(thrown, items) : new Map<number, Outcome>();
    if (refusedOutcomes.size > 0) {
      const resolved = await resolveConflicts(changes, refusedOutcomes, target);
      return [...resolved, ...(await executeChanges(excludeOutcomes(changes, refusedOutcomes), target))];
    }
    if (concernsAllItems(thrown) || changes.length === 1) {
      const { message: why, requestId } = thrown;
      return changes.map(({ entryId }) => ({ entryId, result: 'failed', why, requestId }));
    }
    const middle = Math.ceil(changes.length / 2);
    const first = await executeChanges(changes.slice(0, middle), target);
    return [...first, ...(await executeChanges(changes.slice(middle), target))];
  }
}

const excludeOutcomes = (changes: readonly EntryChange[], outcomes: ReadonlyMap<number, Outcome>) =>
  changes.filter(({ entryId }) => !outcomes.has(entryId));

/** Turns conflicts of entries that hold the target values into `done` (an unanswered attempt) or `already`. */
async function resolveConflicts(
  changes: readonly EntryChange[],
  outcomes: ReadonlyMap<number, Outcome>,
  { typeId, fields, mayBeStored }: ChangeTarget,
): Promise<Outcome[]> {
  const conflicts = [...outcomes.values()].filter(({ result }) => result === 'conflict');
  if (conflicts.length === 0) return [...outcomes.values()];
  const byId = new Map(fields.map((field) => [field.id, field]));
  const changedFieldIds = new Set(changes.flatMap(({ cells }) => cells.map(({ fieldId }) => fieldId)));
  const ids = conflicts.map(({ entryId }) => entryId);
  const rowById = await readEntries(
    typeId,
    ids,
    fields.filter(({ id }) => changedFieldIds.has(id)),
  );
  const hasTargetValues = ({ entryId, cells }: EntryChange): boolean => {
    const row = rowById.get(entryId);
    return cells.every(({ fieldId, after }) => {
      const field = byId.get(fieldId);
      return row !== undefined && field !== undefined && isSameValue(getValue(row, field), after);
    });
  };
  const unchangedIds = new Set(changes.filter(hasTargetValues).map(({ entryId }) => entryId));
  return [...outcomes.values()].map((outcome) =>
    outcome.result === 'conflict' && unchangedIds.has(outcome.entryId)
      ? { entryId: outcome.entryId, result: mayBeStored ? 'done' : 'already' }
      : outcome,
  );
}

/** Confirmed change of many entries, as stored for resuming after a reload. */
export interface EntryJob extends ConfirmedJob {
  typeId: number;
  typeName: string;
  changes: readonly EntryChange[];
  /** Entries refused by the dry run, for the report. */
  refused: readonly Refusal[];
}

const jobStore = createJobStore<Omit<EntryJob, 'changes'>, EntryChange, Outcome>('entries');

export const saveEntryJob = ({ changes, ...job }: EntryJob): Promise<void> => jobStore.save(job, changes);

export const saveEntryOutcomes = (jobId: string, outcomes: readonly Outcome[]): Promise<void> =>
  jobStore.addOutcomes(jobId, outcomes);

/** Loads the user's jobs on this site with their outcomes. */
export async function loadEntryJobs(
  identity: SessionIdentity,
): Promise<{ job: EntryJob; outcomes: Outcome[] }[]> {
  const stored = await jobStore.loadAll(identity);
  return stored.map(({ job, items, outcomes }) => ({ job: { ...job, changes: items }, outcomes }));
}

export const deleteEntryJob = (id: string): Promise<void> => jobStore.delete(id);
