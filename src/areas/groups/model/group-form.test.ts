import { expect, test } from 'vitest';
import { changesOf, mergeGroup, theirChanges, valuesOf } from './group-form.ts';
import type { GroupValues } from './group-form.ts';

const base: GroupValues = { name: 'Analysts', description: '', capabilities: ['Read Data', 'Run Reports'] };

test('only what was changed is sent; an emptied description is null', () => {
  expect(changesOf(base, { ...base, capabilities: ['Run Reports', 'Read Data'], name: 'Analysts ' })).toEqual(
    {},
  );
  expect(changesOf({ ...base, description: 'Read' }, { ...base, capabilities: [] })).toEqual({
    description: null,
    capabilities: [],
  });
});

test('a capability that this console does not know is not among the values, and stays where nothing is changed', () => {
  const group = { id: 1, userCount: 0, name: 'Analysts', capabilities: ['Fly', 'Run Reports', 'Read Data'] };
  expect(valuesOf(group)).toEqual(base);
  expect(changesOf(base, valuesOf(group))).toEqual({});
});

test('two people change one group: what each did stands, and of two names mine', () => {
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
  expect(theirChanges(base, theirs)).toBe(
    'the name to “Theirs”, the description to “Told”, and capabilities: + Delete Data',
  );
});
