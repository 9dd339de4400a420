import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { GetBackupsResponse } from '../../../../contract/generated/types.gen.ts';
import { client } from '../../../api/generated/client.gen.ts';
import { applySessionIdentity, clearSession, replaceSessionIdentity } from '../../../api/session-state.ts';
import { toastStore } from '../../../ui/toast.ts';

const FILE = 'a.zip';
const before = client.getConfig().fetch;
// The query of the list captures the base URL when it is imported.
client.setConfig({ baseUrl: 'http://steward.test/console' });
const { watchBackup, resumeWatching, watchVerification } = await import('./watch-backup.ts');
let answers: (GetBackupsResponse | 'unavailable' | 'deleted')[] = [];
let requestCount = 0;

const storage = new Map<string, string>();

beforeEach(() => {
  storage.clear();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => storage.set(key, value),
  });
  // setImmediate stays real: responses are read in their own turns of the event loop.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  toastStore.set([]);
  requestCount = 0;
  client.setConfig({
    fetch: async () => {
      requestCount += 1;
      const now = answers.length > 1 ? answers.shift() : answers[0];
      if (now === 'unavailable') throw new TypeError('No answer');
      return Response.json({ isSuccess: true, data: now === undefined || now === 'deleted' ? [] : [now] });
    },
  });
});
afterEach(() => {
  clearSession();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  client.setConfig({ fetch: before });
});

const cache = () => new QueryClient({ defaultOptions: { queries: { retry: false } } });
const titles = () => toastStore.get().map(({ title }) => title);

async function waitForEnd(watching: Promise<void>): Promise<void> {
  const state = { isOver: false };
  const settled = watching.finally(() => {
    state.isOver = true;
  });
  while (!state.isOver) {
    await vi.advanceTimersByTimeAsync(500);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await settled;
}

test('watches a backup while the service is unavailable and shows a message when it is ready', async () => {
  answers = [
    { fileName: FILE, status: 'Queued' },
    'unavailable',
    { fileName: FILE, status: 'Running', progress: 40 },
    { fileName: FILE, status: 'Ready', size: 1200 },
  ];
  await waitForEnd(watchBackup(FILE, cache()));
  expect(titles()).toEqual(['The backup is ready']);
  const countAtEnd = requestCount;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(requestCount).toBe(countAtEnd);
});

test('shows the reason of a failure and nothing for a cancelled or deleted backup', async () => {
  const failure = { reason: 'disk-full', message: 'The disk is full' } as const;
  answers = [{ fileName: FILE, status: 'Failed', failure }];
  await waitForEnd(watchBackup(FILE, cache()));
  expect(toastStore.get()).toMatchObject([{ description: 'The disk is full', tone: 'bad' }]);
  toastStore.set([]);
  answers = [{ fileName: FILE, status: 'Failed', failure: { reason: 'cancelled', message: 'Cancelled' } }];
  await waitForEnd(watchBackup(FILE, cache()));
  answers = ['deleted'];
  await waitForEnd(watchBackup(FILE, cache()));
  expect(titles()).toEqual([]);
});

test('resumes watching after a reload until the backup has ended', async () => {
  const { addWatchedName, loadWatchedNames } = await import('./watch-backup.ts');
  addWatchedName(FILE);
  answers = [
    { fileName: FILE, status: 'Running' },
    { fileName: FILE, status: 'Ready' },
  ];
  resumeWatching(cache());
  await vi.waitFor(async () => {
    await vi.advanceTimersByTimeAsync(2000);
    expect(titles()).toEqual(['The backup is ready']);
  });
  expect(loadWatchedNames()).toEqual([]);
});

test('watches a verification and shows its result', async () => {
  const verified = (state: 'running' | 'passed', message: string | null = null) => ({
    fileName: FILE,
    status: 'Ready' as const,
    verified: { state, date: '2026-03-01', message },
  });
  answers = [verified('running'), verified('passed')];
  await waitForEnd(watchVerification(FILE, cache()));
  expect(titles()).toEqual(['The backup is verified']);
});

test('stops watching when acting ends', async () => {
  applySessionIdentity({ userId: 1, siteId: 7, reportId: 3 });
  answers = [{ fileName: FILE, status: 'Running', progress: 40 }];
  const watching = watchBackup(FILE, cache());
  await vi.waitFor(() => expect(requestCount).toBe(1));
  replaceSessionIdentity({ userId: 1, siteId: 7 });
  await waitForEnd(watching);
  expect(requestCount).toBe(1);
  expect(titles()).toEqual([]);
});
