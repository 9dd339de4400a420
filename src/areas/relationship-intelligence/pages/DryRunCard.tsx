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

/** What the service would add, knows already and would skip. */
export function DryRunCard({ run, people, onClose }: DryRunCardProps) {
  const { done, total, counts, warnings, refusedUsers, waitSeconds, error, isRunning } = run;
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
          {isRunning
            ? `${formatNumber(done)} of ${pluralize(total, 'request', 'requests')} tried.`
            : `${pluralize(done, 'request was', 'requests were')} tried. Nothing was stored.`}
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
