import { expect, it } from 'vitest';
import { describeDataAge, describeLatency, STALE_AGE_MS } from './data-age.ts';

const at = new Date(2026, 4, 12, 9, 0, 0).getTime();

it('shows the age of data only once it is stale or cannot be refreshed', () => {
  const fresh = describeDataAge({ at, now: at + STALE_AGE_MS - 1, isInterrupted: false });
  expect(fresh.isStale).toBe(false);
  expect(fresh.text).toMatch(/^As of \S*9:00:00/);
  expect(fresh.text).not.toContain('old');

  const stale = describeDataAge({ at, now: at + 7 * 60_000, isInterrupted: false });
  expect(stale.isStale).toBe(true);
  expect(stale.text).toMatch(/ · 7 min old$/);
  const interrupted = describeDataAge({ at, now: at + 4000, isInterrupted: true });
  expect(interrupted.isStale).toBe(true);
  expect(interrupted.text).toMatch(/ · 4 sec old$/);
});

it('names the day of data of another day, and no negative age', () => {
  const old = describeDataAge({ at, now: at + 26 * 3_600_000, isInterrupted: false });
  expect(old.text).toMatch(/^As of .*2026.* · 26 hr old$/);
  expect(describeDataAge({ at, now: at - 5000, isInterrupted: false }).isStale).toBe(false);
});

it('says how fast a page was answered, once it was', () => {
  expect(describeLatency(undefined)).toBeUndefined();
  expect(describeLatency({ p95: 1234.5, reads: 1 })).toMatch(
    /^Latency p95 1.?235 ms, .* in 1 read of this page$/,
  );
});
