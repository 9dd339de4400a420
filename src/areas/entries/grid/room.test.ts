import { expect, it } from 'vitest';
import { PLAIN_FIELD } from '../model/field.fixture.ts';
import { itemsThatFit } from './room.ts';

const field = { ...PLAIN_FIELD, id: 1, entryTypeId: 1, apiName: 'Tags', name: 'Tags', fieldType: 2 as const };
const tags = (...names: string[]) => names.map((name, id) => ({ id, name }));

it('shows as many tags as can be read, the first in any case, and never more than three', () => {
  expect(itemsThatFit(tags('Health Care', 'Financials', 'Energy'), field, 150)).toBe(1);
  expect(itemsThatFit(tags('Red', 'Blue', 'Green'), field, 150)).toBe(3);
  expect(itemsThatFit(tags('Red', 'Blue', 'Green', 'Grey'), field, 150)).toBe(2);
  expect(itemsThatFit(tags('x'.repeat(400), 'Blue'), field, 150)).toBe(1);
  expect(itemsThatFit(tags('a', 'b', 'c', 'd'), field)).toBe(3);
});
