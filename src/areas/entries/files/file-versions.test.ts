import { expect, test } from 'vitest';
import { getFileKind } from './file-kind.ts';
import { pairFiles } from './file-versions.ts';

const file = (id: number, name: string, seqNumber: number, contentType = 'application/pdf', size = 10) => ({
  id,
  name,
  seqNumber,
  contentType,
  size,
  url: '',
});
const version = (...values: Parameters<typeof file>) => ({ file: file(...values), asOf: undefined });

test('versions of a file are paired by content, name and position; differing pairs come first', () => {
  const pairs = pairFiles(
    [
      version(1, 'same.pdf', 0),
      version(2, 'plan.pdf', 1),
      version(3, 'old.pdf', 2),
      version(4, 'gone.pdf', 3),
    ],
    [version(5, 'plan.pdf', 0), version(1, 'same.pdf', 1), version(6, 'new.pdf', 2)],
  );
  expect(pairs.map(({ name, versions }) => [name, ...versions.map((one) => one?.file.id)])).toEqual([
    ['plan.pdf', 2, 5],
    ['old.pdf', 3, 6],
    ['gone.pdf', 4, undefined],
    ['same.pdf', 1, 1],
  ]);
  expect(pairFiles([], [version(7, 'first.pdf', 0)])[0]?.versions.map((one) => one?.file.id)).toEqual([
    undefined,
    7,
  ]);
});

const kind = (name: string, contentType: string, size = 10) =>
  getFileKind(file(1, name, 0, contentType, size));

test('what is shown depends on the detected type, and on the name for text only', () => {
  expect(kind('a.txt', 'application/pdf')).toBe('pdf');
  expect(kind('a.txt', 'image/png')).toBe('image');
  expect(kind('a.txt', 'application/octet-stream')).toBe('text');
  expect(kind('a.CSV', 'application/octet-stream')).toBe('text');
  expect(kind('a.svg', 'application/octet-stream')).toBe('text');
  expect(kind('a.txt', 'application/octet-stream', 5_000_000)).toBe('other');
  expect(kind('a.png', 'image/png', 50_000_000)).toBe('other');
  expect(kind('a.docx', 'application/zip')).toBe('other');
  expect(kind('txt', 'application/octet-stream')).toBe('other');
});
