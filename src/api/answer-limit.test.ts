import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { READ_ONLY_POSTS } from '../../contract/rules/operations.ts';
import { fetchWithLimit, isRead, resendReads, slowCalls } from './answer-limit.ts';
import { NO_ANSWER, UnknownOutcomeError } from './errors.ts';
import { createQueryClient } from './query-client.ts';
import { fetchAndTrackReachability, unreachableSince } from './reachability.ts';

const url = 'https://console.example/console/api/rest/v1/management/user';

const pending = new Set<Request>();

/** A service that never answers; records the methods of the calls. */
const hang = () => {
  const methods: string[] = [];
  vi.stubGlobal(
    'fetch',
    (request: Request) =>
      new Promise((_, reject) => {
        methods.push(request.method);
        // Holds the request: Node aborts its signal only as long as the request itself is referenced.
        request.signal.addEventListener('abort', () => reject(request.signal.reason as Error));
        pending.add(request);
      }),
  );
  return methods;
};
const startedAt = Date.UTC(2026, 2, 1);
const read = () => fetchWithLimit(new Request(url));
const trackedRead = () => fetchAndTrackReachability(new Request(url));
const write = () => fetchWithLimit(new Request(url, { method: 'PUT', body: '{}' }));

beforeEach(() => vi.useFakeTimers({ now: startedAt }));
afterEach(() => {
  pending.clear();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('reports calls after five seconds and abandons them after thirty', async () => {
  hang();
  const calls = Promise.allSettled([read(), write()]);
  await vi.advanceTimersByTimeAsync(4999);
  expect(slowCalls.get()).toEqual({});
  await vi.advanceTimersByTimeAsync(1);
  expect(slowCalls.get()).toEqual({ readsSince: startedAt, writesSince: startedAt });
  await vi.advanceTimersByTimeAsync(25_000);
  const message = 'The service did not answer within 30 seconds';
  expect(await calls).toMatchObject([
    { reason: { status: 0, code: NO_ANSWER, message } },
    { reason: { status: 0, code: NO_ANSWER, message: `${message}. It is unknown whether it took effect` } },
  ]);
  expect(slowCalls.get()).toEqual({});
});

it('sends reads again on request, and never a write', async () => {
  const methods = hang();
  const calls = Promise.allSettled([read(), write()]);
  await vi.advanceTimersByTimeAsync(20_000);
  resendReads();
  await vi.advanceTimersByTimeAsync(0);
  expect(methods).toEqual(['GET', 'PUT', 'GET']);
  // The reads stay reported until they are answered.
  const resentAt = startedAt + 20_000;
  expect(slowCalls.get()).toEqual({ readsSince: resentAt, writesSince: startedAt, isResending: true });
  await vi.advanceTimersByTimeAsync(5000);
  expect(slowCalls.get()).toEqual({ readsSince: resentAt, writesSince: startedAt });
  // The limit starts again with the second attempt.
  await vi.advanceTimersByTimeAsync(10_000);
  expect(slowCalls.get()).toEqual({ readsSince: resentAt });
  await vi.advanceTimersByTimeAsync(15_000);
  await calls;
});

it('calls the outcome of a write unknown whose answer a proxy has lost', async () => {
  const answers = [
    new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } }),
    new Response('', { status: 504 }),
    // Answers of the service, and of a proxy that has none to pass the call on to.
    Response.json({ message: 'The provider does not answer' }, { status: 502 }),
    new Response('<h1>Unavailable</h1>', { status: 503 }),
  ];
  for (const answer of answers) {
    vi.stubGlobal('fetch', () => Promise.resolve(answer));
    expect(await read()).toBe(answer);
  }
  const outcomes = answers.map((answer) => {
    vi.stubGlobal('fetch', () => Promise.resolve(answer));
    return write().then(
      ({ status }) => status,
      ({ message }: Error) => message,
    );
  });
  expect(await Promise.all(outcomes)).toEqual([
    'A proxy answered with status 502. It is unknown whether it took effect',
    'A proxy answered with status 504. It is unknown whether it took effect',
    502,
    503,
  ]);
});

it('calls the outcome of a write unknown whose connection broke, unless the browser was offline', async () => {
  const unreachable = 'The service cannot be reached';
  vi.stubGlobal('navigator', { onLine: true });
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  await expect(read()).rejects.toMatchObject({ status: 0, message: unreachable });
  await expect(write()).rejects.toThrow(
    new UnknownOutcomeError(0, `${unreachable}. It is unknown whether it took effect`),
  );
  vi.stubGlobal('navigator', { onLine: false });
  await expect(write()).rejects.toMatchObject({ status: 0, message: unreachable });
});

it('passes on an abort by the caller', async () => {
  hang();
  const controller = new AbortController();
  const call = fetchWithLimit(new Request(url, { signal: controller.signal }));
  controller.abort();
  await expect(call).rejects.toMatchObject({ name: 'AbortError' });
});

it('does not repeat an abandoned read nor count the service as unreachable', async () => {
  const methods = hang();
  const client = createQueryClient();
  const result = Promise.allSettled([client.fetchQuery({ queryKey: [{ _id: 'x' }], queryFn: trackedRead })]);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(await result).toMatchObject([{ reason: { code: NO_ANSWER } }]);
  expect(methods).toEqual(['GET']);
  expect(unreachableSince.get()).toBeUndefined();
});

it('knows which POST operations of the contract only read', () => {
  const contract = JSON.parse(readFileSync('contract/openapi.json', 'utf8')) as {
    paths: Record<string, Partial<Record<string, { operationId: string }>>>;
  };
  const reads = Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      method !== 'get' && operation && isRead(method.toUpperCase(), `/console${path.replaceAll(/[{}]/g, '')}`)
        ? [operation.operationId]
        : [],
    ),
  );
  expect(new Set(reads)).toEqual(READ_ONLY_POSTS);
});
