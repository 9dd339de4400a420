import type { ConfigurationChange } from '../../../contract/generated/types.gen.ts';

/** A changed thing, as audit rows name it. */
export interface Subject {
  /** Audit action of the change: `topic.update`. */
  action: string;
  subjectType: string;
  subjectId: number;
}

/** Name of whoever made the newest change of a thing; undefined if it is not among the changes, or its author is unknown. */
export function findAuthor(
  changes: readonly ConfigurationChange[],
  { action, subjectType, subjectId }: Subject,
): string | undefined {
  const change = changes.find(
    (one) => one.action === action && one.subjectType === subjectType && one.subjectId === String(subjectId),
  );
  if (!change?.changedByName) return undefined;
  return change.proxyUserName === null
    ? change.changedByName
    : `${change.proxyUserName} for ${change.changedByName}`;
}
