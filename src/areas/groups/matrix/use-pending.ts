import { useCallback, useMemo, useState } from 'react';
import { usePermission } from '../../../api/session.ts';
import { usePeopleById } from '../../../directory/directory.ts';
import { openBulk } from '../../bulk/index.ts';
import { useGroupCapabilities, useGrantCheck } from '../model/group-capabilities.ts';
import { countChanges, NOTHING_PENDING, removeCompleted, removeDeletedGroups, toPairs } from './pending.ts';
import type { PendingChanges } from './pending.ts';

/**
 * Changes staged in the matrix. They are kept across filters and removed once the directory contains them; refused ones
 * stay to be tried again. @param groups all groups, if known
 */
export function usePendingChanges(groups: readonly { id: number }[] | undefined) {
  const [pending, setPending] = useState<PendingChanges>(NOTHING_PENDING);
  const [sent, setSent] = useState(false);
  const ids = useMemo(() => [...pending.keys()], [pending]);
  const people = usePeopleById(ids);
  const [discardedCount, setDiscardedCount] = useState(0);
  const groupIds = useMemo(() => groups && new Set(groups.map(({ id }) => id)), [groups]);
  const settled = useMemo(() => removeCompleted(pending, people), [pending, people]);
  const open = useMemo(
    () => (groupIds ? removeDeletedGroups(settled, groupIds) : settled),
    [settled, groupIds],
  );
  if (open !== settled) setDiscardedCount(discardedCount + countChanges(settled) - countChanges(open));
  // A completed change must not return when another user reverts it.
  if (open !== pending) setPending(open);
  const change = useCallback((next: (now: PendingChanges) => PendingChanges) => {
    setSent(false);
    setDiscardedCount(0);
    setPending(next);
  }, []);
  return {
    pending: open,
    people,
    /** Number of changes discarded because their group was deleted, since the last edit. */
    givenUp: discardedCount,
    /** Whether all changes were sent to a job. */
    sent,
    change,
    markSent: () => setSent(true),
  };
}

/** Starts the dry run of all pending changes. */
export function useSavePending(pending: PendingChanges, onBegin: () => void) {
  const put = usePermission('assignGroups');
  const unassign = usePermission('unassignGroups');
  return {
    reason: put.reason ?? unassign.reason,
    open: () =>
      openBulk({
        action: { kind: 'pairs', ...toPairs(pending) },
        userIds: [...pending.keys()],
        onStart: onBegin,
      }),
  };
}

/** Reasons why cells of a group cannot be changed, by group id. */
export function useColumnReasons(columns: readonly { id: number }[]): ReadonlyMap<number, string> {
  const { reason } = usePermission('assignGroups');
  const ids = useMemo(() => columns.map(({ id }) => id), [columns]);
  const given = useGroupCapabilities(ids);
  const holds = useGrantCheck();
  const reasonEntries = ids.map((id) => [id, reason ?? holds(given.get(id))] as const);
  const key = JSON.stringify(reasonEntries);
  return useMemo(
    () => new Map(reasonEntries.flatMap(([id, why]) => (why === undefined ? [] : [[id, why]]))),
    // Keyed by content, so that equal reasons keep the map and rows do not re-render.
    // oxlint-disable-next-line react/exhaustive-deps
    [key],
  );
}
