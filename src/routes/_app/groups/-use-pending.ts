import { useCallback, useMemo, useState } from 'react';
import { usePeople } from '../../../directory/directory.ts';
import { NOTHING_PENDING, settle } from './-pending.ts';
import type { Pending } from './-pending.ts';

/**
 * What was changed in the matrix and has not come about. It outlives every filter, and shrinks by itself as the
 * directory learns that a change was made: what was refused stays, to be tried again.
 */
export function usePending() {
  const [pending, setPending] = useState<Pending>(NOTHING_PENDING);
  const [sent, setSent] = useState(false);
  const ids = useMemo(() => [...pending.keys()], [pending]);
  const people = usePeople(ids);
  const open = useMemo(() => settle(pending, people), [pending, people]);
  // What has come about must not return when somebody else takes it back.
  if (open !== pending) setPending(open);
  const change = useCallback((next: (now: Pending) => Pending) => {
    setSent(false);
    setPending(next);
  }, []);
  return {
    pending: open,
    people,
    /** Whether all of it was sent: it comes about, or what came of it is told in the tray. */
    sent,
    change,
    markSent: () => setSent(true),
  };
}
