import { expect, test } from 'vitest';
import type { Capability } from '../../../api/generated/types.gen.ts';
import { effectsOf } from './effects.ts';

const given = new Map<number, readonly Capability[]>([
  [1, ['Read Data', 'Write Data']],
  [2, ['Write Data', 'Run Reports']],
]);
const members = [
  { id: 10, groups: [1] },
  { id: 11, groups: [1, 2] },
];

test('a capability is gained and lost only by those whom no other group gives it', () => {
  const change = { groupId: 1, before: given.get(1) ?? [], after: ['Read Data', 'Run Reports'] as const };
  expect(effectsOf(change, members, given)).toEqual([
    { capabilities: ['Write Data'], change: 'lose', people: [10], unaffected: 1 },
    { capabilities: ['Run Reports'], change: 'gain', people: [10], unaffected: 1 },
  ]);
});

test('the group itself is no other group, and what stays is no effect', () => {
  const same = { groupId: 1, before: given.get(1) ?? [], after: given.get(1) ?? [] };
  expect(effectsOf(same, members, given)).toEqual([]);
  const gone = effectsOf({ ...same, after: [] }, members, given);
  expect(gone.map(({ capabilities, people }) => [capabilities, people])).toEqual([
    [['Read Data'], [10, 11]],
    [['Write Data'], [10]],
  ]);
});

test('capabilities that meet the same people are one effect', () => {
  const alone = [{ id: 12, groups: [2] }];
  const gone = effectsOf({ groupId: 2, before: given.get(2) ?? [], after: [] }, alone, given);
  expect(gone).toEqual([
    { capabilities: ['Write Data', 'Run Reports'], change: 'lose', people: [12], unaffected: 0 },
  ]);
});
