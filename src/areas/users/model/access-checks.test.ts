import { expect, test } from 'vitest';
import type { AccessCheck, AccessExplanation } from '../../../../contract/generated/types.gen.ts';
import { answerAccess } from './access-checks.ts';

const check = (name: AccessCheck['check'], state: AccessCheck['state']): AccessCheck => ({
  check: name,
  state,
  message: name,
  remedy: null,
});

const explanation: AccessExplanation = {
  userId: 7,
  ipAddress: null,
  canSignIn: false,
  canCallInterface: false,
  checks: [
    check('active', 'passes'),
    check('license', 'fails'),
    check('password', 'fails'),
    check('address', 'unknown'),
    check('proxies', 'notice'),
    check('apiKey', 'fails'),
  ],
};

const names = (checks: readonly AccessCheck[]) => checks.map((one) => one.check);

test('sorts the checks of a sign-in: failed, remarks, passed, none of programs', () => {
  const answer = answerAccess(explanation, 'signIn');
  expect(answer.isYes).toBe(false);
  expect(names(answer.failed)).toEqual(['license', 'password']);
  expect(names(answer.notices)).toEqual(['address', 'proxies']);
  expect(names(answer.passed)).toEqual(['active']);
});

test('a call needs no password, and an API key', () => {
  const answer = answerAccess({ ...explanation, canCallInterface: true }, 'callApi');
  expect(answer.isYes).toBe(true);
  expect(names(answer.failed)).toEqual(['license', 'apiKey']);
  expect(names(answer.notices)).toEqual(['address']);
});
