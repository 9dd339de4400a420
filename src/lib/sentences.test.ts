import { expect, it } from 'vitest';
import { endSentence } from './sentences.ts';

it.each([
  ['The server did not answer', 'The server did not answer.'],
  ['The formula is not valid.', 'The formula is not valid.'],
  ['Is it reachable?', 'Is it reachable?'],
])('ends "%s" as a sentence', (text, sentence) => {
  expect(endSentence(text)).toBe(sentence);
});
