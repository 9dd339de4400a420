import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDocx, paragraph } from '../../../testing/documents.ts';
import { createDocxRenderer } from './docx.ts';
import { convertToPdf } from './office.ts';
import { readPackage } from './package.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-office-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A program with the interface of LibreOffice. */
async function makeProgram(script: string): Promise<string> {
  const path = join(folder, `program-${crypto.randomUUID()}`);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

/** Converts by copying, and notes its profile; `--outdir` is the seventh argument. */
const makeCopyScript = (profiles: string) => `
echo "$1" >> ${profiles}
shift 6
out=$2
shift 2
for file in "$@"; do cp "$file" "$out/$(basename "$file" .docx).pdf"; done`;

const documents = [Buffer.from('one'), Buffer.from('two')];

test('converts documents in their order, each run with a profile of its own', async () => {
  const profiles = join(folder, 'profiles');
  const program = await makeProgram(makeCopyScript(profiles));
  const converted = await convertToPdf(documents, { program, format: 'docx' });
  expect(converted.map(String)).toEqual(['one', 'two']);
  await convertToPdf(documents, { program, format: 'docx' });
  const used = (await readFile(profiles, 'utf8')).trim().split('\n');
  expect(new Set(used).size).toBe(2);
  expect(used[0]).toMatch(/^-env:UserInstallation=file:\/\/\//);
});

test('a program that hangs is ended with the processes it started', async () => {
  const pids = join(folder, 'pids');
  const program = await makeProgram(`sleep 600 &\necho $! > ${pids}\nwait`);
  await expect(convertToPdf(documents, { program, format: 'docx', timeoutMs: 500 })).rejects.toMatchObject({
    status: 502,
    message: 'The office program took more than 0.5 seconds and was ended',
  });
  const pid = Number(await readFile(pids, 'utf8'));
  // The kernel removes the process when its parent, init, has noticed.
  await expect.poll(() => spawnSync('kill', ['-0', String(pid)]).status, { timeout: 5_000 }).not.toBe(0);
});

const convert = async (program: string) =>
  convertToPdf(documents, { program, format: 'docx' }).catch((error: unknown) => String(error));

test('a program that is missing, fails or makes no file', async () => {
  expect(await convert(join(folder, 'none'))).toContain('cannot be started');
  expect(await convert(await makeProgram('exit 3'))).toContain('The office program failed');
  expect(await convert(await makeProgram('exit 0'))).toContain('made no PDF');
});

const installed = process.env['STEWARD_OFFICE'] ?? '/usr/bin/soffice';
const hasOffice = spawnSync(installed, ['--version']).status === 0;
if (!hasOffice) console.info(`LibreOffice is not installed (${installed}): its test is skipped`);

test.skipIf(!hasOffice)('LibreOffice reads a filled document and makes a PDF', async () => {
  const renderer = createDocxRenderer(await readPackage(await makeDocx(paragraph('Hello {Name}'))), {
    listsRows: false,
    timeZone: 'UTC',
  });
  const document = await renderer.render({}, [{ name: { kind: 'text', text: 'Acme & שלום' } }]);
  const [pdf] = await convertToPdf([document], { program: installed, format: 'docx' });
  expect(pdf?.subarray(0, 5).toString()).toBe('%PDF-');
});
