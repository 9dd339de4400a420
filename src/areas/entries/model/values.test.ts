import { expect, test } from 'vitest';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { findUrl, formatItem } from './values.ts';

const field = { fieldType: FIELD.number, isDateOnly: false, isMoney: false };

test('groups large numbers and leaves years as they are', () => {
  expect([1990, 9999, 412_806, -1_234_567.5].map((value) => formatItem(value, field))).toEqual([
    '1990',
    '9999',
    '412,806',
    '-1,234,567.5',
  ]);
});

test('only web addresses become links', () => {
  expect(findUrl('https://northlight.example/a?b=c')).toBe('https://northlight.example/a?b=c');
  for (const text of ['javascript:alert(1)', 'https://', 'see https://a.example', 'northlight.example', ''])
    expect(findUrl(text)).toBeUndefined();
});
