import { expect, test } from 'vitest';
import { foldText } from './fold-text.ts';

test.each([
  ['Bjørn Håkonsen', 'bjorn hakonsen'],
  ['Łukasz Żółć', 'lukasz zolc'],
  ['STRASSE Straße', 'strasse strasse'],
  ['İpek Işık', 'ipek isik'],
  ['O’Sullivan', "o'sullivan"],
  ['ada@example.com', 'ada@example.com'],
])('folds %s to %s', (text, folded) => {
  expect(foldText(text)).toBe(folded);
});

test('keeps letters of other scripts', () => {
  expect(foldText('Ελένη 김은지')).toBe(foldText('ελενη 김은지'));
});
