import { expect, test } from 'vitest';
import { matchPhrases } from './command-phrases.ts';

test('takes the longest phrase from the beginning of a text', () => {
  const phrases = ['add', 'add to groups'];
  expect(matchPhrases('add to groups Dana Vogel', phrases)).toBe('Dana Vogel');
  expect(matchPhrases('  ADD   dana ', phrases)).toBe('dana');
  expect(matchPhrases('add to groups', phrases)).toBe('to groups');
});

test('accepts abbreviated words of three letters or more', () => {
  expect(matchPhrases('deac Zoë', ['deactivate'])).toBe('Zoë');
  expect(matchPhrases('de Zoë', ['deactivate'])).toBeUndefined();
  expect(matchPhrases('deactivated Zoë', ['deactivate'])).toBeUndefined();
});

test('finds no command without a target', () => {
  expect(matchPhrases('deactivate ', ['deactivate'])).toBeUndefined();
  expect(matchPhrases('dana deactivate', ['deactivate'])).toBeUndefined();
});
