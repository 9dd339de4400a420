import { expect, test } from 'vitest';
import { passwordFault } from './passwords.ts';

test.each([
  [' '.repeat(12), undefined, 'must not be spaces alone'],
  ['\u00a0\t'.repeat(8), 'ada@example.com', 'must not be spaces alone'],
  ['ada@example.com', 'Ada@Example.com', 'must not be the e-mail address'],
  [' ADA@example.com ', 'ada@example.com', 'must not be the e-mail address'],
  ['ada@example.com', undefined, undefined],
  ['correct horse battery', 'ada@example.com', undefined],
])('%j for %s: %s', (password, email, fault) => {
  expect(passwordFault(password, email)).toBe(fault);
});
