import { createHash } from 'node:crypto';
import { BlobWriter, TextReader, ZipWriter } from '@zip.js/zip.js/lib/zip-core-custom.js';
import { expect, test, vi } from 'vitest';
import { checkBackup } from './check-backup.ts';
import { formatCheck } from './file-checks.ts';

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');

const CONTENTS: Readonly<Record<string, string>> = {
  'users.csv': 'id,name\n1,Ada\n',
  'groups.csv': 'id,name\n7,Administrators\n',
  'files/ab.bin': 'x'.repeat(100_000),
};

const buildManifest = (members: Readonly<Record<string, string>>) => ({
  format: 'steward-backup',
  formatVersion: 3,
  serviceVersion: '1.0.0',
  createdDate: '2026-05-12T07:00:00Z',
  site: { slug: 'acme', name: 'Acme' },
  members: Object.entries(members).map(([name, text]) => ({
    name,
    kind: 'sheet',
    title: null,
    rows: 1,
    size: text.length,
    sha256: sha256(text),
  })),
});

/** Packs texts without compression, so that a test finds their bytes in the file. */
async function pack(files: Readonly<Record<string, string>>): Promise<Uint8Array<ArrayBuffer>> {
  const zip = new ZipWriter(new BlobWriter(), { useWebWorkers: false, level: 0 });
  for (const [name, text] of Object.entries(files)) await zip.add(name, new TextReader(text));
  const blob = await zip.close();
  return new Uint8Array(await blob.arrayBuffer());
}

const packBackup = (files = CONTENTS, listed = CONTENTS) =>
  pack({ ...files, 'manifest.json': JSON.stringify(buildManifest(listed)) });

const check = (bytes: Uint8Array<ArrayBuffer>) => checkBackup(new Blob([bytes]), undefined, () => undefined);
const listResults = async (bytes: Uint8Array<ArrayBuffer>) =>
  (await check(bytes)).members.map(({ name, result }) => [name, result]);

test('finds an intact backup intact, with the hash of the file, and reports its progress', async () => {
  const bytes = await packBackup();
  const onProgress = vi.fn<(share: number) => void>();
  const report = await checkBackup(new Blob([bytes]), undefined, onProgress);
  expect(report.sha256).toBe(sha256(bytes));
  expect(report.manifest.site.name).toBe('Acme');
  expect(report.members.map(({ result }) => result)).toEqual(['matches', 'matches', 'matches']);
  expect(formatCheck({ phase: 'done', report })).toBe('All 3 members match the manifest.');
  const shares = onProgress.mock.calls.map(([share]) => share);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(shares.at(-1)).toBeLessThanOrEqual(1);
  expect((await checkBackup(new Blob([bytes]), 'known', () => undefined)).sha256).toBe('known');
});

test('names the member in which one byte is damaged, first', async () => {
  const bytes = await packBackup();
  const at = Buffer.from(bytes).indexOf('Administrators');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  const report = await check(bytes);
  expect(report.members.map(({ name, result }) => [name, result])).toEqual([
    ['groups.csv', 'damaged'],
    ['users.csv', 'matches'],
    ['files/ab.bin', 'matches'],
  ]);
  expect(formatCheck({ phase: 'done', report })).toBe('1 of 3 members does not match the manifest.');
});

test('finds members that were replaced, removed or added, in archives whose checksums are right', async () => {
  const changed = { ...CONTENTS, 'users.csv': 'id,name\n1,Eve\n' };
  expect(await listResults(await packBackup(changed))).toContainEqual(['users.csv', 'different']);
  const longer = { ...CONTENTS, 'users.csv': 'id,name\n1,Ada\n2,Eve\n' };
  expect(await listResults(await packBackup(longer))).toContainEqual(['users.csv', 'different']);
  const { 'users.csv': _, ...fewer } = CONTENTS;
  expect(await listResults(await packBackup(fewer))).toContainEqual(['users.csv', 'missing']);
  expect(await listResults(await packBackup(CONTENTS, fewer))).toContainEqual(['users.csv', 'unlisted']);
});

test('says why a file cannot be checked', async () => {
  const bytes = await packBackup();
  await expect(check(bytes.slice(0, -100))).rejects.toThrow('its end is missing');
  await expect(check(new TextEncoder().encode('not a ZIP'))).rejects.toThrow('not a ZIP archive');
  await expect(check(await pack({ 'a.txt': 'a' }))).rejects.toThrow('no manifest.json');
  await expect(check(await pack({ 'manifest.json': '{' }))).rejects.toThrow(
    'manifest of the file is damaged',
  );
  await expect(check(await pack({ 'manifest.json': '{}' }))).rejects.toThrow('form of a backup');
});

const failToRead = () => Promise.reject(new DOMException('It was deleted', 'NotReadableError'));

/** A file that the browser does not read any more after so many pieces. */
class VanishingFile extends Blob {
  #readable: number;
  constructor(bytes: Uint8Array<ArrayBuffer>, readable: number) {
    super([bytes]);
    this.#readable = readable;
  }
  override slice(...range: Parameters<Blob['slice']>): Blob {
    const part = super.slice(...range);
    if (this.#readable-- > 0) return part;
    return Object.assign(part, {
      arrayBuffer: failToRead,
      stream: () => new ReadableStream({ pull: failToRead }),
    });
  }
}

test('a file that cannot be read is not taken for a damaged one, wherever that happens', async () => {
  const bytes = await packBackup();
  let readable = 0;
  const attempt = () =>
    checkBackup(new VanishingFile(bytes, readable), 'known', () => undefined).catch(
      (error: unknown) => error,
    );
  for (let outcome = await attempt(); outcome instanceof Error; readable += 1) {
    expect(outcome).toMatchObject({ name: 'NotReadableError' });
    outcome = await attempt();
  }
  // The directory, the manifest and three members were each read in a piece at least.
  expect(readable).toBeGreaterThan(5);
});
