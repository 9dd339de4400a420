import { forgetJob, reportJob } from '../../../app/jobs/jobs.ts';
import type { Job, JobAction } from '../../../app/jobs/jobs.ts';
import type { ShownDownload } from './download.ts';
import { secondsLeft } from './meter.ts';
import { durationWords, sizeWords, speedWords } from './units.ts';

const idOf = (fileName: string): string => `download ${fileName}`;

const STATES: Record<ShownDownload['phase'], Job['state']> = {
  asking: 'running',
  running: 'running',
  waiting: 'running',
  paused: 'stopped',
  done: 'done',
  failed: 'failed',
  dropped: 'done',
};

/** "12 MB of 88 MB · 3.1 MB/s · 25 sec left": how far a download is. */
export function progressWords({ phase, received, size, speed, trouble }: ShownDownload): string {
  const far = size === undefined ? sizeWords(received) : `${sizeWords(received)} of ${sizeWords(size)}`;
  if (phase === 'asking') return 'Asking for a link';
  if (phase === 'waiting') return `${far} · ${trouble ?? 'cut off'}, trying again`;
  if (phase === 'paused') return `${far} · ${trouble ?? 'paused'}`;
  if (phase === 'failed') return trouble ?? 'It failed';
  const left = size === undefined ? undefined : secondsLeft(size - received, speed);
  return [
    far,
    ...(speed === undefined ? [] : [speedWords(speed)]),
    ...(left === undefined ? [] : [`${durationWords(left)} left`]),
  ].join(' · ');
}

/** What the SHA-256 of a whole file says about it. */
export const checkWords = ({ isAsListed, sha256 }: Pick<ShownDownload, 'isAsListed' | 'sha256'>): string =>
  isAsListed
    ? 'SHA-256 checked: it is the one of the list.'
    : `The list has no SHA-256 to compare with. Here it is ${sha256 ?? 'unknown'}.`;

/** What can be done with a download, what comes to mind first in front. */
export function actionsOf({ phase, pause, goOn, drop, again, saveAgain }: ShownDownload): JobAction[] {
  if (phase === 'done') return saveAgain ? [{ label: 'Save again', onSelect: saveAgain }] : [];
  if (phase === 'failed') return [{ label: 'Download again', onSelect: again }];
  const way =
    phase === 'paused' ? { label: 'Continue', onSelect: goOn } : { label: 'Pause', onSelect: pause };
  return [way, { label: 'Discard', onSelect: drop }];
}

/** Shows a download in the tray; `forget` removes what the browser keeps of it. */
export function showInTray(download: ShownDownload, forget: () => Promise<void>): void {
  const { fileName, phase, size, received } = download;
  reportJob({
    id: idOf(fileName),
    title: `Download ${fileName}`,
    state: STATES[phase],
    progress: size === undefined || size === 0 ? undefined : received / size,
    result:
      phase === 'done' ? `${sizeWords(received)} saved. ${checkWords(download)}` : progressWords(download),
    actions: actionsOf(download),
    onClear: forget,
  });
}

export const clearFromTray = (fileName: string): void => forgetJob(idOf(fileName));
