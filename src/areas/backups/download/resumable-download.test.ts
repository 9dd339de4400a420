import { expect, test, vi } from 'vitest';
import { ServiceError } from '../../../api/errors.ts';
import type { FetchOutcome } from './fetcher.ts';
import { createResumableDownload } from './resumable-download.ts';
import type { Download } from './resumable-download.ts';

const HASH = 'a'.repeat(64);
const WHOLE: FetchOutcome = { outcome: 'complete', sha256: HASH, received: 100 };
const CUT: FetchOutcome = { outcome: 'interrupted', reason: 'The connection broke' };

/** Creates a download whose attempts end with the given outcomes. */
function setUp(tries: FetchOutcome[], { sha256 = HASH, links = [] as (Error | undefined)[] } = {}) {
  const states: Download[] = [];
  const urls: string[] = [];
  const waits: number[] = [];
  let linkCount = 0;
  const complete = vi.fn<() => Promise<void>>(async () => undefined);
  const discard = vi.fn<() => Promise<void>>(async () => undefined);
  const download = createResumableDownload(
    { fileName: 'a.zip', size: 100, sha256 },
    {
      async createLink() {
        const error = links.shift();
        if (error) throw error;
        linkCount += 1;
        return { url: `/link/${linkCount}`, expiresDate: '2026-03-01T08:05:00Z', ipAddress: '203.0.113.7' };
      },
      async fetchRest(url) {
        urls.push(url);
        return tries.shift() ?? { outcome: 'paused' };
      },
      stop: async () => undefined,
      complete,
      discard,
      wait: async (ms) => void waits.push(ms),
      onChange: (state) => void states.push(state),
      now: () => 0,
    },
  );
  return { download, urls, waits, close: complete, discard, last: () => states.at(-1), states };
}

test('completes a file that matches the list', async () => {
  const { download, last, close: complete, states } = setUp([WHOLE]);
  await download.start();
  expect(states.map(({ phase }) => phase)).toEqual(['requestingLink', 'running', 'done']);
  expect(last()).toMatchObject({ matchesList: true, sha256: HASH, address: '203.0.113.7' });
  expect(complete).toHaveBeenCalledOnce();
});

test('discards a file that does not match the list', async () => {
  const { download, last, close: complete, discard } = setUp([WHOLE], { sha256: 'b'.repeat(64) });
  await download.start();
  expect(last()).toMatchObject({ phase: 'failed', matchesList: false });
  expect(complete).not.toHaveBeenCalled();
  expect(discard).toHaveBeenCalledOnce();
});

test('retries an interrupted connection with the same link and an expired link with a new one', async () => {
  const { download, urls, waits, last } = setUp([CUT, CUT, { outcome: 'linkExpired' }, WHOLE]);
  await download.start();
  expect(urls).toEqual(['/link/1', '/link/1', '/link/1', '/link/2']);
  expect(waits).toEqual([1000, 2000, 4000]);
  expect(last()).toMatchObject({ phase: 'done' });
});

test('pauses after the last retry and can be resumed', async () => {
  const { download, waits, last } = setUp([...Array.from({ length: 7 }, () => CUT), WHOLE]);
  await download.start();
  expect(waits).toHaveLength(6);
  expect(last()).toMatchObject({
    phase: 'paused',
    problem: 'The connection broke. Gave up after 6 retries.',
  });
  await download.start();
  expect(last()).toMatchObject({ phase: 'done' });
});

test('explains a changed IP address and creates a new link on resume', async () => {
  const { download, urls, last } = setUp([
    { outcome: 'wrongAddress', reason: 'Bound to 203.0.113.7.' },
    WHOLE,
  ]);
  await download.start();
  expect(last()?.phase).toBe('paused');
  expect(last()?.problem).toMatch(/created for 203\.0\.113\.7.*contact your network administrator.*Bound to/);
  await download.start();
  expect(urls).toEqual(['/link/1', '/link/2']);
});

test('pauses if a link is refused and retries if the service is unavailable', async () => {
  const refused = setUp([], { links: [new ServiceError(403, 'Needs Manage Backups')] });
  await refused.download.start();
  expect(refused.last()).toMatchObject({ phase: 'paused', problem: 'Needs Manage Backups' });
  const away = setUp([WHOLE], { links: [new ServiceError(0, 'The service cannot be reached')] });
  await away.download.start();
  expect(away.waits).toEqual([1000]);
  expect(away.last()).toMatchObject({ phase: 'done' });
});

test('fails and discards everything if the file changed or cannot be written', async () => {
  for (const pulled of [{ outcome: 'changed' }, { outcome: 'writeFailed', reason: 'Full' }] as const) {
    const { download, discard, last } = setUp([pulled]);
    // The cases are independent and run one after the other.
    await download.start();
    expect(last()).toMatchObject({ phase: 'failed' });
    expect(last()?.problem).toContain('Nothing was saved');
    expect(discard).toHaveBeenCalledOnce();
  }
});

test('discards everything received', async () => {
  const { download, discard, last } = setUp([{ outcome: 'paused' }]);
  await download.start();
  await download.discard();
  expect(discard).toHaveBeenCalledOnce();
  expect(last()).toMatchObject({ phase: 'discarded' });
});

test('stays paused or discarded if the request for a link fails afterwards', async () => {
  for (const status of [0, 403]) {
    const paused = setUp([], { links: [new ServiceError(status, 'No link')] });
    const pausedRun = paused.download.start();
    // The cases are independent and run one after the other.
    await paused.download.pause();
    await pausedRun;
    expect(paused.last()).toMatchObject({ phase: 'paused', problem: undefined });
    const discarded = setUp([], { links: [new ServiceError(status, 'No link')] });
    const discardedRun = discarded.download.start();
    await discarded.download.discard();
    await discardedRun;
    expect(discarded.last()).toMatchObject({ phase: 'discarded' });
    expect([...paused.waits, ...discarded.waits]).toEqual([]);
  }
});
