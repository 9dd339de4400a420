import { expect, test } from 'vitest';
import { getDownloadActions, formatHashCheck, formatProgress } from './download-job.ts';
import type { DownloadItem } from './resumable-download.ts';

const nothing = () => undefined;
const download = (more: Partial<DownloadItem>): DownloadItem => ({
  fileName: 'a.zip',
  phase: 'running',
  received: 12_000_000,
  size: 88_000_000,
  pause: nothing,
  resume: nothing,
  discard: nothing,
  restart: nothing,
  saveAgain: undefined,
  ...more,
});
const labels = (more: Partial<DownloadItem>) => getDownloadActions(download(more)).map(({ label }) => label);

test('formats the progress of a download', () => {
  expect(formatProgress(download({}))).toBe('12 MB of 88 MB');
  expect(formatProgress(download({ speed: 3_100_000 }))).toBe('12 MB of 88 MB · 3.1 MB/s · 25 sec left');
  expect(formatProgress(download({ size: undefined, speed: 0 }))).toBe('12 MB · 0 bytes/s');
  expect(formatProgress(download({ phase: 'waiting', problem: 'Away' }))).toBe(
    '12 MB of 88 MB · Away, retrying',
  );
  expect(formatProgress(download({ phase: 'paused' }))).toBe('12 MB of 88 MB · paused');
});

test('offers the actions of the phase', () => {
  expect(labels({})).toEqual(['Pause', 'Discard']);
  expect(labels({ phase: 'paused' })).toEqual(['Continue', 'Discard']);
  expect(labels({ phase: 'failed' })).toEqual(['Download again']);
  expect(labels({ phase: 'done' })).toEqual([]);
  expect(labels({ phase: 'done', saveAgain: nothing })).toEqual(['Save again']);
});

test('reports a hash as checked only if the list has one', () => {
  expect(formatHashCheck({ matchesList: true, sha256: 'ab' })).toContain('verified');
  expect(formatHashCheck({ matchesList: undefined, sha256: 'ab' })).toContain(
    'could not be verified: the service has none. SHA-256 of the file: ab',
  );
});
