import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { endSession } from '../api/session-gate.ts';
import { sessionQuery } from '../api/session-query.ts';
import { counted } from '../lib/numbers.ts';
import { Button } from '../ui/button/Button.tsx';
import { Banner } from '../ui/feedback/Banner.tsx';
import { announce } from '../ui/feedback/live.ts';
import { endHere, followEnds } from './session-end.ts';
import type { Near } from './session-end.ts';

const MINUTE = 60_000;

function leftOf(leftMs: number): string {
  const [each, one, many] = leftMs > MINUTE ? [MINUTE, 'minute', 'minutes'] : [1000, 'second', 'seconds'];
  return counted(Math.ceil(leftMs / each), one, many);
}

/** Counts down to the end of the session: to the one that no use puts off, and to the one that silence brings. */
export function SessionEnd() {
  const { data, dataUpdatedAt } = useSuspenseQuery(sessionQuery);
  const hours = endHere(data, dataUpdatedAt);
  const idleMs = data.idleSeconds === undefined ? undefined : data.idleSeconds * 1000;
  const [near, setNear] = useState<Near>();
  // Time passes outside React, and so do uses of the session in other tabs.
  useEffect(() => {
    let cause: Near['cause'] | undefined;
    return followEnds({ hours, idleMs }, (next) => {
      if (next && next.cause !== cause) announce(`Your session ends in ${leftOf(next.leftMs)}`);
      cause = next?.cause;
      setNear(next);
    });
  }, [hours, idleMs]);
  if (!near) return null;
  return (
    <div className="shell-banner">
      <Banner
        tone="warn"
        title={`Your session ends in ${leftOf(near.leftMs)}`}
        actions={near.cause === 'silence' ? <Stay /> : <Again />}
      >
        {near.cause === 'silence'
          ? 'Nothing was asked of the service for a while. What is on screen stays when you sign in again.'
          : 'Twelve hours are the most. What is on screen stays when you sign in again, now or then.'}
      </Banner>
    </div>
  );
}

const Again = () => (
  <Button size="small" onClick={endSession}>
    Sign in again…
  </Button>
);

/** One call is a use, and puts the end off in every tab. */
function Stay() {
  const client = useQueryClient();
  const [pending, setPending] = useState(false);
  const stay = async () => {
    setPending(true);
    await client.refetchQueries(sessionQuery);
    setPending(false);
  };
  return (
    <Button size="small" pending={pending} onClick={() => void stay()}>
      Stay signed in
    </Button>
  );
}
