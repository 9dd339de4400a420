import { expect, test } from 'vitest';
import { fold } from './fold.ts';

test.each([
  ['Bjørn Håkonsen', 'bjorn hakonsen'],
  ['Łukasz Żółć', 'lukasz zolc'],
  ['STRASSE Straße', 'strasse strasse'],
  ['İpek Işık', 'ipek isik'],
  ['O’Sullivan', "o'sullivan"],
  ['ada@example.com', 'ada@example.com'],
])('%s is found as %s', (text, folded) => {
  expect(fold(text)).toBe(folded);
});

test('letters of other scripts stay', () => {
  expect(fold('Ελένη 김은지')).toBe(fold('ελενη 김은지'));
});
