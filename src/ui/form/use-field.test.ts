import { expect, test } from 'vitest';
import { getErrorMessage } from './use-field.ts';

const getName = (item: unknown) => (item === 7 ? 'Deals' : undefined);
const itemError = { type: 'server', message: 'does not exist', types: { 1: 'does not exist' } };

test.each([
  { title: 'no error', error: undefined, value: [7], expected: undefined },
  {
    title: 'an error of the field',
    error: { type: 'server', message: 'is required' },
    value: [7],
    expected: 'is required',
  },
  { title: 'an error of a named item', error: itemError, value: [8, 7], expected: 'Deals: does not exist' },
  {
    title: 'an error of an item without a name',
    error: itemError,
    value: [7, 8],
    expected: 'does not exist',
  },
])('$title', ({ error, value, expected }) => {
  expect(getErrorMessage(error, value, getName)).toBe(expected);
});
