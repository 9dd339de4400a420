import { expect, test } from 'vitest';
import type { ShownDownload } from './download.ts';
import { actionsOf, checkWords, progressWords } from './tray.ts';

const nothing = () => undefined;
const download = (more: Partial<ShownDownload>): ShownDownload => ({
  fileName: 'a.zip',
  phase: 'running',
  received: 12_000_000,
  size: 88_000_000,
  pause: nothing,
  goOn: nothing,
  drop: nothing,
  again: nothing,
  saveAgain: undefined,
  ...more,
});
const labels = (more: Partial<ShownDownload>) => actionsOf(download(more)).map(({ label }) => label);

test('a download says how far, how fast and how long it is', () => {
  expect(progressWords(download({}))).toBe('12 MB of 88 MB');
  expect(progressWords(download({ speed: 3_100_000 }))).toBe('12 MB of 88 MB · 3.1 MB/s · 25 sec left');
  expect(progressWords(download({ size: undefined, speed: 0 }))).toBe('12 MB · 0 bytes/s');
  expect(progressWords(download({ phase: 'waiting', trouble: 'Away' }))).toBe(
    '12 MB of 88 MB · Away, trying again',
  );
  expect(progressWords(download({ phase: 'paused' }))).toBe('12 MB of 88 MB · paused');
});

test('what can be done follows from where it is', () => {
  expect(labels({})).toEqual(['Pause', 'Discard']);
  expect(labels({ phase: 'paused' })).toEqual(['Continue', 'Discard']);
  expect(labels({ phase: 'failed' })).toEqual(['Download again']);
  expect(labels({ phase: 'done' })).toEqual([]);
  expect(labels({ phase: 'done', saveAgain: nothing })).toEqual(['Save again']);
});

test('a hash is said to be checked only where the list had one', () => {
  expect(checkWords({ isAsListed: true, sha256: 'ab' })).toContain('checked');
  expect(checkWords({ isAsListed: undefined, sha256: 'ab' })).toContain(
    'no SHA-256 to compare with. Here it is ab',
  );
});
