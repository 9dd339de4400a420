import { expect, it } from 'vitest';
import { valuesOf } from './field-form.ts';
import { mergeValues, theirChanges } from './field-merge.ts';

it('joins what two people changed: what was typed stands, the rest is as the other one has it', () => {
  const base = { ...valuesOf(undefined, new Map()), name: 'Stage', apiName: 'Stage', fieldType: 2 as const };
  const mine = { ...base, name: 'Deal stage', isSearchable: true };
  const theirs = { ...base, name: 'Phase', description: 'Where it stands', choiceValues: [{ name: 'Open' }] };
  expect(theirChanges(base, theirs)).toBe('the name, the description, and its choices');
  expect(mergeValues(base, mine, theirs)).toEqual({
    ...base,
    name: 'Deal stage',
    isSearchable: true,
    description: 'Where it stands',
    choiceValues: [{ name: 'Open' }],
  });
});
