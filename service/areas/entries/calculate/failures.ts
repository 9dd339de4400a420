import type { Tx } from '../../../kernel/db/database.ts';
import { getRetryDelayMs, MAX_ATTEMPTS } from '../../../kernel/tasks/backoff.ts';
import {
  type CalculationFailure,
  countFailures,
  listAttempts,
  MAX_RECORDED_FAILURES,
  replaceFailures,
  WHOLE_FIELD,
} from '../../schema/index.ts';
import type { FailedValue } from './piece.ts';

/** A failed calculation; it is retried if the same calculation may succeed later. */
export interface FailedCalculation extends FailedValue {
  isRetried: boolean;
}

/** Entries whose last attempt has failed after which the formula of the field is not run any more. */
const MAX_EXHAUSTED_ENTRIES = 5;

/**
 * Records the failures of entries that were calculated and forgets their earlier ones. A calculation that exceeded its time or memory,
 * or could not be written, is retried with backoff, 5 times in all. When that happened with 5 entries, the field is parked: its
 * formula is not run any more until it changes.
 */
export async function saveFailures(
  tx: Tx,
  siteId: number,
  entryIds: readonly number[],
  failed: readonly FailedCalculation[],
): Promise<void> {
  const fieldIds = [...new Set(failed.map(({ fieldId }) => fieldId))];
  const former = failed.length > 0 ? await listAttempts(tx, siteId, entryIds) : [];
  const attempts = new Map(former.map((each) => [`${each.fieldId} ${each.entryId}`, each.attempts]));
  const counts = failed.length > 0 ? await countFailures(tx, siteId, fieldIds, MAX_ATTEMPTS) : new Map();
  const room = new Map(
    fieldIds.map((id) => [id, MAX_RECORDED_FAILURES - (counts.get(id)?.entries ?? 0)] as const),
  );
  const failures = failed.flatMap(({ isRetried, ...failure }): CalculationFailure[] => {
    const formerAttempts = attempts.get(`${failure.fieldId} ${failure.entryId}`);
    if (isRetried) {
      const count = (formerAttempts ?? 0) + 1;
      const retryInMs = count >= MAX_ATTEMPTS ? null : getRetryDelayMs(count);
      return [{ ...failure, attempts: count, retryInMs }];
    }
    const left = room.get(failure.fieldId) ?? 0;
    if (left <= 0 && formerAttempts === undefined) return [];
    room.set(failure.fieldId, left - 1);
    return [{ ...failure, attempts: 1, retryInMs: null }];
  });
  await replaceFailures(tx, siteId, entryIds, failures);
  if (failures.some((failure) => failure.attempts >= MAX_ATTEMPTS)) await parkFields(tx, siteId, failures);
}

async function parkFields(tx: Tx, siteId: number, failures: readonly CalculationFailure[]): Promise<void> {
  const reasons = new Map(failures.map(({ fieldId, reason }) => [fieldId, reason]));
  const counts = await countFailures(tx, siteId, [...reasons.keys()], MAX_ATTEMPTS);
  const parked = [...counts].flatMap(([fieldId, { exhausted }]): CalculationFailure[] =>
    exhausted < MAX_EXHAUSTED_ENTRIES
      ? []
      : [
          {
            fieldId,
            entryId: WHOLE_FIELD,
            reason: `${exhausted} entries failed ${MAX_ATTEMPTS} times each: ${reasons.get(fieldId) ?? ''}`,
            attempts: MAX_ATTEMPTS,
            retryInMs: null,
          },
        ],
  );
  // Nothing to replace: the failures of the entries remain.
  await replaceFailures(tx, siteId, [], parked);
}
