import { describe, expect, test } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { type ArchiveEntry, createZipArchive } from './zip-archive.ts';

const signal = new AbortController().signal;

/** An archive in memory. */
function openArchive(zip64From?: number, before: readonly Buffer[] = []) {
  const chunks = [...before];
  const archive = createZipArchive({
    write: async (bytes) => void chunks.push(Buffer.from(bytes)),
    at: new Date(2026, 2, 1, 8, 30, 10),
    signal,
    ...(zip64From !== undefined && { zip64From }),
  });
  return { archive, getBytes: () => Buffer.concat(chunks) };
}

async function* split(text: string): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += 1_000) yield Buffer.from(text.slice(at, at + 1_000));
}

/** Reads all members as another program would, which checks sizes and checksums. */
async function readAll(bytes: Buffer): Promise<Record<string, string>> {
  const zip = await fromBufferPromise(bytes);
  const members: Record<string, string> = {};
  for await (const entry of zip.eachEntry()) {
    const chunks = await Array.fromAsync(await zip.openReadStreamPromise(entry));
    members[entry.fileName] = Buffer.concat(chunks as Buffer[]).toString();
  }
  return members;
}

const LONG = 'a line of a sheet\n'.repeat(5_000);
const MEMBERS: Readonly<Record<string, string>> = { 'a.csv': LONG, 'files/ünïcødé': 'bytes', empty: '' };

describe.each([
  ['32-bit fields', undefined],
  ['64-bit fields', 1],
])('%s', (_name, zip64From) => {
  test('are read by other programs', async () => {
    const { archive, getBytes } = openArchive(zip64From);
    for (const [name, text] of Object.entries(MEMBERS))
      await archive.add(name, split(text), { compress: name === 'a.csv' });
    await archive.end();
    expect(await readAll(getBytes())).toEqual(MEMBERS);
    expect(getBytes().length).toBeLessThan(LONG.length / 10);
  });
});

test('an archive is continued after its last finished member', async () => {
  const first = openArchive();
  const entries: ArchiveEntry[] = [];
  entries.push((await first.archive.add('a.csv', split(LONG))).entry);
  entries.push((await first.archive.add('b', split('kept'), { compress: false })).entry);
  const finishedBytes = first.getBytes();
  expect(entries.at(-1)?.end).toBe(finishedBytes.length);
  const second = openArchive(undefined, [finishedBytes]);
  second.archive.restore(entries);
  await second.archive.add('c', split('added'));
  await second.archive.end();
  expect(await readAll(second.getBytes())).toEqual({ 'a.csv': LONG, b: 'kept', c: 'added' });
});
