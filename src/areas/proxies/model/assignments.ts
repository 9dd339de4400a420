import type {
  ProxyPair,
  ProxyPerson,
  UserProxiesResponseVm,
} from '../../../../contract/generated/types.gen.ts';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import type { Warning } from './view.ts';

/** All proxy assignments of the site, indexed by proxy and by user. */
export interface Assignments {
  people: ReadonlyMap<number, ProxyPerson>;
  pairs: readonly ProxyPair[];
  /** Ids of the users each proxy may act for. */
  usersByProxy: ReadonlyMap<number, readonly number[]>;
  /** Ids of the proxies that may act for each user. */
  proxiesByUser: ReadonlyMap<number, readonly number[]>;
  /** Number of the cycle of assignments that a user is part of; users outside of cycles are absent. */
  cycleByUser: ReadonlyMap<number, number>;
  /** Ids of the users whom each proxy has assigned to themself. */
  selfAssignedByProxy: ReadonlyMap<number, ReadonlySet<number>>;
  /** Folded text per person that searches are matched against: name, e-mail and id. */
  searchTexts: ReadonlyMap<number, string>;
}

const collator = new Intl.Collator(undefined, { numeric: true });

/** Default order of people: by name, then id. */
export const comparePeople = (a: ProxyPerson, b: ProxyPerson): number =>
  collator.compare(a.fullName, b.fullName) || a.id - b.id;

/** Builds the indexes from all pages of `listProxies`. */
export function buildAssignments(list: readonly UserProxiesResponseVm[]): Assignments {
  const people = new Map<number, ProxyPerson>();
  for (const { proxyUser, users } of list)
    for (const person of [proxyUser, ...users]) people.set(person.id, person);
  const pairs = list.flatMap(({ proxyUser, users }) =>
    users.map(({ id }) => ({ proxyUserId: proxyUser.id, userId: id })),
  );
  const sortedPeople = [...people.values()].toSorted(comparePeople);
  const usersByProxy = new Map(
    [...Map.groupBy(pairs, (pair) => pair.proxyUserId)].map(([id, own]) => [
      id,
      own.map((one) => one.userId),
    ]),
  );
  const proxiesByUser = new Map(
    [...Map.groupBy(pairs, (pair) => pair.userId)].map(([id, own]) => [
      id,
      own.map((one) => one.proxyUserId),
    ]),
  );
  return {
    people: new Map(sortedPeople.map((person) => [person.id, person])),
    pairs,
    usersByProxy,
    proxiesByUser,
    cycleByUser: findCycles(
      sortedPeople.map(({ id }) => id),
      (id) => usersByProxy.get(id) ?? [],
    ),
    selfAssignedByProxy: new Map(
      list.flatMap(({ proxyUser, selfAssigned = [] }) =>
        selfAssigned.length === 0 ? [] : [[proxyUser.id, new Set(selfAssigned)] as const],
      ),
    ),
    searchTexts: new Map(
      sortedPeople.map(({ id, fullName, email }) => [id, foldText(`${fullName} ${email} ${id}`)]),
    ),
  };
}

/** Whether an assignment is part of a cycle: its user may, directly or through others, act for its proxy. */
export const isPartOfCycle = ({ cycleByUser }: Assignments, { proxyUserId, userId }: ProxyPair): boolean =>
  cycleByUser.has(userId) && cycleByUser.get(userId) === cycleByUser.get(proxyUserId);

/** Whether the proxy has made the assignment for themself. */
export const isSelfAssigned = (
  { selfAssignedByProxy }: Assignments,
  { proxyUserId, userId }: ProxyPair,
): boolean => selfAssignedByProxy.get(proxyUserId)?.has(userId) ?? false;

/** State of people by id; a person is absent until the directory is loaded. */
export type PersonStates = ReadonlyMap<number, { isActive: boolean; twoFactor: boolean }>;

/** Labels of the warnings. */
export const WARNING_LABELS: Record<Warning, string> = {
  cycle: 'Cycle',
  inactive: 'Inactive',
  noTwoFactor: 'No two-factor',
  selfAssigned: 'Self-assigned',
};

