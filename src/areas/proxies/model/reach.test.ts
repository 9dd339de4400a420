import { expect, it } from 'vitest';
import type { Capability } from '../../../api/generated/types.gen.ts';
import { keptBack, passedOn, reachOf } from './reach.ts';

const given = new Map<number, readonly Capability[]>([
  [1, ['Manage Users', 'Read Data', 'View Activity']],
  [2, ['Read Data', 'Write Data']],
  [3, ['Read Data']],
]);
const proxy = { name: 'Ada', groups: [3] };
const users = [
  { name: 'Grace', groups: [1] },
  { name: 'Ben', groups: [2, 9] },
];

it('tells what is new to the proxy first, and through whom', () => {
  expect(reachOf(proxy, users, given)).toEqual([
    { capability: 'View Activity', from: ['Grace'], isNew: true },
    { capability: 'Write Data', from: ['Ben'], isNew: true },
    { capability: 'Read Data', from: ['Grace', 'Ben'], isNew: false },
  ]);
});

it('tells what nobody can pass on', () => {
  expect(keptBack(users, given)).toEqual(['Manage Users']);
});

it('tells what they pass on, which whoever assigns has to hold', () => {
  expect(passedOn(users, given)).toEqual(['View Activity', 'Read Data', 'Write Data']);
});
