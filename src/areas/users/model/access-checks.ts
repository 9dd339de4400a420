import type { AccessCheck, AccessExplanation, AccessGoal } from '../../../../contract/generated/types.gen.ts';

/** What the explanation answers. */
export type AccessGoalName = AccessGoal['goal'];

export interface AccessAnswer {
  answer: AccessGoal['answer'];
  /** Failed checks, which are the reasons for a no. */
  failed: readonly AccessCheck[];
  /** Checks whose result cannot be determined here, then remarks. */
  notices: readonly AccessCheck[];
  passed: readonly AccessCheck[];
}

/** Sorts the checks of a goal: failed first, unknown ones, remarks, passed ones. Failures of other goals are left out. */
export function answerAccess({ goals, checks }: AccessExplanation, name: AccessGoalName): AccessAnswer {
  const goal = goals.find((one) => one.goal === name);
  const relevant = (goal?.checks ?? []).flatMap((check) => checks.find((one) => one.check === check) ?? []);
  const withState = (state: AccessCheck['state']) => relevant.filter((check) => check.state === state);
  return {
    answer: goal?.answer ?? 'unknown',
    failed: withState('fails'),
    notices: [...withState('unknown'), ...withState('notice')],
    passed: withState('passes'),
  };
}
