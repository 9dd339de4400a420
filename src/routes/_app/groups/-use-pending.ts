import { useMemo, useState } from 'react';
import { usePeople } from '../../../directory/directory.ts';
import { NOTHING_PENDING, settle } from './-pending.ts';
import type { Pending } from './-pending.ts';

/**
 * What was changed in the matrix and has not come about. It outlives every filter, and shrinks by itself as the
 * directory learns that a change was made: what was refused stays, to be tried again.
 */
export function usePending() {
  const [pending, setPending] = useState<Pending>(NOTHING_PENDING);
  const ids = useMemo(() => [...pending.keys()], [pending]);
  const people = usePeople(ids);
  const open = useMemo(() => settle(pending, people), [pending, people]);
  // What has come about must not return when somebody else takes it back.
  if (open !== pending) setPending(open);
  return { pending: open, people, change: (next: (now: Pending) => Pending) => setPending(next) };
}
