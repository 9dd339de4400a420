import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { PATTERN_INSTRUCTIONS } from '../../../contract/rules/patterns.ts';
import { toFieldErrors } from './validation-messages.ts';

/** Patterns of all schemas of the contract. */
function listPatterns(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, child] of Object.entries(value))
    if (name === 'pattern' && typeof child === 'string') found.add(child);
    else listPatterns(child, found);
  return found;
}

test('every pattern of the contract has an instruction, and no instruction is left over', () => {
  const contract: unknown = JSON.parse(readFileSync('contract/openapi.json', 'utf8'));
  const patterns = listPatterns(contract);
  expect(patterns.size).toBeGreaterThan(10);
  expect([...patterns].filter((pattern) => !(pattern in PATTERN_INSTRUCTIONS))).toEqual([]);
  expect(Object.keys(PATTERN_INSTRUCTIONS).filter((pattern) => !patterns.has(pattern))).toEqual([]);
});

/** Messages of a text that violates the pattern. */
const getMessages = (pattern: string) => {
  const validate = new Ajv2020({ allErrors: true }).compile({ type: 'string', pattern });
  validate(' ');
  return toFieldErrors(validate.errors ?? []).map(({ message }) => message);
};

test('the message of a text that violates a pattern never contains the pattern', () => {
  expect(getMessages('^([01]\\d|2[0-3]):[0-5]\\d$')).toEqual(['Enter a time such as 07:30']);
  expect(getMessages('^[A-Za-z0-9_-]+$')).toEqual(['Use letters, digits, hyphens and underscores']);
  expect(getMessages('^x+$')).toEqual(['is not valid']);
});
