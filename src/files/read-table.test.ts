import { expect, test } from 'vitest';
import { bookFiles, sheetPath } from './workbook.ts';
import { createZip } from './zip.ts';
import { openZip } from './workbook/unzip.ts';
import { readTable } from './read-table.ts';

const fileOf = (content: string | Uint8Array<ArrayBuffer>) => new Blob([content]);
const LONG = ' '.repeat(2_000_000);
/** Where an archive says how large a file is: in its directory, and before the file. */
const SIZES = [
  [0x02014b50, 24],
  [0x04034b50, 22],
] as const;

/** A workbook whose sheet is this text, and whose directory says another size of it. */
async function book(text: string, told: number) {
  const zip = createZip('');
  await zip.add(sheetPath(0), text);
  for (const [path, file] of bookFiles(['Sheet']))
    // oxlint-disable-next-line no-await-in-loop -- a file is written in order
    await zip.add(path, file);
  const bytes = new Uint8Array(await (await zip.end()).arrayBuffer());
  const view = new DataView(bytes.buffer);
  for (let at = 0; at + 30 < bytes.length; at += 1)
    for (const [sign, place] of SIZES)
      if (view.getUint32(at, true) === sign && view.getUint32(at + place, true) === text.length)
        view.setUint32(at + place, told, true);
  return bytes;
}

const faultOf = async (content: string | Uint8Array<ArrayBuffer>): Promise<string> => {
  const read = await readTable(fileOf(content), () => undefined);
  return 'fault' in read ? read.fault : '';
};

test.each<[string, string | Uint8Array<ArrayBuffer>, string]>([
  ['nothing', '', 'The file is empty.'],
  ['a heading alone', 'Name,City\r\n', 'The file has a heading and no rows under it.'],
  ['JSON that was cut off', '[{"Name":"a"},{"Na', 'This begins as JSON and is none.'],
  ['one object', '{"Name":"a"}', 'A JSON file has to be a list of objects'],
  ['a list of other things', '[{"Name":"a"},2]', 'A JSON file has to be a list of objects'],
  ['an old workbook', new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), 'This is a workbook of the old kind'],
  [
    'a picture',
    new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 0, 0xff, 0x81]),
    'This is neither a text nor',
  ],
  ['half an archive', new Uint8Array([0x50, 0x4b, 3, 4, 20, 0]), 'This is no workbook that can be read'],
])('%s is refused in words', async (_, file, words) => {
  expect(await faultOf(file)).toContain(words);
});

test('a bomb is refused before it is unpacked, and one that lies about its size while it is', async () => {
  expect(await faultOf(await book(LONG, 600_000_000))).toContain('unpacks to more than 512 MB');
  expect(await faultOf(await book(LONG, LONG.length + 1))).toContain('no workbook that can be read');
  const liar = await book(LONG, 1000);
  expect(await faultOf(liar)).toContain('no workbook that can be read');
  let taken = 0;
  const zip = await openZip(fileOf(liar));
  const reading = zip.read(sheetPath(0), (chunk) => {
    taken += chunk.length;
  });
  await expect(reading).rejects.toThrow('Invalid uncompressed size');
  expect(taken).toBeLessThan(1001);
});

test('a text is read by what somebody says that it is parted and encoded', async () => {
  const bytes = Uint8Array.from('Name:City\r\nA, B:\u00b3', (letter) => letter.charCodeAt(0));
  const guessed = await readTable(fileOf(bytes), () => undefined);
  expect(guessed).toMatchObject({
    headings: ['Name:City'],
    source: { separator: ',', encoding: 'windows-1252' },
  });
  const said = { separator: ':', encoding: 'windows-1250' } as const;
  expect(await readTable(fileOf(bytes), () => undefined, said)).toMatchObject({
    headings: ['Name', 'City'],
    rows: [{ cells: ['A, B', 'ł'] }],
    source: { kind: 'text', ...said },
  });
});

test('objects of which each brings other names are no table, and names of JavaScript are names', async () => {
  const many = Array.from({ length: 4600 }, (_, at) => ({ [`n${at}`]: 1 }));
  expect(await faultOf(JSON.stringify(many))).toContain('too many different names');
  const read = await readTable(fileOf('[{"__proto__":"a","constructor":{"x":[1]}}]'), () => undefined);
  expect(read).toMatchObject({
    headings: ['__proto__', 'constructor'],
    rows: [{ cells: ['a', '{"x":[1]}'] }],
  });
});

test('a list of objects is a table under the names of their values', async () => {
  const text = JSON.stringify([
    { Name: 'a', Size: 1.5, On: true },
    { Name: "'=1", Tags: ['x', 'y; z'], Size: null },
  ]);
  const read = await readTable(fileOf(text), () => undefined);
  expect(read).toMatchObject({
    headings: ['Name', 'Size', 'On', 'Tags'],
    rows: [{ cells: ['a', '1.5', 'Yes', ''] }, { cells: ["'=1", '', '', 'x; "y; z"'] }],
  });
});
