import { ShieldAlert, ShieldCheck, ShieldEllipsis } from 'lucide-react';
import type { Backup } from '../download/list.ts';
import { isBeingMade } from '../download/list.ts';
import { failureWords, stageWords } from '../download/watch.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { STATE_WORDS, VERIFIED_WORDS } from '../model/words.ts';
import './backups.css';

const MARKS = { queued: ShieldEllipsis, running: ShieldEllipsis, passed: ShieldCheck, failed: ShieldAlert };

/** The state in a word. */
export function StateBadge({ backup: { status, failure } }: { backup: Backup }) {
  if (failure?.reason === 'cancelled') return <Badge>Cancelled</Badge>;
  const { label, tone } = STATE_WORDS[status];
  return <Badge tone={tone}>{label}</Badge>;
}

/** Where a backup is: how far while it is made, why where it failed, and whether it was proved. */
export function State({ backup }: { backup: Backup }) {
  const { status, progress, fileName, failure, verified } = backup;
  if (isBeingMade(backup))
    return (
      <span className="backup-state" title={stageWords(backup)}>
        <progress value={progress} max={100} aria-label={`${fileName}: ${stageWords(backup)}`} />
        <span className="num">{status === 'Queued' ? 'Queued' : `${progress} %`}</span>
      </span>
    );
  return (
    <span className="backup-state" title={status === 'Failed' ? failureWords(backup) : undefined}>
      <StateBadge backup={backup} />
      {verified && <Verified verified={verified} />}
      {failure && failure.reason !== 'cancelled' && <span className="backup-why">{failure.message}</span>}
    </span>
  );
}

/** What the last verification found. */
export function Verified({ verified: { state, message } }: { verified: NonNullable<Backup['verified']> }) {
  const { label, tone } = VERIFIED_WORDS[state];
  const Mark = MARKS[state];
  return (
    <span className={`badge tone-${tone} backup-verified`} title={message ?? undefined}>
      <Mark />
      <span>{label}</span>
    </span>
  );
}
