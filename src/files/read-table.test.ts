import { expect, test } from 'vitest';
import { buildWorkbookFiles, getSheetPath } from '../../contract/rules/tables/workbook-parts.ts';
import { readTable } from './read-table.ts';
import { openZip } from './workbook/zip-reader.ts';
import { createZipWriter } from './workbook/zip-writer.fixture.ts';

const createFile = (content: string | Uint8Array<ArrayBuffer>) => new Blob([content]);
const LONG = ' '.repeat(2_000_000);
/** Offsets of the unpacked size in the central directory and in the local header. */
const SIZES = [
  [0x02014b50, 24],
  [0x04034b50, 22],
] as const;

/** Builds a workbook whose sheet is the text and whose headers state another size. */
async function book(text: string, statedSize: number) {
  const zip = createZipWriter('');
  await zip.add(getSheetPath(0), text);
  for (const [path, file] of buildWorkbookFiles(['Sheet']))
    // A file is written in order.
    await zip.add(path, file);
  const bytes = new Uint8Array(await (await zip.end()).arrayBuffer());
  const view = new DataView(bytes.buffer);
  for (let at = 0; at + 30 < bytes.length; at += 1)
    for (const [sign, place] of SIZES)
      if (view.getUint32(at, true) === sign && view.getUint32(at + place, true) === text.length)
        view.setUint32(at + place, statedSize, true);
  return bytes;
}

const readError = async (content: string | Uint8Array<ArrayBuffer>): Promise<string> => {
  const read = await readTable(createFile(content), () => undefined);
  return 'error' in read ? read.error : '';
};

test.each<[string, string | Uint8Array<ArrayBuffer>, string]>([
  ['nothing', '', 'The file is empty.'],
  ['a heading alone', 'Name,City\r\n', 'The file has a heading and no rows under it.'],
  ['JSON that was cut off', '[{"Name":"a"},{"Na', 'This file starts as JSON but is invalid.'],
  ['one object', '{"Name":"a"}', 'A JSON file must be a list of objects'],
  ['a list of other things', '[{"Name":"a"},2]', 'A JSON file must be a list of objects'],
  [
    'JSON with a number that would change',
    '[{"Name":"a"},{"Size":9007199254740993}]',
    'Object 2, Size: 9007199254740993 cannot be stored exactly: it would become 9007199254740992.',
  ],
  [
    'JSON with such a number instead of an object',
    '[{"Name":"a"},9007199254740993]',
    'Object 2: 9007199254740993 cannot be stored exactly: it would become 9007199254740992.',
  ],
  ['JSON with a name given twice', '[{"Name":"a","Name":"b"}]', 'Object 1, Name: is given twice.'],
  [
    'an old workbook',
    new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1]),
    'This is an old (.xls) or protected workbook',
  ],
  [
    'a picture',
    new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 0, 0xff, 0x81]),
    'This file is neither text nor',
  ],
  ['half an archive', new Uint8Array([0x50, 0x4b, 3, 4, 20, 0]), 'This workbook cannot be read'],
])('rejects %s with a message', async (_, file, message) => {
  expect(await readError(file)).toContain(message);
});

test('rejects a zip bomb before unpacking, and one with a wrong size during unpacking', async () => {
  expect(await readError(await book(LONG, 600_000_000))).toContain('unpacks to more than 512 MB');
  expect(await readError(await book(LONG, LONG.length + 1))).toContain('workbook cannot be read');
  const liar = await book(LONG, 1000);
  expect(await readError(liar)).toContain('workbook cannot be read');
  let taken = 0;
  const zip = await openZip(createFile(liar));
  const reading = zip.read(getSheetPath(0), (chunk) => {
    taken += chunk.length;
  });
  await expect(reading).rejects.toThrow('Invalid uncompressed size');
  expect(taken).toBeLessThan(1001);
});

test('reads a text with the chosen separator and encoding', async () => {
  const bytes = Uint8Array.from('Name:City\r\nA, B:\u00b3', (letter) => letter.charCodeAt(0));
  const guessed = await readTable(createFile(bytes), () => undefined);
  expect(guessed).toMatchObject({
    headings: ['Name:City'],
    source: { separator: ',', encoding: 'windows-1252' },
  });
  const options = { separator: ':', encoding: 'windows-1250' } as const;
  expect(await readTable(createFile(bytes), () => undefined, options)).toMatchObject({
    headings: ['Name', 'City'],
    rows: [{ cells: ['A, B', 'ł'] }],
    source: { kind: 'text', ...options },
  });
});

test('rejects objects with too many different names, and accepts names of JavaScript built-ins', async () => {
  const many = Array.from({ length: 4600 }, (_, at) => ({ [`n${at}`]: 1 }));
  expect(await readError(JSON.stringify(many))).toContain('too many different property names');
  const read = await readTable(createFile('[{"__proto__":"a","constructor":{"x":[1]}}]'), () => undefined);
  expect(read).toMatchObject({
    headings: ['__proto__', 'constructor'],
    rows: [{ cells: ['a', '{"x":[1]}'] }],
  });
});

test('reads a list of objects as a table with the property names as headings', async () => {
  const text = JSON.stringify([
    { Name: 'a', Size: 1.5, On: true },
    { Name: "'=1", Tags: ['x', 'y; z'], Size: null },
  ]);
  const read = await readTable(createFile(text), () => undefined);
  expect(read).toMatchObject({
    headings: ['Name', 'Size', 'On', 'Tags'],
    rows: [{ cells: ['a', '1.5', 'Yes', ''] }, { cells: ["'=1", '', '', 'x; "y; z"'] }],
  });
});
