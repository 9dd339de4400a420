import { expect, test } from 'vitest';
import type { BackupMember } from '../../../../contract/generated/types.gen.ts';
import { compareMembers } from './compare.ts';

const member = (
  name: string,
  rows: number | null,
  size = 1000,
  sha256 = `${name} ${rows} ${size}`,
): BackupMember => ({
  name,
  kind: name.startsWith('files/') ? 'file' : 'entries',
  rows,
  size,
  sha256,
});

const changes = (before: BackupMember[], after: BackupMember[]) =>
  compareMembers(before, after).map(({ name, change, anomaly }) => [name, change, anomaly]);

test('lists anomalies first and unchanged members last', () => {
  const before = [
    member('entries/A.csv', 100),
    member('entries/B.csv', 1000),
    member('entries/C.csv', 50),
    member('entries/D.csv', 40),
    member('entries/E.csv', 30),
    member('entries/F.csv', 20),
  ];
  const after = [
    member('entries/A.csv', 100),
    member('entries/B.csv', 380),
    member('entries/C.csv', 155),
    member('entries/D.csv', 0),
    member('entries/E.csv', 31),
    member('entries/G.csv', 5),
  ];
  expect(changes(before, after)).toEqual([
    ['entries/B.csv', 'changed', '62% less'],
    ['entries/C.csv', 'changed', '3.1 times as much'],
    ['entries/D.csv', 'changed', 'Empty, 40 before'],
    ['entries/F.csv', 'missing', 'Missing'],
    ['entries/G.csv', 'added', undefined],
    ['entries/E.csv', 'changed', undefined],
    ['entries/A.csv', 'same', undefined],
  ]);
});

test('does not report small differences as anomalies', () => {
  expect(changes([member('u.csv', 12)], [member('u.csv', 4)])).toEqual([['u.csv', 'changed', undefined]]);
});

test('compares members without records by size', () => {
  expect(changes([member('s.json', null, 90_000)], [member('s.json', null, 9000)])).toEqual([
    ['s.json', 'changed', '90% less'],
  ]);
});

test('combines files of entries and detects a changed file', () => {
  const before = Array.from({ length: 20 }, (_, at) => member(`files/${at}`, null, 10));
  const same = compareMembers(before, before.toReversed());
  expect(same).toMatchObject([{ kind: 'file', change: 'same', after: { rows: 20, size: 200 } }]);
  const after = before.with(3, member('files/3', null, 10, 'other'));
  expect(compareMembers(before, after)).toMatchObject([{ change: 'changed', anomaly: undefined }]);
});
