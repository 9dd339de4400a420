import { pluralize } from '../../../lib/numbers.ts';
import type { Tone } from '../../../ui/layout/Badge.tsx';
import type { Backup } from './backups.ts';

export const STATE_BADGES: Record<Backup['status'], { label: string; tone: Tone }> = {
  Queued: { label: 'Queued', tone: 'info' },
  Running: { label: 'Running', tone: 'info' },
  Ready: { label: 'Ready', tone: 'ok' },
  Failed: { label: 'Failed', tone: 'bad' },
};

export const STATE_LABELS = {
  queued: 'Queued',
  running: 'Running',
  ready: 'Ready',
  failed: 'Failed',
} as const;
export const KIND_LABELS = { asked: 'Requested', scheduled: 'Scheduled' } as const;

type Verification = NonNullable<Backup['verified']>;

export const VERIFICATION_BADGES: Record<Verification['state'], { label: string; tone: Tone }> = {
  queued: { label: 'Waiting', tone: 'info' },
  running: { label: 'Verifying', tone: 'info' },
  passed: { label: 'Verified', tone: 'ok' },
  failed: { label: 'Verification failed', tone: 'bad' },
};

/** Requester of a backup: an e-mail address or the schedule. */
export const formatRequester = ({ isScheduled, requestedByEmail }: Backup): string =>
  isScheduled ? 'Scheduled' : (requestedByEmail ?? 'Unknown');

const MAX_TYPE_NAMES = 2;

/** Short description of the contents: "Whole site", "Company, Contact", "12 types + files". */
export function formatContents({ isWholeSite, entryTypes = [], includesFiles }: Backup): string {
  const files = includesFiles ? ' + files' : '';
  if (isWholeSite || entryTypes.length === 0) return `Whole site${files}`;
  const types =
    entryTypes.length <= MAX_TYPE_NAMES
      ? entryTypes.join(', ')
      : pluralize(entryTypes.length, 'type', 'types');
  return types + files;
}

/** Reason why actions that need the file are disabled; undefined if the file exists. */
export const getNoFileReason = ({ status }: Backup): string | undefined =>
  status === 'Ready'
    ? undefined
    : status === 'Failed'
      ? 'The backup failed and has no file'
      : 'The backup is not ready yet';

/** First characters of a SHA-256, enough to distinguish backups. */
export const formatShortHash = (sha256: string): string => sha256.slice(0, 10);

/** Stage of a backup in progress. */
export const formatStage = ({ status, stage }: Pick<Backup, 'status' | 'stage'>): string =>
  status === 'Queued' ? 'Queued' : (stage ?? 'Writing');

/** Reason why a backup failed. */
export const formatFailure = ({ failure }: Pick<Backup, 'failure'>): string =>
  failure?.reason === 'cancelled' ? 'Cancelled' : (failure?.message ?? 'Unknown reason');
