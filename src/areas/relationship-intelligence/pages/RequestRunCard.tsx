import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import type { RequestRun } from '../planner/use-requests.ts';
import { CountsBar } from './CountsBar.tsx';
import { WARNING_TEXTS } from './warnings.ts';

interface RequestRunCardProps {
  run: RequestRun;
  people: ReadonlyMap<number, { name: string }>;
  onClose: () => void;
}

const MAX_NAMES = 5;

/** What the service added or would add, knew already and skipped or would skip. */
export function RequestRunCard({ run, people, onClose }: RequestRunCardProps) {
  const { isDryRun, done, counts, warnings, refusedUsers, waitSeconds, error, isRunning } = run;
  const names = refusedUsers
    .slice(0, MAX_NAMES)
    .map((userId) => people.get(userId)?.name ?? `user ${userId}`);
  return (
    <Card title={getTitle(run)} actions={<Button onClick={onClose}>{isRunning ? 'Stop' : 'Close'}</Button>}>
      <CardBody>
        <output className="ri-note">
          {describeProgress(run)}
          {waitSeconds !== undefined && ` Waiting ${waitSeconds} s for the shared limit.`}
        </output>
        {error && <Banner tone="bad" title={error.message} />}
        {done > 0 && <CountsBar counts={counts} isPlanned={isDryRun} />}
        {warnings.size > 0 && (
          <ul className="ri-warnings">
            {Array.from(warnings, ([code, count]) => (
              <li key={code}>
                <b className="num">{formatNumber(count)}</b> {WARNING_TEXTS[code]}
              </li>
            ))}
          </ul>
        )}
        {refusedUsers.length > 0 && (
          <p className="ri-note">
            Nothing {isDryRun ? 'would be' : 'was'} stored for {names.join(', ')}
            {refusedUsers.length > MAX_NAMES && ` and ${refusedUsers.length - MAX_NAMES} others`}.
          </p>
        )}
      </CardBody>
    </Card>
  );
}

const getTitle = ({ isDryRun, isRunning }: RequestRun): string => {
  if (isDryRun) return 'Tried without storing';
  return isRunning ? 'Import runs in this tab' : 'Imported from this tab';
};

function describeProgress({ isDryRun, isRunning, done, total }: RequestRun): string {
  if (isRunning)
    return `${formatNumber(done)} of ${pluralize(total, 'request', 'requests')} sent.${isDryRun ? '' : ' Keep this tab open.'}`;
  const sent = `${pluralize(done, 'request was', 'requests were')} sent.`;
  return isDryRun ? `${sent} Nothing was stored.` : sent;
}
