import type { ProxyPerson } from '../../../api/generated/types.gen.ts';
import { fold } from '../../../lib/fold.ts';
import { byName, marksOf } from './delegations.ts';
import { MARKS } from './marks.ts';
import type { Delegations, Direction, States } from './delegations.ts';
import type { Mark } from './marks.ts';
import type { ProxiesView } from './view.ts';

/** One person with those at the other end of their assignments. */
export interface DelegationRow {
  id: number;
  person: ProxyPerson;
  others: readonly ProxyPerson[];
  /** Their own marks. */
  marks: readonly Mark[];
  /** How many of the others have a mark that matters from here. */
  around: ReadonlyMap<Mark, number>;
}

const SEPARATED = /\s+/;

/** Everybody at this end, by name. */
export function rowsFrom(direction: Direction, delegations: Delegations, states: States): DelegationRow[] {
  const { people, usersOf, proxiesOf } = delegations;
  const others = direction === 'proxy' ? usersOf : proxiesOf;
  return [...people.values()].flatMap((person) => {
    const ids = others.get(person.id);
    if (!ids) return [];
    return {
      id: person.id,
      person,
      others: ids.flatMap((id) => people.get(id) ?? []).toSorted(byName),
      marks: marksOf(person.id, delegations, states),
      around: aroundOf(ids, direction, delegations, states),
    };
  });
}

/** Of those acted for, the second factor is no matter here: only who acts should have one. */
function aroundOf(ids: readonly number[], direction: Direction, delegations: Delegations, states: States) {
  const around = new Map<Mark, number>();
  for (const id of ids)
    for (const mark of marksOf(id, delegations, states))
      if (mark === 'inactive' || (mark === 'noTwoFactor' && direction === 'user'))
        around.set(mark, (around.get(mark) ?? 0) + 1);
  return around;
}

/** The words of a search, and the end of an assignment that "proxy:" or "user:" asks for. */
function asked(q: string): { side: Direction | undefined; words: readonly string[] } {
  const [, side, rest = ''] = /^\s*(?:(proxy|user):)?(.*)$/.exec(fold(q)) ?? [];
  const words = rest.split(SEPARATED).filter((word) => word !== '');
  return { side: side === 'proxy' || side === 'user' ? side : undefined, words };
}

/** Whether somebody is meant by a search. */
export function finder(q: string, { texts }: Delegations) {
  const { side, words } = asked(q);
  const isMeant = (id: number) => words.every((word) => texts.get(id)?.includes(word));
  return {
    proxy: (id: number) => side !== 'user' && isMeant(id),
    user: (id: number) => side !== 'proxy' && isMeant(id),
  };
}

/** Whether a row deserves the second look that is asked for. */
const has = ({ marks, around }: DelegationRow, mark: Mark, direction: Direction): boolean =>
  around.has(mark) || (marks.includes(mark) && (mark !== 'noTwoFactor' || direction === 'proxy'));

/** The rows that have everything the view asks for, in its order. */
export function findRows(
  rows: readonly DelegationRow[],
  { q, by, marks, more, sort }: ProxiesView,
  delegations: Delegations,
): DelegationRow[] {
  const meant = finder(q, delegations);
  const [here, there] = by === 'proxy' ? [meant.proxy, meant.user] : [meant.user, meant.proxy];
  const found = rows.filter(
    (row) =>
      row.others.length > (more ?? 0) &&
      marks.every((mark) => has(row, mark, by)) &&
      (here(row.id) || row.others.some(({ id }) => there(id))),
  );
  const order = ORDERS[sort.by];
  const sorted = found.toSorted((a, b) => order(a, b) || byName(a.person, b.person));
  return sort.descending ? sorted.toReversed() : sorted;
}

const weight = ({ marks, around }: DelegationRow): number =>
  MARKS.reduce((sum, mark) => sum + (marks.includes(mark) ? 100 : 0) + (around.get(mark) ?? 0), 0);

const ORDERS: Record<ProxiesView['sort']['by'], (a: DelegationRow, b: DelegationRow) => number> = {
  name: (a, b) => byName(a.person, b.person),
  email: (a, b) => a.person.email.localeCompare(b.person.email),
  count: (a, b) => a.others.length - b.others.length,
  marks: (a, b) => weight(a) - weight(b),
};
