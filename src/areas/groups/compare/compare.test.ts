import { expect, test } from 'vitest';
import type { Capability } from '../../../api/generated/types.gen.ts';
import { capabilityLines, copyingOf, groupLines } from './compare.ts';

const ann = { id: 1, groups: [7, 8] };
const ben = { id: 2, groups: [8, 9, 99] };
const names = [
  { id: 8, name: 'Finance' },
  { id: 7, name: 'Research' },
  { id: 9, name: 'Support' },
];
const given = new Map<number, readonly Capability[]>([
  [7, ['Write Data', 'Read Data']],
  [8, ['Read Data']],
  [9, ['Manage Users']],
]);

test('groups of two people: differences first, a group that is in no list too', () => {
  expect(groupLines(ann, ben, names)).toEqual([
    { id: 7, name: 'Research', a: true, b: false },
    { id: 9, name: 'Support', a: false, b: true },
    { id: 99, name: 'Group 99', a: false, b: true },
    { id: 8, name: 'Finance', a: true, b: true },
  ]);
});

test('capabilities come with every group that gives them', () => {
  expect(capabilityLines(ann, ben, given)).toEqual([
    { capability: 'Manage Users', a: [], b: [9] },
    { capability: 'Write Data', a: [7], b: [] },
    { capability: 'Read Data', a: [7, 8], b: [8] },
  ]);
});

test('copying adds what is missing; setting exactly also removes what the other has not', () => {
  expect(copyingOf(ann, ben)).toEqual({
    add: [{ userId: 2, groupId: 7 }],
    remove: [
      { userId: 2, groupId: 9 },
      { userId: 2, groupId: 99 },
    ],
  });
});
