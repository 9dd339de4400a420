import type { AccessCheck, AccessExplanation } from '../../../../contract/generated/types.gen.ts';

/** What the explanation answers. */
export type AccessQuestion = 'signIn' | 'callApi';

/** Checks that decide or remark on a question, each in the order of the service. */
const PROGRAM_CHECKS: ReadonlySet<AccessCheck['check']> = new Set<AccessCheck['check']>([
  'active',
  'membershipEnd',
  'license',
  'address',
  'webService',
  'apiKey',
]);
const PROGRAM_ONLY_CHECKS: ReadonlySet<AccessCheck['check']> = new Set<AccessCheck['check']>([
  'webService',
  'apiKey',
]);

export interface AccessAnswer {
  isYes: boolean;
  /** Failed checks, which are the reasons for a no. */
  failed: readonly AccessCheck[];
  /** Remarks, and what cannot be determined here. */
  notices: readonly AccessCheck[];
  passed: readonly AccessCheck[];
}

/** Sorts the checks of a question: failed first, remarks, passed ones. Failures of the other question are left out. */
export function answerAccess(explanation: AccessExplanation, question: AccessQuestion): AccessAnswer {
  const relevant = explanation.checks.filter(({ check }) =>
    question === 'callApi' ? PROGRAM_CHECKS.has(check) : !PROGRAM_ONLY_CHECKS.has(check),
  );
  const withState = (...states: AccessCheck['state'][]) =>
    relevant.filter(({ state }) => states.includes(state));
  return {
    isYes: question === 'callApi' ? explanation.canCallInterface : explanation.canSignIn,
    failed: withState('fails'),
    notices: withState('notice', 'unknown'),
    passed: withState('passes'),
  };
}
