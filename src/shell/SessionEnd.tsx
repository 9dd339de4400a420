import { useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { endSession } from '../api/session-gate.ts';
import { sessionQuery } from '../api/session-query.ts';
import { counted } from '../lib/numbers.ts';
import { Button } from '../ui/button/Button.tsx';
import { Banner } from '../ui/feedback/Banner.tsx';
import { endHere, TOLD_MS, untilTold } from './session-end.ts';

/** Counts down to the end that no use of the session puts off; signing in again goes on over the page as it is. */
export function SessionEnd() {
  const { data, dataUpdatedAt } = useSuspenseQuery(sessionQuery);
  const end = endHere(data, dataUpdatedAt);
  const [now, setNow] = useState(Date.now);
  // Time passes outside React.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      timer = setTimeout(look, untilTold(end, Date.now()));
    };
    const look = () => {
      const at = Date.now();
      setNow(at);
      if (at >= end) endSession();
      else wait();
    };
    wait();
    return () => clearTimeout(timer);
  }, [end]);
  const left = end - now;
  if (left <= 0 || left > TOLD_MS) return null;
  return (
    <div className="shell-banner">
      <Banner
        tone="warn"
        title={`Your session ends in ${counted(Math.ceil(left / 60_000), 'minute', 'minutes')}`}
        actions={
          <Button size="small" onClick={endSession}>
            Sign in again…
          </Button>
        }
      >
        Twelve hours are the most. What is on screen stays when you sign in again, now or then.
      </Banner>
    </div>
  );
}
