import type { Backup } from '../../../backups/list.ts';
import { isBeingMade } from '../../../backups/list.ts';
import { failureWords, stageWords } from '../../../backups/watch.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { STATE_WORDS, VERIFIED_WORDS } from './-words.ts';
import './-backups.css';

/** Where a backup is: how far while it is made, why where it failed. */
export function State({ backup }: { backup: Backup }) {
  const { status, progress, fileName } = backup;
  const { label, tone } = STATE_WORDS[status];
  if (status === 'Failed')
    return (
      <span className="backup-state" title={failureWords(backup)}>
        <Badge tone={tone}>{backup.failure?.reason === 'cancelled' ? 'Cancelled' : label}</Badge>
        {backup.failure && backup.failure.reason !== 'cancelled' && (
          <span className="backup-why">{backup.failure.message}</span>
        )}
      </span>
    );
  if (!isBeingMade(backup)) return <Badge tone={tone}>{label}</Badge>;
  return (
    <span className="backup-state" title={stageWords(backup)}>
      <progress value={progress} max={100} aria-label={`${fileName}: ${stageWords(backup)}`} />
      <span className="num">{status === 'Queued' ? label : `${progress} %`}</span>
    </span>
  );
}

/** What the last verification found; nothing where there was none. */
export function Verified({ backup: { verified } }: { backup: Backup }) {
  if (!verified) return <span className="person-none">—</span>;
  const { label, tone } = VERIFIED_WORDS[verified.state];
  return (
    <span title={verified.message ?? undefined}>
      <Badge tone={tone}>{label}</Badge>
    </span>
  );
}
