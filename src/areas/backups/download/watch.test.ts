import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { client } from '../../../api/generated/client.gen.ts';
import type { GetBackupsResponse } from '../../../api/generated/types.gen.ts';
import { toastStore } from '../../../ui/feedback/toast.ts';

const FILE = 'a.zip';
const before = client.getConfig().fetch;
// The list's query keeps the address that it began with.
client.setConfig({ baseUrl: 'http://steward.test/console' });
const { watchBackup, watchOn, watchVerification } = await import('./watch.ts');
let answers: (GetBackupsResponse | 'away' | 'gone')[] = [];
let asked = 0;

const kept = new Map<string, string>();

beforeEach(() => {
  kept.clear();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
  // Answers are read in turns of their own, which nobody hurries.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  toastStore.set([]);
  asked = 0;
  client.setConfig({
    fetch: async () => {
      asked += 1;
      const now = answers.length > 1 ? answers.shift() : answers[0];
      if (now === 'away') throw new TypeError('No answer');
      return Response.json({ isSuccess: true, data: now === undefined || now === 'gone' ? [] : [now] });
    },
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  client.setConfig({ fetch: before });
});

const cache = () => new QueryClient({ defaultOptions: { queries: { retry: false } } });
const titles = () => toastStore.get().map(({ title }) => title);

async function ended(watching: Promise<void>): Promise<void> {
  const state = { isOver: false };
  const settled = watching.finally(() => {
    state.isOver = true;
  });
  while (!state.isOver) {
    // oxlint-disable-next-line no-await-in-loop
    await vi.advanceTimersByTimeAsync(500);
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((resolve) => setImmediate(resolve));
  }
  await settled;
}

test('a backup is followed over a pause of the service, and told when it is ready', async () => {
  answers = [
    { fileName: FILE, status: 'Queued' },
    'away',
    { fileName: FILE, status: 'Running', progress: 40 },
    { fileName: FILE, status: 'Ready', size: 1200 },
  ];
  await ended(watchBackup(FILE, cache()));
  expect(titles()).toEqual(['The backup is ready']);
  const looks = asked;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(looks);
});

test('one that failed says why; one that was cancelled or is gone says nothing', async () => {
  const failure = { reason: 'disk-full', message: 'The disk is full' } as const;
  answers = [{ fileName: FILE, status: 'Failed', failure }];
  await ended(watchBackup(FILE, cache()));
  expect(toastStore.get()).toMatchObject([{ description: 'The disk is full', tone: 'bad' }]);
  toastStore.set([]);
  answers = [{ fileName: FILE, status: 'Failed', failure: { reason: 'cancelled', message: 'Cancelled' } }];
  await ended(watchBackup(FILE, cache()));
  answers = ['gone'];
  await ended(watchBackup(FILE, cache()));
  expect(titles()).toEqual([]);
});

test('after a reload one that was followed is followed again, until its end has been told', async () => {
  const { keepWatched, watchedNames } = await import('./watched.ts');
  keepWatched(FILE);
  answers = [
    { fileName: FILE, status: 'Running' },
    { fileName: FILE, status: 'Ready' },
  ];
  watchOn(cache());
  await vi.waitFor(async () => {
    await vi.advanceTimersByTimeAsync(2000);
    expect(titles()).toEqual(['The backup is ready']);
  });
  expect(watchedNames()).toEqual([]);
});

test('a verification is followed to what came of it', async () => {
  const verified = (state: 'running' | 'passed', message: string | null = null) => ({
    fileName: FILE,
    status: 'Ready' as const,
    verified: { state, date: '2026-03-01', message },
  });
  answers = [verified('running'), verified('passed')];
  await ended(watchVerification(FILE, cache()));
  expect(titles()).toEqual(['The backup is verified']);
});
