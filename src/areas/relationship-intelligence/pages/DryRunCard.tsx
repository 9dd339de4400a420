import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import type { DryRun } from '../planner/use-dry-run.ts';
import { CountsBar } from './CountsBar.tsx';
import { WARNING_TEXTS } from './warnings.ts';

interface DryRunCardProps {
  run: DryRun;
  people: ReadonlyMap<number, { name: string }>;
  onClose: () => void;
}

const MAX_NAMES = 5;

/** Items that an import would add, that are known already, and that it would skip. */
export function DryRunCard({ run, people, onClose }: DryRunCardProps) {
  const { done, counts, warnings, refusedUsers, waitSeconds, error, isRunning } = run;
  const names = refusedUsers
    .slice(0, MAX_NAMES)
    .map((userId) => people.get(userId)?.name ?? `user ${userId}`);
  return (
    <Card
      title="Tried without storing"
      actions={<Button onClick={onClose}>{isRunning ? 'Stop' : 'Close'}</Button>}
    >
      <CardBody>
        <output className="ri-note">
          {describeProgress(run)}
          {waitSeconds !== undefined && ` Waiting ${waitSeconds} s for the shared limit.`}
        </output>
        {error && <Banner tone="bad" title={error.message} />}
        {done > 0 && <CountsBar counts={counts} isPlanned />}
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
            Nothing would be stored for {names.join(', ')}
            {refusedUsers.length > MAX_NAMES && ` and ${refusedUsers.length - MAX_NAMES} others`}.
          </p>
        )}
      </CardBody>
    </Card>
  );
}

const describeProgress = ({ isRunning, done, total }: DryRun): string =>
  isRunning
    ? `${formatNumber(done)} of ${pluralize(total, 'request', 'requests')} sent.`
    : `${pluralize(done, 'request was', 'requests were')} sent. Nothing was stored.`;
