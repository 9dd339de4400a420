import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check, CircleMinus, CircleX } from 'lucide-react';
import type { ImportPrecondition, ImportSettings } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { updateRelationshipSettingsMutation } from '../../../api/generated/queries/relationship-intelligence.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { formatTimeZone } from '../../../lib/dates/time-zones.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { toast } from '../../../ui/toast.ts';
import type { ItemKind } from '../formats/items.ts';
import { formatTimeToClose, getMonthClose } from '../planner/month-close.ts';
import { findBlocking, PRECONDITIONS } from './preconditions.ts';
import type { Remedy } from './preconditions.ts';
import { budgetQuery, importSettingsQuery } from './queries.ts';
import { useNow } from './use-now.ts';

/** The preconditions of spec 5.5: what is missing first, with who may fix it. */
export function PreconditionsCard({
  settings,
  kinds,
}: {
  settings: ImportSettings;
  kinds: readonly ItemKind[];
}) {
  const { preconditions } = settings;
  const blocking = findBlocking(preconditions, kinds);
  const others = preconditions.filter((one) => !one.isMet && !blocking.includes(one));
  const met = preconditions.filter(({ isMet }) => isMet);
  return (
    <section className="card" aria-label="Before you start">
      <header className="card-head">
        <h2>Before you start</h2>
        {blocking.length > 0 ? (
          <Badge tone="bad">{blocking.length} to fix</Badge>
        ) : (
          <Badge tone="ok">Ready</Badge>
        )}
      </header>
      <ul className="ri-checks">
        {[...blocking, ...others].map((one) => (
          <UnmetPrecondition key={one.id} precondition={one} isBlocking={blocking.includes(one)} />
        ))}
        {met.map(({ id, description }) => (
          <li key={id} className="ri-check ri-check-met">
            <Check aria-label="Met" />
            <span>{description}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface UnmetProps {
  precondition: ImportPrecondition;
  isBlocking: boolean;
}

function UnmetPrecondition({ precondition: { id }, isBlocking }: UnmetProps) {
  const { unmet, remedy } = PRECONDITIONS[id];
  const { allowed } = usePermission('updateRelationshipSettings');
  const mayFix = 'change' in remedy || remedy.page !== 'groups' ? allowed : true;
  const Icon = isBlocking ? CircleX : CircleMinus;
  return (
    <li className="ri-check">
      <Icon
        className={isBlocking ? 'ri-check-bad' : 'ri-check-off'}
        aria-label={isBlocking ? 'Missing' : 'Off'}
      />
      <span className="ri-check-text">
        <b>{unmet}</b>
        <small>
          {!isBlocking && 'Not needed for this import. '}
          {'page' in remedy && remedy.page === 'groups'
            ? 'One of your groups must grant it'
            : mayFix
              ? 'You can change this setting'
              : 'Someone with the capability Manage Settings can change it'}
        </small>
      </span>
      {mayFix && <RemedyButton remedy={remedy} isPrimary={isBlocking} />}
    </li>
  );
}

function RemedyButton({ remedy, isPrimary }: { remedy: Remedy; isPrimary: boolean }) {
  const update = useWrite('updateRelationshipSettings', updateRelationshipSettingsMutation());
  if ('page' in remedy)
    return remedy.page === 'groups' ? (
      <Link to="/groups" className={buttonClass({ size: 'small' })}>
        {remedy.action}
      </Link>
    ) : (
      <Link to="/imports/settings" hash={remedy.page} className={buttonClass({ size: 'small' })}>
        {remedy.action}
      </Link>
    );
  return (
    <Button
      size="small"
      variant={isPrimary ? 'primary' : 'default'}
      pending={update.isPending}
      onClick={() =>
        update.mutate(
          { body: remedy.change },
          { onError: ({ message }) => toast({ tone: 'bad', title: message }) },
        )
      }
    >
      {remedy.action}
    </Button>
  );
}

/** When the month closes (spec 8, rule 3). */
export function MonthCloseCard({ timeZone }: { timeZone: string }) {
  const now = useNow();
  const { month, closesAt, windowStart, share, isNear } = getMonthClose(now, timeZone);
  const format = (options: Intl.DateTimeFormatOptions, at: number) =>
    new Intl.DateTimeFormat(undefined, { timeZone, ...options }).format(at);
  const name = format({ month: 'long' }, month);
  return (
    <Card
      title={`${name} closes`}
      actions={<b className={isNear ? 'num ri-near' : 'num'}>{formatTimeToClose(now, closesAt)} left</b>}
    >
      <CardBody>
        <div className="ri-close" aria-hidden>
          <span style={{ inlineSize: `${share * 100}%` }} />
        </div>
        <div className="ri-close-scale" aria-hidden>
          <span>{format({ day: 'numeric', month: 'short' }, windowStart)}</span>
          <span>{format({ day: 'numeric', month: 'short' }, closesAt)}</span>
        </div>
        <p className="ri-note">
          {format(
            { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
            closesAt,
          )}
          , {formatTimeZone(timeZone, closesAt)}. Later items of {name} are accepted and marked late.
        </p>
      </CardBody>
    </Card>
  );
}

/** The five requests a minute that programs and people of the site share (spec 8). */
function BudgetCard() {
  const { data, error } = useQuery(budgetQuery);
  if (error) return <FailureBanner failure={toServiceError(error)} />;
  if (!data) return null;
  const { limit, used, resetSeconds, isImporting, holderName } = data;
  return (
    <Card title="Shared limit" actions={<span className="ri-note">last minute</span>}>
      <CardBody>
        <div className="ri-budget" aria-hidden>
          {Array.from({ length: limit }, (_, at) => (
            <i key={at} data-used={at < used || undefined} />
          ))}
        </div>
        <p className="ri-note">
          <b>
            {used} of {limit}
          </b>{' '}
          requests used.{' '}
          {isImporting && `An import${holderName === null ? '' : ` of ${holderName}`} runs now. `}
          {used > 0 && resetSeconds > 0 && `The oldest stops counting in ${resetSeconds} s. `}
          Programs and people share the limit.
        </p>
      </CardBody>
    </Card>
  );
}

/** Cards beside the planner and the status. */
export function SideCards({ kinds }: { kinds: readonly ItemKind[] }) {
  const { data: settings, error } = useQuery(importSettingsQuery);
  return (
    <aside className="ri-side" aria-label="State of imports">
      {error && <FailureBanner failure={toServiceError(error)} />}
      {settings && <PreconditionsCard settings={settings} kinds={kinds} />}
      {settings && <MonthCloseCard timeZone={settings.timeZone} />}
      <BudgetCard />
    </aside>
  );
}
