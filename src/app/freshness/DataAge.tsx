import { RefreshCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { getLatency } from '../../api/latency.ts';
import { unreachableSince } from '../../api/reachability.ts';
import { formatTime } from '../../lib/dates/dates.ts';
import { formatNumber } from '../../lib/numbers.ts';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { useStore } from '../../ui/store.ts';
import { AsOf } from '../../ui/table/TableBar.tsx';
import { Tooltip } from '../../ui/tooltip/Tooltip.tsx';
import { describeDataAge, describeLatency } from './data-age.ts';

const TICK_MS = 10_000;

interface DataAgeProps {
  /** Time in milliseconds as of which the data is complete; undefined until it is known. */
  at: number | undefined;
  /** Whether the last refresh failed. */
  failed?: boolean;
}

/**
 * Freshness of a list, with the measured latency of its page in the tooltip: green while the data is fresh, grey with its age when it
 * is stale or cannot be refreshed. Until the time is known it keeps an empty place, so that nothing beside it moves.
 */
export const DataAge = ({ at, failed = false }: DataAgeProps) =>
  at === undefined ? <AsOf tone="unknown">As of {formatTime(0)}</AsOf> : <KnownAge at={at} failed={failed} />;

function KnownAge({ at, failed }: { at: number; failed: boolean }) {
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
  const latency = describeLatency(getLatency());
  return (
    <Tooltip text={latency}>
      {/* Focusable, because content shown on hover must be available to the keyboard (WCAG 1.4.13). */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above */}
      <span tabIndex={0} className="data-age">
        <AsOf tone={isStale ? 'stale' : 'ok'}>{text}</AsOf>
        <span className="visually-hidden">{latency}</span>
      </span>
    </Tooltip>
  );
}

/** Freshness of a list that one query reads. */
export const QueryAge = ({ query }: { query: { dataUpdatedAt: number; error: unknown } }) => (
  <DataAge at={query.dataUpdatedAt > 0 ? query.dataUpdatedAt : undefined} failed={query.error !== null} />
);

interface PagedList {
  /** Rows read so far; undefined before the first page. */
  size: number | undefined;
  /** Whether all pages are read. */
  complete: boolean;
  asOf: number | undefined;
  error: unknown;
  refreshing: boolean;
  refresh: () => void;
}

/** Freshness of a list that is read page by page, or how much of it has been read, and a button that reads it again. */
export const PagedListAge = ({ list }: { list: PagedList }) => (
  <>
    {list.complete || list.size === undefined ? (
      <DataAge at={list.complete ? list.asOf : undefined} failed={list.error !== undefined} />
    ) : (
      <AsOf tone="warn">{formatNumber(list.size)} read</AsOf>
    )}
    <IconButton label="Reload everything" icon={RefreshCw} pending={list.refreshing} onClick={list.refresh} />
  </>
);
