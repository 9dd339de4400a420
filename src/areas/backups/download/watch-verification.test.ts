import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { GetBackupsResponse } from '../../../../contract/generated/types.gen.ts';
import { unreachableError } from '../../../api/errors.ts';
import { client } from '../../../api/generated/client.gen.ts';
import { applySessionIdentity, clearSession, replaceSessionIdentity } from '../../../api/session-state.ts';
import { toastStore } from '../../../ui/toast.ts';

const FILE = 'a.zip';
const before = client.getConfig().fetch;
// The query of the list captures the base URL when it is imported.
client.setConfig({ baseUrl: 'http://steward.test/console' });
const { watchVerification } = await import('./watch-verification.ts');
let answers: (GetBackupsResponse | 'unavailable')[] = [];
let requestCount = 0;

beforeEach(() => {
  // setImmediate stays real: responses are read in their own turns of the event loop.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  toastStore.set([]);
  requestCount = 0;
  client.setConfig({
    fetch: async () => {
      requestCount += 1;
      const now = answers.length > 1 ? answers.shift() : answers[0];
      if (now === 'unavailable') throw unreachableError();
      return Response.json({ isSuccess: true, data: now === undefined ? [] : [now] });
    },
  });
});
afterEach(() => {
  clearSession();
  vi.useRealTimers();
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

test('watches a verification while the service is unavailable and shows its result', async () => {
  const verified = (state: 'running' | 'passed', message: string | null = null) => ({
    fileName: FILE,
    status: 'Ready' as const,
    verified: { state, date: '2026-03-01', message },
  });
  answers = [verified('running'), 'unavailable', verified('passed')];
  await waitForEnd(watchVerification(FILE, cache()));
  expect(titles()).toEqual(['The backup is verified']);
});

test('stops watching when acting ends', async () => {
  applySessionIdentity({ userId: 1, siteId: 7, reportId: 3 });
  const verified = { state: 'running', date: '2026-03-01', message: null } as const;
  answers = [{ fileName: FILE, status: 'Ready', verified }];
  const watching = watchVerification(FILE, cache());
  await vi.waitFor(() => expect(requestCount).toBe(1), { timeout: 20_000 });
  replaceSessionIdentity({ userId: 1, siteId: 7 });
  await waitForEnd(watching);
  expect(requestCount).toBe(1);
  expect(titles()).toEqual([]);
});
