import { expect, test, vi } from 'vitest';
import { ServiceError } from '../../../api/errors.ts';
import type { Pulled } from './fetcher.ts';
import { createDownload } from './machine.ts';
import type { Download } from './machine.ts';

const HASH = 'a'.repeat(64);
const WHOLE: Pulled = { end: 'whole', sha256: HASH, received: 100 };
const CUT: Pulled = { end: 'cut', why: 'The connection broke' };

/** A download whose tries end as told, one after the other. */
function downloading(tries: Pulled[], { sha256 = HASH, links = [] as (Error | undefined)[] } = {}) {
  const shown: Download[] = [];
  const urls: string[] = [];
  const waits: number[] = [];
  let made = 0;
  const close = vi.fn<() => Promise<void>>(async () => undefined);
  const abandon = vi.fn<() => Promise<void>>(async () => undefined);
  const download = createDownload(
    { fileName: 'a.zip', size: 100, sha256 },
    {
      async newLink() {
        const fault = links.shift();
        if (fault) throw fault;
        made += 1;
        return { url: `/link/${made}`, expiresDate: '2026-03-01T08:05:00Z', ipAddress: '203.0.113.7' };
      },
      async pull(url) {
        urls.push(url);
        return tries.shift() ?? { end: 'paused' };
      },
      stop: async () => undefined,
      close,
      abandon,
      wait: async (ms) => void waits.push(ms),
      onChange: (now) => void shown.push(now),
      now: () => 0,
    },
  );
  return { download, urls, waits, close, abandon, last: () => shown.at(-1), shown };
}

test('whole and as listed: closed, and said so', async () => {
  const { download, last, close, shown } = downloading([WHOLE]);
  await download.go();
  expect(shown.map(({ phase }) => phase)).toEqual(['asking', 'running', 'done']);
  expect(last()).toMatchObject({ isAsListed: true, sha256: HASH, address: '203.0.113.7' });
  expect(close).toHaveBeenCalledOnce();
});

test('what is not what the list says is not kept', async () => {
  const { download, last, close, abandon } = downloading([WHOLE], { sha256: 'b'.repeat(64) });
  await download.go();
  expect(last()).toMatchObject({ phase: 'failed', isAsListed: false });
  expect(close).not.toHaveBeenCalled();
  expect(abandon).toHaveBeenCalledOnce();
});

test('a cut connection is tried again with the same link, an ended one with a new one', async () => {
  const { download, urls, waits, last } = downloading([CUT, CUT, { end: 'ended' }, WHOLE]);
  await download.go();
  expect(urls).toEqual(['/link/1', '/link/1', '/link/1', '/link/2']);
  expect(waits).toEqual([1000, 2000, 4000]);
  expect(last()).toMatchObject({ phase: 'done' });
});

test('after enough tries it rests, and goes on by hand', async () => {
  const { download, waits, last } = downloading([...Array.from({ length: 7 }, () => CUT), WHOLE]);
  await download.go();
  expect(waits).toHaveLength(6);
  expect(last()).toMatchObject({ phase: 'paused', trouble: 'The connection broke. It was tried 6 times.' });
  await download.go();
  expect(last()).toMatchObject({ phase: 'done' });
});

test('from another address it says what changed and whom to ask; going on makes a new link', async () => {
  const { download, urls, last } = downloading([{ end: 'foreign', why: 'Bound to 203.0.113.7.' }, WHOLE]);
  await download.go();
  expect(last()?.phase).toBe('paused');
  expect(last()?.trouble).toMatch(/made for 203\.0\.113\.7.*ask whoever runs your network.*Bound to/);
  await download.go();
  expect(urls).toEqual(['/link/1', '/link/2']);
});

test('a link that is not to be had is told; one that may be later is waited for', async () => {
  const refused = downloading([], { links: [new ServiceError(403, 'Needs Manage Backups')] });
  await refused.download.go();
  expect(refused.last()).toMatchObject({ phase: 'paused', trouble: 'Needs Manage Backups' });
  const away = downloading([WHOLE], { links: [new ServiceError(0, 'The service cannot be reached')] });
  await away.download.go();
  expect(away.waits).toEqual([1000]);
  expect(away.last()).toMatchObject({ phase: 'done' });
});

test('a changed file and a full disk end it, and nothing stays', async () => {
  for (const pulled of [{ end: 'changed' }, { end: 'unwritable', why: 'Full' }] as const) {
    const { download, abandon, last } = downloading([pulled]);
    // oxlint-disable-next-line no-await-in-loop
    await download.go();
    expect(last()).toMatchObject({ phase: 'failed' });
    expect(last()?.trouble).toContain('Nothing was saved');
    expect(abandon).toHaveBeenCalledOnce();
  }
});

test('dropped, it leaves nothing', async () => {
  const { download, abandon, last } = downloading([{ end: 'paused' }]);
  await download.go();
  await download.drop();
  expect(abandon).toHaveBeenCalledOnce();
  expect(last()).toMatchObject({ phase: 'dropped' });
});
