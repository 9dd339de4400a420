import { ShieldAlert, ShieldCheck, ShieldEllipsis } from 'lucide-react';
import { formatPercent } from '../../../lib/percentages.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Backup } from '../model/backups.ts';
import { isInProgress } from '../model/backups.ts';
import { STATE_BADGES, VERIFICATION_BADGES, formatFailure, formatStage } from '../model/format.ts';
import '../panels/backups.css';

const VERIFICATION_ICONS = {
  queued: ShieldEllipsis,
  running: ShieldEllipsis,
  passed: ShieldCheck,
  failed: ShieldAlert,
};

/** Badge of the state. */
export function StateBadge({ backup: { status, failure } }: { backup: Backup }) {
  if (failure?.reason === 'cancelled') return <Badge>Cancelled</Badge>;
  const { label, tone } = STATE_BADGES[status];
  return <Badge tone={tone}>{label}</Badge>;
}

/** State of a backup: progress, reason of a failure, or verification. */
export function BackupState({ backup }: { backup: Backup }) {
  const { status, progress, fileName, failure, verified } = backup;
  if (isInProgress(backup))
    return (
      <span className="backup-state" title={formatStage(backup)}>
        <progress value={progress} max={100} aria-label={`${fileName}: ${formatStage(backup)}`} />
        <span className="num">{status === 'Queued' ? 'Queued' : formatPercent(progress / 100)}</span>
      </span>
    );
  return (
    <span className="backup-state" title={status === 'Failed' ? formatFailure(backup) : undefined}>
      <StateBadge backup={backup} />
      {verified && <VerificationBadge verified={verified} />}
      {failure && failure.reason !== 'cancelled' && <span className="backup-why">{failure.message}</span>}
    </span>
  );
}

/** Badge of the last verification. */
export function VerificationBadge({
  verified: { state, message },
}: {
  verified: NonNullable<Backup['verified']>;
}) {
  const { label, tone } = VERIFICATION_BADGES[state];
  const Icon = VERIFICATION_ICONS[state];
  return (
    <span className={`badge tone-${tone} backup-verified`} title={message ?? undefined}>
      <Icon />
      <span>{label}</span>
    </span>
  );
}
