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
  canCallInterface: true,
  goals: [
    {
      goal: 'signIn',
      answer: 'no',
      checks: ['proxies', 'active', 'license', 'password', 'address'],
    },
    { goal: 'callApi', answer: 'unknown', checks: ['active', 'address'] },
  ],
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

test('sorts the checks of a goal: failed, unknown, remarks, passed, none of other goals', () => {
  const answer = answerAccess(explanation, 'signIn');
  expect(answer.answer).toBe('no');
  expect(names(answer.failed)).toEqual(['license', 'password']);
  expect(names(answer.notices)).toEqual(['address', 'proxies']);
  expect(names(answer.passed)).toEqual(['active']);
});

test('has no answer to a goal that the service does not explain', () => {
  expect(answerAccess(explanation, 'callApi')).toMatchObject({ answer: 'unknown', failed: [] });
  expect(answerAccess(explanation, 'joinSite')).toEqual({
    answer: 'unknown',
    failed: [],
    notices: [],
    passed: [],
  });
});
