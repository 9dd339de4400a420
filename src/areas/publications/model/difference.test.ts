import { expect, test } from 'vitest';
import { compareTexts, formatChange } from './difference.ts';

test('long texts are compared word by word, others are shown one after the other', () => {
  expect(
    compareTexts(
      'The board meets in March. Liam keeps the contact with them.',
      'The board meets in early January. Liam keeps the contact with them.',
    ),
  ).toEqual([
    { kind: 'same', text: 'The board meets in ' },
    { kind: 'removed', text: 'March.' },
    { kind: 'added', text: 'early January.' },
    { kind: 'same', text: ' Liam keeps the contact with them.' },
  ]);
  expect(compareTexts('short', 'also short')).toBe(undefined);
  expect(compareTexts('a'.repeat(50), 'b'.repeat(50))).toBe(undefined);
  const long = 'word '.repeat(100);
  expect(compareTexts(`${long}one end of it`, `${long}two end of it`)?.[0]?.text).toHaveLength(61);
});

const money = (value: number, currencyCode = 'USD') => ({ value, currencyCode });

test('numbers and amounts of one currency have a relative change', () => {
  expect([
    formatChange(1190, 1246),
    formatChange([money(12.4)], money(14.1)),
    formatChange(money(1), money(2, 'EUR')),
    formatChange(0, 5),
    formatChange('1', '2'),
    formatChange(5, 5),
  ]).toEqual(['+4.7%', '+13.7%', undefined, undefined, undefined, '0%']);
});
