import { beforeEach, expect, test, vi } from 'vitest';
import type { FileValueVm } from '../../../../contract/generated/types.gen.ts';
import { getEntryFile } from '../../../api/generated/sdk/entries.gen.ts';
import { createEntryFileSource } from './pdf-source.ts';

vi.mock(import('../../../api/generated/sdk/entries.gen.ts'), () => ({
  getEntryFile: vi.fn<typeof getEntryFile>() as never,
}));

const file: FileValueVm = {
  id: 7,
  name: 'plan.pdf',
  contentType: 'application/pdf',
  size: 100,
  seqNumber: 0,
  url: '/file',
};
const { signal } = new AbortController();
const hash = Buffer.alloc(32, 0xab);
const etag = `"${hash.toString('base64url')}"`;

/** Answers the next request like the service does. */
const answer = (status: number, headers: Record<string, string>) =>
  vi.mocked(getEntryFile).mockResolvedValueOnce({
    data: new ArrayBuffer(10),
    response: new Response(null, { status, headers }),
  } as never);
const answerPart = (tag: string) =>
  answer(206, {
    etag: tag,
    'content-range': 'bytes 0-9/100',
    'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
  });

beforeEach(() => vi.mocked(getEntryFile).mockReset());

test('parts of one version are read, and the first one names it', async () => {
  const source = createEntryFileSource(1, 2, file);
  answerPart(etag);
  expect(await source.read(0, 10, signal)).toHaveLength(10);
  expect(await source.version).toEqual({
    sha256: hash.toString('hex'),
    unchangedSince: new Date('2026-01-01T00:00:00Z'),
  });
  answerPart(etag);
  await source.read(10, 20, signal);
  expect(vi.mocked(getEntryFile).mock.calls.map(([{ headers }]) => headers)).toEqual([
    { Range: 'bytes=0-9' },
    { Range: 'bytes=10-19', 'If-Range': etag },
  ]);
});

test.each([
  ['another version, which is sent completely', 200, { etag: '"other"' }],
  ['a part of another version', 206, { etag: '"other"', 'content-range': 'bytes 0-9/100' }],
  ['a file of another size', 206, { etag, 'content-range': 'bytes 0-9/101' }],
])('a file that was exchanged while it was open is refused: %s', async (_name, status, headers) => {
  const source = createEntryFileSource(1, 2, file);
  answerPart(etag);
  await source.read(0, 10, signal);
  answer(status, headers);
  await expect(source.read(10, 20, signal)).rejects.toThrow('The file was replaced or moved');
});
