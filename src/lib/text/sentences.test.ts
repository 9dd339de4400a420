import { expect, it } from 'vitest';
import { endSentence, formatIdentifier } from './sentences.ts';

it.each([
  ['The server did not answer', 'The server did not answer.'],
  ['The formula is not valid.', 'The formula is not valid.'],
  ['Is it reachable?', 'Is it reachable?'],
])('ends "%s" as a sentence', (text, sentence) => {
  expect(endSentence(text)).toBe(sentence);
});

it.each([
  ['dateFrom', 'Date from'],
  ['date_from', 'Date from'],
  ['apiName', 'API name'],
  ['userIds', 'User IDs'],
  ['östlich', 'Östlich'],
])('formats %s as the label "%s"', (name, label) => {
  expect(formatIdentifier(name)).toBe(label);
});
