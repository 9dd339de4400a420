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

test('takes a target inside a phrase', () => {
  const phrases = ['add to groups', 'add to group'];
  expect(matchPhrases('add Dana Vogel to groups', phrases)).toBe('Dana Vogel');
  expect(matchPhrases('ADD dana to gro', phrases)).toBe('dana');
  expect(matchPhrases('add dana to', phrases)).toBeUndefined();
  expect(matchPhrases('add dana to groups now', phrases)).toBeUndefined();
});

test('skips articles, so that the label of a command is understood', () => {
  expect(matchPhrases('Change the license of Dana', ['change license of', 'license'])).toBe('Dana');
  expect(matchPhrases('Remove Dana from the site', ['remove from site', 'remove'])).toBe('Dana');
  expect(matchPhrases('Assign Dana as a proxy', ['assign as proxy'])).toBe('Dana');
  // Articles of a name stay where the text fits with them.
  expect(matchPhrases('edit group The A Team', ['edit group', 'edit'])).toBe('The A Team');
});
