import { expect, test } from 'vitest';
import type { Capability } from '../../../../contract/generated/types.gen.ts';
import { computeEffects } from './effects.ts';

const given = new Map<number, readonly Capability[]>([
  [1, ['Read Data', 'Write Data']],
  [2, ['Write Data', 'Run Reports']],
]);
const members = [
  { id: 10, groups: [1] },
  { id: 11, groups: [1, 2] },
];

test('counts only members without another group that grants the capability', () => {
  const change = { groupId: 1, before: given.get(1) ?? [], after: ['Read Data', 'Run Reports'] as const };
  expect(computeEffects(change, members, given)).toEqual([
    { capabilities: ['Write Data'], change: 'lose', people: [10], unaffected: 1 },
    { capabilities: ['Run Reports'], change: 'gain', people: [10], unaffected: 1 },
  ]);
});

test('ignores the changed group itself and unchanged capabilities', () => {
  const same = { groupId: 1, before: given.get(1) ?? [], after: given.get(1) ?? [] };
  expect(computeEffects(same, members, given)).toEqual([]);
  const deleted = computeEffects({ ...same, after: [] }, members, given);
  expect(deleted.map(({ capabilities, people }) => [capabilities, people])).toEqual([
    [['Read Data'], [10, 11]],
    [['Write Data'], [10]],
  ]);
});

test('joins capabilities that affect the same people', () => {
  const alone = [{ id: 12, groups: [2] }];
  const deleted = computeEffects({ groupId: 2, before: given.get(2) ?? [], after: [] }, alone, given);
  expect(deleted).toEqual([
    { capabilities: ['Write Data', 'Run Reports'], change: 'lose', people: [12], unaffected: 0 },
  ]);
});
