import type { Backup } from '../download/list.ts';
import { counted } from '../../../lib/numbers.ts';
import type { Tone } from '../../../ui/layout/tone.ts';

export const STATE_WORDS: Record<Backup['status'], { label: string; tone: Tone }> = {
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
export const KIND_WORDS = { asked: 'Asked for', scheduled: 'Scheduled' } as const;

type Verification = NonNullable<Backup['verified']>;

export const VERIFIED_WORDS: Record<Verification['state'], { label: string; tone: Tone }> = {
  queued: { label: 'Waiting', tone: 'info' },
  running: { label: 'Being verified', tone: 'info' },
  passed: { label: 'Verified', tone: 'ok' },
  failed: { label: 'Not proved', tone: 'bad' },
};

/** Who or what asked for it. */
export const askedWords = ({ isScheduled, requestedByEmail }: Backup): string =>
  isScheduled ? 'Scheduled' : (requestedByEmail ?? 'Unknown');

const NAMED = 2;

/** What it holds, in short: "Whole site", "Company, Contact", "12 types + files". */
export function contentsWords({ isWholeSite, entryTypes = [], includesFiles }: Backup): string {
  const files = includesFiles ? ' + files' : '';
  if (isWholeSite || entryTypes.length === 0) return `Whole site${files}`;
  const types =
    entryTypes.length <= NAMED ? entryTypes.join(', ') : counted(entryTypes.length, 'type', 'types');
  return types + files;
}

/** Why something that needs the file cannot be done with it; undefined: it can. */
export const noFileWords = ({ status }: Backup): string | undefined =>
  status === 'Ready'
    ? undefined
    : status === 'Failed'
      ? 'There is no file: it failed'
      : 'It is not ready yet';

/** As much of a SHA-256 as tells it from others. */
export const shortHash = (sha256: string): string => sha256.slice(0, 10);
