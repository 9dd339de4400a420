import { expect, test } from 'vitest';
import type { Capability } from '../../../../contract/generated/types.gen.ts';
import { compareCapabilities, planGroupCopy, compareGroups } from './compare.ts';

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

test('lists differing groups first, including unknown groups', () => {
  expect(compareGroups(ann, ben, names)).toEqual([
    { id: 7, name: 'Research', a: true, b: false },
    { id: 9, name: 'Support', a: false, b: true },
    { id: 99, name: 'Group 99', a: false, b: true },
    { id: 8, name: 'Finance', a: true, b: true },
  ]);
});

test('lists capabilities with the groups that grant them', () => {
  expect(compareCapabilities(ann, ben, given)).toEqual([
    { capability: 'Manage Users', a: [], b: [9] },
    { capability: 'Write Data', a: [7], b: [] },
    { capability: 'Read Data', a: [7, 8], b: [8] },
  ]);
});

test('plans missing groups to add, and for an exact copy groups to remove', () => {
  expect(planGroupCopy(ann, ben)).toEqual({
    add: [{ userId: 2, groupId: 7 }],
    remove: [
      { userId: 2, groupId: 9 },
      { userId: 2, groupId: 99 },
    ],
  });
});
