import type { ProxyChanges } from '../../../api/generated/types.gen.ts';
import type { Delegations } from './delegations.ts';

/** What is asked for: these users for this proxy, added to the list or in its place. */
export interface Wish {
  proxyUserId: number;
  userIds: readonly number[];
  replace: boolean;
}

/** What a wish comes to. */
export interface Plan {
  add: readonly number[];
  remove: readonly number[];
  /** Assigned already. */
  stay: readonly number[];
  /** Those of the added for whom the assignment closes a circle. */
  circles: readonly number[];
}

/** Compares a wish with what is assigned. */
export function planOf({ proxyUserId, userIds, replace }: Wish, delegations: Delegations): Plan {
  const now = delegations.usersOf.get(proxyUserId) ?? [];
  const wanted = new Set(userIds);
  wanted.delete(proxyUserId);
  const add = [...wanted].filter((id) => !now.includes(id));
  return {
    add,
    remove: replace ? now.filter((id) => !wanted.has(id)) : [],
    stay: now.filter((id) => wanted.has(id)),
    circles: add.filter((id) => reaches(id, proxyUserId, delegations)),
  };
}

/** Whether one may act, over however many others, for the other. */
function reaches(from: number, to: number, { usersOf }: Delegations): boolean {
  const seen = new Set([from]);
  for (const id of seen) for (const next of usersOf.get(id) ?? []) seen.add(next);
  return seen.has(to);
}

/** The single assignments that a plan changes; others stay, whoever else works on the same proxy. */
export const changesOf = (proxyUserId: number, { add, remove }: Plan): ProxyChanges => ({
  add: add.map((userId) => ({ proxyUserId, userId })),
  remove: remove.map((userId) => ({ proxyUserId, userId })),
});

/** Why somebody cannot be chosen, as the service would refuse them (spec 2.3; shapes 2). */
export function refusalOf(
  person: { id: number; isActive: boolean },
  { other, taken }: { other: number | undefined; taken: ReadonlySet<number> },
): string | undefined {
  if (person.id === other) return 'Nobody acts for themselves';
  if (!person.isActive) return 'Inactive: activate them first';
  return taken.has(person.id) ? 'Assigned already' : undefined;
}
