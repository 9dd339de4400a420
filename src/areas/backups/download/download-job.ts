import { removeJob, upsertJob } from '../../../app/jobs/jobs.ts';
import type { Job, JobAction } from '../../../app/jobs/jobs.ts';
import { formatDuration } from '../../../lib/dates/durations.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { formatSpeed } from '../model/units.ts';
import { formatCheck, hasFailed } from './file-checks.ts';
import type { FileCheck } from './file-checks.ts';
import type { DownloadItem } from './resumable-download.ts';
import { getSecondsLeft } from './transfer-speed.ts';

const getJobId = (fileName: string): string => `download ${fileName}`;

const JOB_STATES: Record<DownloadItem['phase'], Job['state']> = {
  requestingLink: 'running',
  running: 'running',
  waiting: 'running',
  paused: 'stopped',
  done: 'done',
  failed: 'failed',
  discarded: 'done',
};

/** Progress of a download: "12 MB of 88 MB · 3.1 MB/s · 25 sec left". */
export function formatProgress({ phase, received, size, speed, problem }: DownloadItem): string {
  const amount = size === undefined ? formatSize(received) : `${formatSize(received)} of ${formatSize(size)}`;
  if (phase === 'requestingLink') return 'Requesting a link';
  if (phase === 'waiting') return `${amount} · ${problem ?? 'interrupted'}, retrying`;
  if (phase === 'paused') return `${amount} · ${problem ?? 'paused'}`;
  if (phase === 'failed') return problem ?? 'The download failed';
  const left = size === undefined ? undefined : getSecondsLeft(size - received, speed);
  return [
    amount,
    ...(speed === undefined ? [] : [formatSpeed(speed)]),
    ...(left === undefined ? [] : [`${formatDuration(left)} left`]),
  ].join(' · ');
}

/** Result of the comparison of the SHA-256 with the list. */
export const formatHashCheck = ({
  matchesList,
  sha256,
}: Pick<DownloadItem, 'matchesList' | 'sha256'>): string =>
  matchesList
    ? 'Checksum verified (SHA-256).'
    : `The checksum could not be verified: the service has none. SHA-256 of the file: ${sha256 ?? 'unknown'}.`;

/** Actions of a download by its phase, the most likely one first. */
export function getDownloadActions({
  phase,
  pause,
  resume,
  discard,
  restart,
  saveAgain,
}: DownloadItem): JobAction[] {
  if (phase === 'done') return saveAgain ? [{ label: 'Save again', onSelect: saveAgain }] : [];
  if (phase === 'failed') return [{ label: 'Download again', onSelect: restart }];
  const pauseOrResume =
    phase === 'paused' ? { label: 'Continue', onSelect: resume } : { label: 'Pause', onSelect: pause };
  return [pauseOrResume, { label: 'Discard', onSelect: discard }];
}

/** State of a finished download: its members are checked after it was saved. */
function getCheckedState(check: FileCheck | undefined): Job['state'] {
  if (check?.phase === 'running') return 'running';
  return check && hasFailed(check) ? 'failed' : 'done';
}

/**
 * Shows a download in the job center; `deleteStored` deletes the file stored by the browser. `check` is the state of the check of its
 * members, which follows the download.
 */
export function showDownloadJob(
  download: DownloadItem,
  deleteStored: () => Promise<void>,
  check?: FileCheck,
): void {
  const { fileName, phase, size, received } = download;
  upsertJob({
    id: getJobId(fileName),
    title: `Download ${fileName}`,
    state: phase === 'done' ? getCheckedState(check) : JOB_STATES[phase],
    progress: size === undefined || size === 0 ? undefined : received / size,
    result:
      phase === 'done'
        ? [
            `${formatSize(received)} saved.`,
            formatHashCheck(download),
            ...(check ? [formatCheck(check)] : []),
          ].join(' ')
        : formatProgress(download),
    actions: getDownloadActions(download),
    onClear: deleteStored,
  });
}

export const removeDownloadJob = (fileName: string): void => removeJob(getJobId(fileName));
