import type { ProxyPair, ProxyPerson, UserProxiesResponseVm } from '../../../api/generated/types.gen.ts';
import { fold } from '../../../lib/fold.ts';
import { cyclesOf } from '../graph/cycles.ts';
import type { Mark } from './marks.ts';

/** Every assignment of the site, to be looked at from both ends. */
export interface Delegations {
  people: ReadonlyMap<number, ProxyPerson>;
  pairs: readonly ProxyPair[];
  /** For whom each proxy may act. */
  usersOf: ReadonlyMap<number, readonly number[]>;
  /** Who may act for each user. */
  proxiesOf: ReadonlyMap<number, readonly number[]>;
  /** Who stands in a circle of assignments, and in which. */
  cycles: ReadonlyMap<number, number>;
  /** What search compares of each: name, e-mail and id, folded. */
  texts: ReadonlyMap<number, string>;
}

/** The two ends an assignment is looked at from. */
export type Direction = 'proxy' | 'user';

const collator = new Intl.Collator(undefined, { numeric: true });

/** The order of people wherever nothing else is asked for. */
export const byName = (a: ProxyPerson, b: ProxyPerson): number =>
  collator.compare(a.fullName, b.fullName) || a.id - b.id;

/** Joins the answers of `listProxies`. */
export function delegationsOf(list: readonly UserProxiesResponseVm[]): Delegations {
  const people = new Map<number, ProxyPerson>();
  for (const { proxyUser, users } of list)
    for (const person of [proxyUser, ...users]) people.set(person.id, person);
  const pairs = list.flatMap(({ proxyUser, users }) =>
    users.map(({ id }) => ({ proxyUserId: proxyUser.id, userId: id })),
  );
  const named = [...people.values()].toSorted(byName);
  const usersOf = new Map(
    [...Map.groupBy(pairs, (pair) => pair.proxyUserId)].map(([id, own]) => [
      id,
      own.map((one) => one.userId),
    ]),
  );
  const proxiesOf = new Map(
    [...Map.groupBy(pairs, (pair) => pair.userId)].map(([id, own]) => [
      id,
      own.map((one) => one.proxyUserId),
    ]),
  );
  return {
    people: new Map(named.map((person) => [person.id, person])),
    pairs,
    usersOf,
    proxiesOf,
    cycles: cyclesOf(
      named.map(({ id }) => id),
      (id) => usersOf.get(id) ?? [],
    ),
    texts: new Map(named.map(({ id, fullName, email }) => [id, fold(`${fullName} ${email} ${id}`)])),
  };
}

/** Whether an assignment closes a circle: its user may act, over however many others, for its proxy. */
export const isCyclic = ({ cycles }: Delegations, { proxyUserId, userId }: ProxyPair): boolean =>
  cycles.has(userId) && cycles.get(userId) === cycles.get(proxyUserId);

/** What is known of somebody's state; nothing until the directory has told it. */
export type States = ReadonlyMap<number, { isActive: boolean; twoFactor: boolean }>;

/** Each mark in words, wherever it is shown. */
export const MARK_WORDS: Record<Mark, string> = {
  cycle: 'Cycle',
  inactive: 'Inactive',
  noTwoFactor: 'No two-factor',
};

/** The marks of one person; the second factor counts of those alone who may act for somebody. */
export function marksOf(id: number, { cycles, usersOf }: Delegations, states: States): Mark[] {
  const state = states.get(id);
  const marks: Mark[] = cycles.has(id) ? ['cycle'] : [];
  if (state?.isActive === false) marks.push('inactive');
  if (state?.twoFactor === false && usersOf.has(id)) marks.push('noTwoFactor');
  return marks;
}

/** The marks of one assignment: those of either person, and the circle only where the assignment is part of it. */
export function marksOfPair(pair: ProxyPair, delegations: Delegations, states: States): Mark[] {
  const proxy = marksOf(pair.proxyUserId, delegations, states);
  const user = marksOf(pair.userId, delegations, states);
  const marks: Mark[] = isCyclic(delegations, pair) ? ['cycle'] : [];
  if (proxy.includes('inactive') || user.includes('inactive')) marks.push('inactive');
  if (proxy.includes('noTwoFactor')) marks.push('noTwoFactor');
  return marks;
}
