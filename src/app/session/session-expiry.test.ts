import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  clearSession,
  sessionState,
  sessionFetch,
  applySessionIdentity,
  recordSessionUse,
} from '../../api/session-state.ts';
import { getLocalExpiry, watchExpiry, type ExpiryWarning } from './session-expiry.ts';

const MINUTE = 60_000;
const MAX_DURATION_MS = 12 * 60 * MINUTE;
const idleMs = 29 * MINUTE;
const ada = { userId: 1, siteId: 7 };
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const call = () => sessionFetch('https://console.example/console/api/rest/v1/management/user');

test('computes the expiry independently of the clock of the browser', () => {
  const session = { serverTime: '2026-03-01T08:00:00.000Z', expiresDate: '2026-03-01T20:00:00.000Z' };
  expect(getLocalExpiry(session, 5_000)).toBe(5_000 + 720 * MINUTE);
});

describe('watchExpiry', () => {
  let fetch = vi.fn<typeof globalThis.fetch>();
  let warning: ExpiryWarning | undefined;
  let stop: (() => void) | undefined;
  let start = Date.now();
  const follow = (more: { expiresAt?: number; idleMs?: number | undefined } = {}) => {
    stop = watchExpiry({ expiresAt: Date.now() + MAX_DURATION_MS, idleMs, ...more }, (next) => {
      warning = next;
    });
  };

  beforeEach(() => {
    // Later than in all previous tests, because the last use only grows.
    start += MAX_DURATION_MS;
    vi.useFakeTimers({ now: start });
    fetch = vi.fn<typeof globalThis.fetch>(async () => new Response(null, { status: 200 }));
    vi.stubGlobal('fetch', fetch);
    warning = undefined;
    applySessionIdentity(ada);
  });
  afterEach(() => {
    stop?.();
    clearSession();
    sessionState.set('open');
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  test('warns two minutes before the end by inactivity, every ten seconds, without calls', async () => {
    follow();
    await pass(27 * MINUTE - 1);
    expect(warning).toBeUndefined();
    await pass(1);
    expect(warning).toEqual({ cause: 'silence', remainingMs: 2 * MINUTE });
    await pass(10_000);
    expect(warning?.remainingMs).toBe(110_000);
    await pass(109_999);
    expect([warning?.remainingMs, sessionState.get()]).toEqual([10_000, 'open']);
    await pass(1);
    expect([warning, sessionState.get(), vi.getTimerCount()]).toEqual([undefined, 'ended', 0]);
    expect(fetch).not.toHaveBeenCalled();
  });

  test('a successful call postpones the end for the whole time, a failed one does not', async () => {
    follow();
    await pass(28 * MINUTE);
    fetch.mockResolvedValueOnce(new Response(null, { status: 503 }));
    await call();
    expect(warning).toEqual({ cause: 'silence', remainingMs: MINUTE });
    await call();
    expect(warning).toBeUndefined();
    await pass(27 * MINUTE - 1);
    expect(warning).toBeUndefined();
    await pass(1);
    expect(warning?.remainingMs).toBe(2 * MINUTE);
  });

  test('counts a use in another tab and ignores an older one', async () => {
    follow();
    await pass(20 * MINUTE);
    recordSessionUse(Date.now());
    await pass(26 * MINUTE);
    expect(warning).toBeUndefined();
    await pass(2 * MINUTE);
    recordSessionUse(Date.now() - 29 * MINUTE);
    expect(warning?.remainingMs).toBe(MINUTE);
    recordSessionUse(Date.now());
    expect(warning).toBeUndefined();
  });

  test('watches the new session after a sign-in over the page', async () => {
    follow();
    await pass(30 * MINUTE);
    expect(sessionState.get()).toBe('ended');
    applySessionIdentity(ada);
    expect(sessionState.get()).toBe('open');
    await pass(28 * MINUTE);
    expect(warning).toEqual({ cause: 'silence', remainingMs: MINUTE });
  });

  test('warns ten minutes before the maximum duration regardless of use, and stops after it', async () => {
    follow({ expiresAt: Date.now() + 25 * MINUTE });
    await pass(15 * MINUTE);
    expect(warning).toEqual({ cause: 'hours', remainingMs: 10 * MINUTE });
    recordSessionUse(Date.now());
    await pass(4 * MINUTE);
    expect(warning).toEqual({ cause: 'hours', remainingMs: 6 * MINUTE });
    await pass(6 * MINUTE);
    expect([warning, sessionState.get()]).toEqual([undefined, 'ended']);
    applySessionIdentity(ada);
    await pass(1000);
    await call();
    expect([sessionState.get(), vi.getTimerCount()]).toEqual(['open', 0]);
  });

  test('does not warn without an inactivity limit or for an end beyond the range of a timer', async () => {
    follow({ expiresAt: Date.now() + 2 ** 32, idleMs: undefined });
    await pass(60 * MINUTE);
    expect([warning, sessionState.get(), vi.getTimerCount()]).toEqual([undefined, 'open', 1]);
  });

  test('ends the session when a suspended page resumes after the expiry', async () => {
    follow();
    vi.setSystemTime(Date.now() + 60 * MINUTE);
    await vi.runOnlyPendingTimersAsync();
    expect([warning, sessionState.get()]).toEqual([undefined, 'ended']);
  });
});
