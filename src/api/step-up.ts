import { createStore } from '../ui/store.ts';

/** Whether a call waits for a proof of presence; the step-up dialog is open then. */
export const isProofRequested = createStore(false);

let pendingCalls: Array<(proven: boolean) => void> = [];

/** Resolves the waiting calls: they are sent again after a proof and fail with their 403 without one. */
export function settleProof(isProven: boolean): void {
  const calls = pendingCalls;
  pendingCalls = [];
  isProofRequested.set(false);
  for (const resume of calls) resume(isProven);
}

/** Opens the step-up dialog and waits for its result; false if the user cancels. */
export function requestProof(): Promise<boolean> {
  isProofRequested.set(true);
  return new Promise((resolve) => pendingCalls.push(resolve));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Error code of a 403 that requires a proof of presence (contract, x-step-up). */
const STEP_UP_REQUIRED = 'step-up-required';

/** Whether an answer requires a proof of presence (contract, x-step-up). */
export async function isProofRequired(response: Response): Promise<boolean> {
  if (response.status !== 403) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return isRecord(body) && body.code === STEP_UP_REQUIRED;
}
