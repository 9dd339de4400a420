import { expect, test } from 'vitest';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { findUrl, formatItem } from './values.ts';

const field = { fieldType: FIELD.number, isDateOnly: false, isMoney: false };

const formatAmount = (value: number, currencyCode = 'EUR') =>
  formatItem({ value, currencyCode }, field).replaceAll('\u00a0', ' ');

test('groups large numbers and leaves years as they are', () => {
  expect([1990, 9999, 412_806, -1_234_567.5].map((value) => formatItem(value, field))).toEqual([
    '1990',
    '9999',
    '412,806',
    '-1,234,567.5',
  ]);
});

test('tiny numbers and amounts are not shown as 0', () => {
  expect([1e-12, -2.5e-300, 0.000_001, 0].map((value) => formatItem(value, field))).toEqual([
    '1E-12',
    '-2.5E-300',
    '0.000001',
    '0',
  ]);
  expect([formatAmount(1e-12), formatAmount(12.5), formatAmount(0), formatAmount(1e-12, 'E1')]).toEqual([
    'EUR 1E-12',
    'EUR 12.5',
    'EUR 0',
    'E1 1E-12',
  ]);
});

test('only web addresses become links', () => {
  expect(findUrl('https://northlight.example/a?b=c')).toBe('https://northlight.example/a?b=c');
  for (const text of ['javascript:alert(1)', 'https://', 'see https://a.example', 'northlight.example', ''])
    expect(findUrl(text)).toBeUndefined();
});
