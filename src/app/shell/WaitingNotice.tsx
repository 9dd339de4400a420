import { useEffect, useState } from 'react';
import { resendReads, slowCalls, slowWorkerCalls } from '../../api/answer-limit.ts';
import { pluralize } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { useStore } from '../../ui/store.ts';

/**
 * Says that the service takes long to answer, for every page, list, grid, panel and dialog. Reads can be retried; a write
 * is not sent again, because it may have arrived.
 */
export function WaitingNotice() {
  const { readsSince, writesSince, isResending } = useStore(slowCalls);
  const { readsSince: workerSince, isResending: isWorkerResending } = useStore(slowWorkerCalls);
  const areResent =
    (readsSince === undefined || isResending === true) &&
    (workerSince === undefined || isWorkerResending === true);
  const readSince = Math.min(readsSince ?? Infinity, workerSince ?? Infinity);
  const since = Math.min(readSince, writesSince ?? Infinity);
  if (since === Infinity) return null;
  return (
    <div className="toast">
      <span className="toast-mark">
        <Spinner />
      </span>
      <div className="toast-text">
        <strong className="num">
          Waiting for the service, <Seconds since={since} />
        </strong>
        {writesSince !== undefined && <p>The request was sent and is not repeated.</p>}
      </div>
      {readSince !== Infinity && (
        <Button size="small" pending={areResent} onClick={resendReads}>
          Retry
        </Button>
      )}
    </div>
  );
}

/** Seconds since a time, counting; screen readers hear the message once, without them. */
function Seconds({ since }: { since: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.floor((now - since) / 1000));
  return (
    <span aria-label={pluralize(seconds, 'second', 'seconds')} role="timer">
      {seconds} s
    </span>
  );
}
