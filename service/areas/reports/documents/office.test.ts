import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  makeDocx,
  makeDocxWithPicture,
  makeXlsx,
  paragraph,
  pictureRun,
  table,
  tableRow,
} from '../../../testing/files/documents.ts';
import { findOfficeProgram, readWithOffice } from '../../../testing/files/office.ts';
import { makePng } from '../../../testing/files/pictures.ts';
import type { ReportRecord, ReportValue } from '../language/values.ts';
import { createDocxRenderer } from './docx.ts';
import { convertToPdf } from './office.ts';
import { readPackage } from './package.ts';
import { createXlsxRenderer } from './xlsx.ts';

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

const text = (value: string): ReportValue => ({ kind: 'text', text: value });
const ENTRIES: ReportRecord[] = [
  {
    name: text('Acme & שלום'),
    city: text('Kiel'),
    logo: { kind: 'picture', name: 'logo.png', type: 'image/png', sha256: '0a', bytes: makePng(40, 30) },
  },
  { name: text('<Söhne>'), city: text('=1+1') },
];
const VALUES = ['Acme & שלום', 'Kiel', '<Söhne>', '=1+1'];

/** One document of each kind that the service makes. */
async function makeDocuments(): Promise<{ format: 'docx' | 'xlsx'; document: Buffer }[]> {
  const fill = async (template: Buffer, listsRows: boolean) => {
    const options = { listsRows, timeZone: 'UTC', pictures: ['logo'] };
    const renderer = createDocxRenderer(await readPackage(template), options);
    return { format: 'docx', document: await renderer.render({}, ENTRIES) } as const;
  };
  const book = await makeXlsx([
    ['Name', 'City'],
    ['{#rows}{Name}', '{City}{/rows}'],
  ]);
  const renderer = createXlsxRenderer(await readPackage(book), { timeZone: 'UTC' });
  return [
    await fill(
      await makeDocxWithPicture(
        `${paragraph('Hello {Name}, {City}')}<w:p>${pictureRun('{Logo}')}</w:p>`,
        makePng(2, 1),
      ),
      false,
    ),
    await fill(await makeDocx(table(tableRow('{#rows}{Name}', '{City}{/rows}'))), true),
    { format: 'xlsx', document: await renderer.render({}, ENTRIES) },
  ];
}

/** The values that the program does not find in a document, for every kind. */
async function findMissing(program: string): Promise<string[]> {
  const made = await makeDocuments();
  return made.flatMap(({ format, document }) => {
    const read = readWithOffice(program, document, format);
    return VALUES.filter((value) => !read.includes(value)).map((value) => `${format}: ${value}`);
  });
}

/** Reads text documents and worksheets like LibreOffice, as far as the tests need it; `--outdir` is the sixth argument. */
const STAND_IN = `
import { readMember } from ${JSON.stringify(new URL('../../../testing/files/documents.ts', import.meta.url).href)};
import { readFileSync, writeFileSync } from 'node:fs';
const [, , , , to, , folder, path] = process.argv.slice(2);
const member = path.endsWith('.docx') ? 'word/document.xml' : 'xl/worksheets/sheet1.xml';
const xml = await readMember(readFileSync(path), member);
const plain = xml.replaceAll(/<[^>]*>/g, ' ').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
writeFileSync(folder + '/document.' + to.split(':')[0], plain);`;

test('a reader of its own finds the values of every kind of document', async () => {
  const script = join(folder, 'stand-in.ts');
  await writeFile(script, STAND_IN);
  expect(await findMissing(await makeProgram(`exec ${process.execPath} ${script} "$@"`))).toEqual([]);
});

const installed = findOfficeProgram() ?? '';

test.skipIf(installed === '')(
  'LibreOffice reads every kind of document',
  async () => {
    expect(await findMissing(installed)).toEqual([]);
  },
  180_000,
);

test.skipIf(installed === '')(
  'LibreOffice makes a PDF of every kind of document',
  async () => {
    const converted: string[] = [];
    for (const { format, document } of await makeDocuments()) {
      const [pdf] = await convertToPdf([document], { program: installed, format });
      expect(pdf?.subarray(0, 5).toString()).toBe('%PDF-');
      converted.push(Buffer.from(pdf ?? []).toString('latin1'));
    }
    // The first one has a picture.
    expect(converted[0]).toMatch(/\/Width 40\s*\/Height 30/);
  },
  180_000,
);
