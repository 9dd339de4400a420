import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { dropSession, gate, gatedFetch, sessionArrived, usedAt } from '../../api/session-gate.ts';
import { endHere, followEnds, type Near } from './session-end.ts';

const MINUTE = 60_000;
const HOURS = 12 * 60 * MINUTE;
const idleMs = 29 * MINUTE;
const ada = { userId: 1, siteId: 7 };
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const call = () => gatedFetch('https://console.example/console/api/rest/v1/management/user');

test('ends as long after it was read as the service says, whatever the clock of the browser shows', () => {
  const session = { serverTime: '2026-03-01T08:00:00.000Z', expiresDate: '2026-03-01T20:00:00.000Z' };
  expect(endHere(session, 5_000)).toBe(5_000 + 720 * MINUTE);
});

describe('an end is told while it is near', () => {
  let fetch = vi.fn<typeof globalThis.fetch>();
  let near: Near | undefined;
  let stop: (() => void) | undefined;
  let start = Date.now();
  const follow = (more: { hours?: number; idleMs?: number | undefined } = {}) => {
    stop = followEnds({ hours: Date.now() + HOURS, idleMs, ...more }, (next) => {
      near = next;
    });
  };

  beforeEach(() => {
    // After every test before it: the last use only grows.
    start += HOURS;
    vi.useFakeTimers({ now: start });
    fetch = vi.fn<typeof globalThis.fetch>(async () => new Response(null, { status: 200 }));
    vi.stubGlobal('fetch', fetch);
    near = undefined;
    sessionArrived(ada);
  });
  afterEach(() => {
    stop?.();
    dropSession();
    gate.set('open');
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  test('silence: two minutes before, every ten seconds anew, and then it is over; the service is asked nothing', async () => {
    follow();
    await pass(27 * MINUTE - 1);
    expect(near).toBeUndefined();
    await pass(1);
    expect(near).toEqual({ cause: 'silence', leftMs: 2 * MINUTE });
    await pass(10_000);
    expect(near?.leftMs).toBe(110_000);
    await pass(109_999);
    expect([near?.leftMs, gate.get()]).toEqual([10_000, 'open']);
    await pass(1);
    expect([near, gate.get(), vi.getTimerCount()]).toEqual([undefined, 'ended', 0]);
    expect(fetch).not.toHaveBeenCalled();
  });

  test('a call puts it off at once, for the whole time; one that is refused does not', async () => {
    follow();
    await pass(28 * MINUTE);
    fetch.mockResolvedValueOnce(new Response(null, { status: 503 }));
    await call();
    expect(near).toEqual({ cause: 'silence', leftMs: MINUTE });
    await call();
    expect(near).toBeUndefined();
    await pass(27 * MINUTE - 1);
    expect(near).toBeUndefined();
    await pass(1);
    expect(near?.leftMs).toBe(2 * MINUTE);
  });

  test('a use in another tab counts as one here, and an old one that is told late changes nothing', async () => {
    follow();
    await pass(20 * MINUTE);
    usedAt(Date.now());
    await pass(26 * MINUTE);
    expect(near).toBeUndefined();
    await pass(2 * MINUTE);
    usedAt(Date.now() - 29 * MINUTE);
    expect(near?.leftMs).toBe(MINUTE);
    usedAt(Date.now());
    expect(near).toBeUndefined();
  });

  test('after silence the session that begins over the page is followed again', async () => {
    follow();
    await pass(30 * MINUTE);
    expect(gate.get()).toBe('ended');
    sessionArrived(ada);
    expect(gate.get()).toBe('open');
    await pass(28 * MINUTE);
    expect(near).toEqual({ cause: 'silence', leftMs: MINUTE });
  });

  test('the hours: ten minutes before, whatever is used, and never again once they are over', async () => {
    follow({ hours: Date.now() + 25 * MINUTE });
    await pass(15 * MINUTE);
    expect(near).toEqual({ cause: 'hours', leftMs: 10 * MINUTE });
    usedAt(Date.now());
    await pass(4 * MINUTE);
    expect(near).toEqual({ cause: 'hours', leftMs: 6 * MINUTE });
    await pass(6 * MINUTE);
    expect([near, gate.get()]).toEqual([undefined, 'ended']);
    sessionArrived(ada);
    await pass(1000);
    await call();
    expect([gate.get(), vi.getTimerCount()]).toEqual(['open', 0]);
  });

  test('nothing of silence where the service says nothing of it, and of an end too far away for a timer', async () => {
    follow({ hours: Date.now() + 2 ** 32, idleMs: undefined });
    await pass(60 * MINUTE);
    expect([near, gate.get(), vi.getTimerCount()]).toEqual([undefined, 'open', 1]);
  });

  test('a page that slept through it is over when it wakes', async () => {
    follow();
    vi.setSystemTime(Date.now() + 60 * MINUTE);
    await vi.runOnlyPendingTimersAsync();
    expect([near, gate.get()]).toEqual([undefined, 'ended']);
  });
});
