import { useEffect, useState } from 'react';
import { unreachableSince } from '../../api/reachability.ts';
import { useStore } from '../../ui/store.ts';
import { AsOf } from '../../ui/table/TableBar.tsx';
import { describeDataAge } from './data-age.ts';

const TICK_MS = 10_000;

interface DataAgeProps {
  /** Time in milliseconds as of which the data is complete. */
  at: number;
  /** Whether the last refresh failed. */
  failed?: boolean;
}

/** Freshness of a list: green while the data is fresh, grey with its age when it is stale or cannot be refreshed. */
export function DataAge({ at, failed = false }: DataAgeProps) {
  const isUnreachable = useStore(unreachableSince) !== undefined;
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const update = () => setNow(Date.now());
    const timer = setInterval(update, TICK_MS);
    document.addEventListener('visibilitychange', update);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', update);
    };
  }, []);
  // Data may be newer than the last tick.
  const { text, isStale } = describeDataAge({
    at,
    now: Math.max(now, at),
    isInterrupted: failed || isUnreachable,
  });
  return <AsOf tone={isStale ? 'stale' : 'ok'}>{text}</AsOf>;
}
