import type { Recorder } from '../audit/change.ts';
import type { Caller } from '../auth/caller.ts';
import type { Tx } from '../db/database.ts';
import type { OperationId } from '../http/handler.ts';

/** What became of an item; `reason` explains a conflict or failure in words. */
export type ItemOutcome =
  /** `before`: what the item replaced, for the inverse. */
  | { state: 'done'; before?: object }
  | { state: 'unchanged' }
  /** Changed by someone else since the plan was reviewed, and left alone. */
  | { state: 'conflict'; reason: string }
  | { state: 'failed'; reason: string };

/** One transaction of a job: some of its items, to be changed together. */
export interface JobBatch<Parameters extends object, Input extends object> {
  tx: Tx;
  /** The owner with the rights of this moment. */
  caller: Caller;
  record: Recorder;
  /** Address from which the job was started. */
  ip: string;
  parameters: Parameters;
  items: readonly Input[];
}

/** Request of a job: what applies to all items, and the items. */
export interface JobPlan {
  kind: string;
  parameters: object;
  items: readonly object[];
}

/**
 * One kind of long work (architecture, "Long work"). `run` changes the items through the functions of its area and returns one outcome
 * for each, in order. If it throws an ApiError, nothing is written and the items are tried again in smaller batches; thrown for a single
 * item, the error is the item's outcome.
 */
export interface JobKind<Parameters extends object = object, Input extends object = object> {
  kind: string;
  /** The operation that starts the job: the owner needs its scope, capability and proof of presence until the end. */
  operation: OperationId;
  /** Changes that can remove an administrator, or change memberships of groups, exclude others of the site. */
  locksSite(parameters: Parameters): boolean;
  run(batch: JobBatch<Parameters, Input>): Promise<readonly ItemOutcome[]>;
  /** The job that restores what the done items replaced; undefined if nothing does. */
  invert?(
    parameters: Parameters,
    done: readonly { input: Input; before: object | null }[],
  ): JobPlan | undefined;
}

/** All kinds by name. */
export type JobKinds = ReadonlyMap<string, JobKind>;

/**
 * Checks the types of a kind against each other and forgets them: the contract validates parameters and items of each kind before they
 * are stored, so that what the engine reads back has these types.
 */
export const defineJobKind = <Parameters extends object, Input extends object>(
  kind: JobKind<Parameters, Input>,
): JobKind => kind as unknown as JobKind;
