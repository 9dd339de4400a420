import { useCallback, useMemo, useState } from 'react';
import { usePeople } from '../../../directory/directory.ts';
import { countOf, NOTHING_PENDING, settle, withoutGone } from './pending.ts';
import type { Pending } from './pending.ts';

/**
 * What was changed in the matrix and has not come about. It outlives every filter, and shrinks by itself as the
 * directory learns that a change was made: what was refused stays, to be tried again. `groups` are all there are, as
 * far as known.
 */
export function usePending(groups: readonly { id: number }[] | undefined) {
  const [pending, setPending] = useState<Pending>(NOTHING_PENDING);
  const [sent, setSent] = useState(false);
  const ids = useMemo(() => [...pending.keys()], [pending]);
  const people = usePeople(ids);
  const [givenUp, setGivenUp] = useState(0);
  const groupIds = useMemo(() => groups && new Set(groups.map(({ id }) => id)), [groups]);
  const settled = useMemo(() => settle(pending, people), [pending, people]);
  const open = useMemo(() => (groupIds ? withoutGone(settled, groupIds) : settled), [settled, groupIds]);
  if (open !== settled) setGivenUp(givenUp + countOf(settled) - countOf(open));
  // What has come about must not return when somebody else takes it back.
  if (open !== pending) setPending(open);
  const change = useCallback((next: (now: Pending) => Pending) => {
    setSent(false);
    setGivenUp(0);
    setPending(next);
  }, []);
  return {
    pending: open,
    people,
    /** How many changes ended with a group that somebody deleted, since the last change here. */
    givenUp,
    /** Whether all of it was sent: it comes about, or what came of it is told in the tray. */
    sent,
    change,
    markSent: () => setSent(true),
  };
}
