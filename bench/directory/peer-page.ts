/** The same list as one writes it at first: everything is loaded, then filtered and counted in React. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { createElement, useEffect, useMemo, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';

interface User {
  id: number;
  email: string;
  firstName: string;
  lastName: string;
  isActive: boolean;
  isLocked: boolean;
  groups: number[];
  twoFactorEnabled: boolean;
  modifiedDate: string;
}
interface License {
  userId: number;
  licenseTypeId: number;
  isBillable: boolean;
}
type Person = User & { license: License | undefined };

const PAGE = 1000;
const ROW = 36;
const LIST = { height: 640, overflow: 'auto' };

async function readPage<Item>(path: string, pageNumber: number): Promise<Item[]> {
  const url = `/console/api/rest/v1/management/${path}?pageNumber=${pageNumber}&pageSize=${PAGE}`;
  const response = await fetch(url, { headers: { 'X-Steward-Console': '1' } });
  return response.json() as Promise<Item[]>;
}

/** The first page is shown while the others are read. */
async function readAll(show: (people: Person[], complete: boolean) => void): Promise<void> {
  const users: User[] = [];
  const licenses = new Map<number, License>();
  const people = () => users.map((user) => ({ ...user, license: licenses.get(user.id) }));
  for (let pageNumber = 1; ; pageNumber += 1) {
    // One after the other: nobody knows how many there are.
    const page = await readPage<User>('user', pageNumber);
    for (const license of await readPage<License>('userLicenses', pageNumber))
      licenses.set(license.userId, license);
    users.push(...page);
    if (pageNumber === 1) show(people(), false);
    if (page.length < PAGE) break;
  }
  show(people(), true);
}

function countBy(people: readonly Person[], valuesOf: (person: Person) => readonly (string | number)[]) {
  const counts: Record<string, number> = {};
  for (const person of people) for (const value of valuesOf(person)) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

function usePeople() {
  const [state, setState] = useState<{ people: Person[]; complete: boolean }>({
    people: [],
    complete: false,
  });
  useEffect(() => {
    void readAll((people, complete) => setState({ people, complete }));
  }, []);
  return state;
}

function Cells({ person }: { person: Person }) {
  const status = person.isLocked ? 'Locked' : person.isActive ? 'Active' : 'Inactive';
  const cells = [
    `${person.firstName} ${person.lastName}`,
    person.email,
    status,
    person.license?.licenseTypeId ?? '',
    person.groups.length,
    person.twoFactorEnabled ? 'on' : 'off',
    new Date(person.modifiedDate).toLocaleDateString(),
  ];
  return cells.map((text, at) => createElement('td', { key: at }, text));
}

function Peer() {
  const { people, complete } = usePeople();
  const [typed, setTyped] = useState('');
  const scroller = useRef<HTMLDivElement>(null);
  const sorted = useMemo(
    () =>
      people.toSorted((a, b) => `${a.firstName} ${a.lastName}`.localeCompare(`${b.firstName} ${b.lastName}`)),
    [people],
  );
  const found = useMemo(() => {
    const words = typed.toLowerCase().split(' ');
    return sorted.filter(({ firstName, lastName, email }) => {
      const text = `${firstName} ${lastName} ${email}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }, [sorted, typed]);
  const counts = useMemo(
    () => ({
      status: countBy(found, ({ isActive, isLocked }) => [String(isActive), `locked ${isLocked}`]),
      license: countBy(found, ({ license }) => [license?.licenseTypeId ?? 0]),
      group: countBy(found, ({ groups }) => groups),
      twoFactor: countBy(found, ({ twoFactorEnabled }) => [String(twoFactorEnabled)]),
    }),
    [found],
  );
  const billable = useMemo(() => people.filter(({ license }) => license?.isBillable).length, [people]);
  // oxlint-disable-next-line react/incompatible-library
  const rows = useVirtualizer({
    count: found.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  const items = rows.getVirtualItems();
  return createElement(
    'main',
    null,
    createElement('p', null, complete ? `${people.length} people · ${billable} billable` : 'Loading'),
    createElement('input', {
      type: 'search',
      'aria-label': 'Search users',
      value: typed,
      onChange: ({ target }) => setTyped(target.value),
    }),
    createElement('p', null, JSON.stringify(counts)),
    createElement(
      'div',
      { ref: scroller, style: LIST },
      createElement(
        'table',
        { role: 'grid', 'aria-label': 'Users', 'aria-rowcount': found.length + 1 },
        createElement(
          'tbody',
          null,
          createElement('tr', { style: { height: items[0]?.start ?? 0 } }),
          items.map(({ index }) => {
            const person = found[index];
            return (
              person &&
              createElement(
                'tr',
                { key: person.id, 'aria-rowindex': index + 2, style: { height: ROW } },
                createElement(Cells, { person }),
              )
            );
          }),
          createElement('tr', { style: { height: rows.getTotalSize() - (items.at(-1)?.end ?? 0) } }),
        ),
      ),
    ),
  );
}

const root = document.getElementById('root');
if (root) createRoot(root).render(createElement(Peer));