/** Warnings about a person. A missing second factor is reported only for people who may act for others. */
export function getPersonWarnings(
  id: number,
  { cycleByUser, usersByProxy, selfAssignedByProxy }: Assignments,
  states: PersonStates,
): Warning[] {
  const state = states.get(id);
  const warnings: Warning[] = cycleByUser.has(id) ? ['cycle'] : [];
  if (state?.isActive === false) warnings.push('inactive');
  if (state?.twoFactor === false && usersByProxy.has(id)) warnings.push('noTwoFactor');
  if (selfAssignedByProxy.has(id)) warnings.push('selfAssigned');
  return warnings;
}

/** Warnings about an assignment: those of both people; `cycle` and `selfAssigned` only if they apply to the assignment itself. */
export function getAssignmentWarnings(
  pair: ProxyPair,
  assignments: Assignments,
  states: PersonStates,
): Warning[] {
  const proxy = getPersonWarnings(pair.proxyUserId, assignments, states);
  const user = getPersonWarnings(pair.userId, assignments, states);
  const warnings: Warning[] = isPartOfCycle(assignments, pair) ? ['cycle'] : [];
  if (proxy.includes('inactive') || user.includes('inactive')) warnings.push('inactive');
  if (proxy.includes('noTwoFactor')) warnings.push('noTwoFactor');
  if (isSelfAssigned(assignments, pair)) warnings.push('selfAssigned');
  return warnings;
}

const listFormat = new Intl.ListFormat('en');

/** "Ada Okafor, Grace Lund and 12 more": at most `maxNames` names for use in a sentence. */
export function formatNames(people: readonly Pick<ProxyPerson, 'fullName'>[], maxNames = 6): string {
  const names = people.slice(0, maxNames).map(({ fullName }) => fullName);
  const more = people.length - names.length;
  return listFormat.format(more > 0 ? [...names, `${formatNumber(more)} more`] : names);
}

const SHORT_WARNING_LABELS: Record<Warning, string> = {
  cycle: 'Cycle',
  inactive: 'Inactive',
  noTwoFactor: 'No 2FA',
  selfAssigned: 'Self-assigned',
};

/** Short form for narrow columns: "Cycle · No 2FA". */
export const formatWarnings = (warnings: readonly Warning[]): string =>
  warnings.map((warning) => SHORT_WARNING_LABELS[warning]).join(' · ');

type GetSuccessors = (id: number) => readonly number[];

/** Nodes in depth-first post-order. Iterative, because a long chain would exhaust the call stack. */
function depthFirstPostOrder(
  ids: readonly number[],
  getSuccessors: GetSuccessors,
  visited = new Set<number>(),
): number[] {
  const order: number[] = [];
  for (const start of ids) {
    if (visited.has(start)) continue;
    visited.add(start);
    const stack = [{ id: start, successors: getSuccessors(start).values() }];
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const { value, done } = frame.successors.next();
      if (done) {
        order.push(frame.id);
        stack.pop();
      } else if (!visited.has(value)) {
        visited.add(value);
        stack.push({ id: value, successors: getSuccessors(value).values() });
      }
    }
  }
  return order;
}

/**
 * Strongly connected components of more than one node (Kosaraju's algorithm): maps each node that can reach itself to
 * the number of its component. Nodes outside of cycles are absent.
 */
export function findCycles(ids: readonly number[], getSuccessors: GetSuccessors): Map<number, number> {
  const incoming = Map.groupBy(
    ids.flatMap((from) => getSuccessors(from).map((to) => ({ from, to }))),
    ({ to }) => to,
  );
  const visited = new Set<number>();
  const cycleById = new Map<number, number>();
  let cycle = 0;
  for (const start of depthFirstPostOrder(ids, getSuccessors).toReversed()) {
    const component = depthFirstPostOrder(
      [start],
      (id) => incoming.get(id)?.map(({ from }) => from) ?? [],
      visited,
    );
    if (component.length < 2) continue;
    cycle += 1;
    for (const id of component) cycleById.set(id, cycle);
  }
  return cycleById;
}
