import { expect, it } from 'vitest';
import { FIELD_DEFAULTS } from '../../model/field.fixture.ts';
import { countFittingItems } from './CellValue.tsx';

const field = {
  ...FIELD_DEFAULTS,
  id: 1,
  entryTypeId: 1,
  apiName: 'Tags',
  name: 'Tags',
  fieldType: 2 as const,
};
const tags = (...names: string[]) => names.map((name, id) => ({ id, name }));

it('shows as many badges as fit, at least one and at most three', () => {
  expect(countFittingItems(tags('Health Care', 'Financials', 'Energy'), field, 150)).toBe(1);
  expect(countFittingItems(tags('Red', 'Blue', 'Green'), field, 150)).toBe(3);
  expect(countFittingItems(tags('Red', 'Blue', 'Green', 'Grey'), field, 150)).toBe(2);
  expect(countFittingItems(tags('x'.repeat(400), 'Blue'), field, 150)).toBe(1);
  expect(countFittingItems(tags('a', 'b', 'c', 'd'), field)).toBe(3);
});
