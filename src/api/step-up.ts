import { createStore } from '../ui/store.ts';

/** Followed by the dialog "Is it still you?": whether a call waits for a proof. */
export const proofAsked = createStore(false);

let waiting: Array<(proven: boolean) => void> = [];

/** Ends the wait: the calls are sent again where the person has proved themselves, and fail as they did otherwise. */
export function settleProof(proven: boolean): void {
  const calls = waiting;
  waiting = [];
  proofAsked.set(false);
  for (const call of calls) call(proven);
}

/** Waits until the person has proved that it is still them; false where they would not. */
export function provenPresence(): Promise<boolean> {
  proofAsked.set(true);
  return new Promise((resolve) => waiting.push(resolve));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** What a refusal is called that asks for it (contract, x-step-up). */
export const STEP_UP_REQUIRED = 'step-up-required';

/** Whether an answer asks for that (contract, x-step-up). */
export async function asksForProof(answer: Response): Promise<boolean> {
  if (answer.status !== 403) return false;
  const body: unknown = await answer
    .clone()
    .json()
    .catch(() => undefined);
  return isRecord(body) && body.code === STEP_UP_REQUIRED;
}
