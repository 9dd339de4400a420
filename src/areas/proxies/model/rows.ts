import type { ProxyPerson } from '../../../../contract/generated/types.gen.ts';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import { comparePeople, getPersonWarnings, isSelfAssigned } from './assignments.ts';
import type { Assignments, PersonStates } from './assignments.ts';
import { WARNINGS } from './view.ts';
import type { Direction, Warning } from './view.ts';
import type { ProxiesView } from './view.ts';

/** A row of the list: one person and the people at the other end of their assignments. */
export interface AssignmentRow {
  id: number;
  person: ProxyPerson;
  others: readonly ProxyPerson[];
  /** Warnings about the person. */
  warnings: readonly Warning[];
  /** Number of people at the other end by warning, for the warnings that are relevant in this direction. */
  otherWarnings: ReadonlyMap<Warning, number>;
}

const WHITESPACE = /\s+/;

/** One row per person at the given end, sorted by name. */
export function buildRows(
  direction: Direction,
  assignments: Assignments,
  states: PersonStates,
): AssignmentRow[] {
  const { people, usersByProxy, proxiesByUser } = assignments;
  const others = direction === 'proxy' ? usersByProxy : proxiesByUser;
  return [...people.values()].flatMap((person) => {
    const ids = others.get(person.id);
    if (!ids) return [];
    return {
      id: person.id,
      person,
      others: ids.flatMap((id) => people.get(id) ?? []).toSorted(comparePeople),
      warnings: getPersonWarnings(person.id, assignments, states),
      otherWarnings: countOtherWarnings(person.id, ids, direction, assignments, states),
    };
  });
}

/** Counts the warnings at the other end. A missing second factor and a self-made assignment count for proxies only. */
function countOtherWarnings(
  personId: number,
  ids: readonly number[],
  direction: Direction,
  assignments: Assignments,
  states: PersonStates,
) {
  const counts = new Map<Warning, number>();
  const add = (warning: Warning) => counts.set(warning, (counts.get(warning) ?? 0) + 1);
  for (const id of ids) {
    for (const warning of getPersonWarnings(id, assignments, states))
      if (warning === 'inactive' || (warning === 'noTwoFactor' && direction === 'user')) add(warning);
    if (direction === 'user' && isSelfAssigned(assignments, { proxyUserId: id, userId: personId }))
      add('selfAssigned');
  }
  return counts;
}

/** Splits a search into its words and the end of the assignment named by a prefix "proxy:" or "user:". */
function parseSearch(q: string): { end: Direction | undefined; words: readonly string[] } {
  const [, end, rest = ''] = /^\s*(?:(proxy|user):)?(.*)$/.exec(foldText(q)) ?? [];
  const words = rest.split(WHITESPACE).filter((word) => word !== '');
  return { end: end === 'proxy' || end === 'user' ? end : undefined, words };
}

/** Predicates that tell whether a search matches a person as a proxy or as a user. */
export function createMatcher(q: string, { searchTexts }: Assignments) {
  const { end, words } = parseSearch(q);
  const matchesWords = (id: number) => words.every((word) => searchTexts.get(id)?.includes(word));
  return {
    proxy: (id: number) => end !== 'user' && matchesWords(id),
    user: (id: number) => end !== 'proxy' && matchesWords(id),
  };
}

/** Warnings about a person as a proxy. */
const PROXY_WARNINGS: ReadonlySet<Warning> = new Set(['noTwoFactor', 'selfAssigned']);

/** Whether a row has a warning, about the person or anyone at the other end. */
const hasWarning = (
  { warnings, otherWarnings }: AssignmentRow,
  warning: Warning,
  direction: Direction,
): boolean =>
  otherWarnings.has(warning) ||
  (warnings.includes(warning) && (direction === 'proxy' || !PROXY_WARNINGS.has(warning)));

/** Rows that match the view, in its order. */
export function filterRows(
  rows: readonly AssignmentRow[],
  { q, direction, warnings, moreThan, sort }: ProxiesView,
  assignments: Assignments,
): AssignmentRow[] {
  const matcher = createMatcher(q, assignments);
  const [matchesPerson, matchesOther] =
    direction === 'proxy' ? [matcher.proxy, matcher.user] : [matcher.user, matcher.proxy];
  const matchingRows = rows.filter(
    (row) =>
      row.others.length > (moreThan ?? 0) &&
      warnings.every((warning) => hasWarning(row, warning, direction)) &&
      (matchesPerson(row.id) || row.others.some(({ id }) => matchesOther(id))),
  );
  const compare = COMPARATORS[sort.by];
  const sorted = matchingRows.toSorted((a, b) => compare(a, b) || comparePeople(a.person, b.person));
  return sort.descending ? sorted.toReversed() : sorted;
}

const getWarningWeight = ({ warnings, otherWarnings }: AssignmentRow): number =>
  WARNINGS.reduce(
    (sum, warning) => sum + (warnings.includes(warning) ? 100 : 0) + (otherWarnings.get(warning) ?? 0),
    0,
  );

const COMPARATORS: Record<ProxiesView['sort']['by'], (a: AssignmentRow, b: AssignmentRow) => number> = {
  name: (a, b) => comparePeople(a.person, b.person),
  email: (a, b) => a.person.email.localeCompare(b.person.email),
  count: (a, b) => a.others.length - b.others.length,
  marks: (a, b) => getWarningWeight(a) - getWarningWeight(b),
};
