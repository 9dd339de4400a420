import { expect, it } from 'vitest';
import type { Capability } from '../../../../contract/generated/types.gen.ts';
import {
  getWithheldCapabilities,
  getPassedOnCapabilities,
  getReachableCapabilities,
} from './assignment-plan.ts';

const capabilitiesByGroup = new Map<number, readonly Capability[]>([
  [1, ['Manage Users', 'Read Data', 'View Activity']],
  [2, ['Read Data', 'Write Data']],
  [3, ['Read Data']],
]);
const proxy = { name: 'Ada', groups: [3] };
const users = [
  { name: 'Grace', groups: [1] },
  { name: 'Ben', groups: [2, 9] },
];

it('lists capabilities the proxy does not hold first, with the users who pass them on', () => {
  expect(getReachableCapabilities(proxy, users, capabilitiesByGroup)).toEqual([
    { capability: 'View Activity', through: ['Grace'], isNew: true },
    { capability: 'Write Data', through: ['Ben'], isNew: true },
    { capability: 'Read Data', through: ['Grace', 'Ben'], isNew: false },
  ]);
});

it('lists capabilities that cannot be passed on', () => {
  expect(getWithheldCapabilities(users, capabilitiesByGroup)).toEqual(['Manage Users']);
});

it('lists capabilities that are passed on', () => {
  expect(getPassedOnCapabilities(users, capabilitiesByGroup)).toEqual([
    'View Activity',
    'Read Data',
    'Write Data',
  ]);
});
