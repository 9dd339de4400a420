import { expect, test } from 'vitest';
import { getGroupChanges, mergeGroup, formatTheirChanges, toGroupValues } from './group-form.ts';
import type { GroupValues } from './group-form.ts';

const base: GroupValues = { name: 'Analysts', description: '', capabilities: ['Read Data', 'Run Reports'] };

test('sends only changed fields and null for an emptied description', () => {
  expect(
    getGroupChanges(base, { ...base, capabilities: ['Run Reports', 'Read Data'], name: 'Analysts ' }),
  ).toEqual({});
  expect(getGroupChanges({ ...base, description: 'Read' }, { ...base, capabilities: [] })).toEqual({
    description: null,
    capabilities: [],
  });
});

test('ignores and keeps unknown capabilities', () => {
  const group = { id: 1, userCount: 0, name: 'Analysts', capabilities: ['Fly', 'Run Reports', 'Read Data'] };
  expect(toGroupValues(group)).toEqual(base);
  expect(getGroupChanges(base, toGroupValues(group))).toEqual({});
});

test('merges concurrent changes and keeps the own name', () => {
  const mine: GroupValues = { name: 'Mine', description: '', capabilities: ['Read Data', 'Write Data'] };
  const theirs: GroupValues = {
    name: 'Theirs',
    description: 'Told',
    capabilities: ['Read Data', 'Run Reports', 'Delete Data'],
  };
  expect(mergeGroup({ base, mine, theirs })).toEqual({
    name: 'Mine',
    description: 'Told',
    capabilities: ['Read Data', 'Write Data', 'Delete Data'],
  });
  expect(formatTheirChanges(base, theirs)).toBe(
    'the name to “Theirs”, the description to “Told”, and capabilities: + Delete Data',
  );
});
