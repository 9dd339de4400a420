import { callsOf } from './calls.ts';
import type { Call } from './calls.ts';
import { worse } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import type { Change } from './person.ts';

const whoOf = (call: Call): readonly Change[] => ('change' in call ? [call.change] : call.changes);
const isBad = (outcome: Outcome | undefined): outcome is Outcome =>
  outcome?.result === 'conflict' || outcome?.result === 'failed';

/** What came of the people of a job so far, and what is still to do. */
export function createLedger(changes: readonly Change[], before: readonly Outcome[]) {
  const outcomes = new Map(before.map((outcome) => [outcome.userId, outcome]));
  const putBack = new Set<number>();
  /** In this round: how many calls are still about somebody, and what came of the first of several. */
  let open = new Map<number, number>();
  const partly = new Map<number, Outcome>();

  const left = () => changes.filter(({ person }) => !outcomes.has(person.id));
  return {
    outcomes: outcomes as ReadonlyMap<number, Outcome>,
    left,
    /** The calls for who is left. Those put back come last: somebody for whom the service always fails keeps nobody waiting. */
    begin(): Call[][] {
      const rest = left();
      const parts = callsOf([
        ...rest.filter(({ person }) => !putBack.has(person.id)),
        ...rest.filter(({ person }) => putBack.has(person.id)),
      ]);
      putBack.clear();
      open = new Map();
      for (const { person } of parts.flat().flatMap(whoOf))
        open.set(person.id, (open.get(person.id) ?? 0) + 1);
      return parts;
    },
    /** The call without those for whom an earlier one was refused: who was not added is not taken out elsewhere. */
    narrow(call: Call): Call | undefined {
      if ('change' in call) return isBad(partly.get(call.change.person.id)) ? undefined : call;
      const rest = call.changes.filter(({ person }) => !isBad(partly.get(person.id)));
      return rest.length === 0 ? undefined : { ...call, changes: rest };
    },
    /** Notes what came of a call; returns those with whom the job is through. */
    note(call: Call, told: readonly Outcome[]): Outcome[] {
      for (const outcome of told) partly.set(outcome.userId, worse(partly.get(outcome.userId), outcome));
      return whoOf(call).flatMap(({ person: { id } }) => {
        const rest = (open.get(id) ?? 1) - 1;
        open.set(id, rest);
        const outcome = partly.get(id);
        if (rest > 0 || !outcome) return [];
        outcomes.set(id, outcome);
        return [outcome];
      });
    },
    putBack(call: Call): void {
      for (const { person } of whoOf(call)) putBack.add(person.id);
    },
  };
}
