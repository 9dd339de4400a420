/** Peer page: the list of users in plain React. It loads all users, then filters, sorts and counts them in memory. */
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

const PAGE_SIZE = 1000;
const ROW_HEIGHT_PX = 36;
const LIST_STYLE = { height: 640, overflow: 'auto' };

async function readPage<Item>(path: string, pageNumber: number): Promise<Item[]> {
  const url = `/console/api/rest/v1/management/${path}?pageNumber=${pageNumber}&pageSize=${PAGE_SIZE}`;
  const response = await fetch(url, { headers: { 'X-Steward-Console': '1' } });
  return response.json() as Promise<Item[]>;
}

/** Reads all users and licenses page by page; calls `show` after the first page and after the last. */
async function readAll(show: (people: Person[], complete: boolean) => void): Promise<void> {
  const users: User[] = [];
  const licenses = new Map<number, License>();
  const people = () => users.map((user) => ({ ...user, license: licenses.get(user.id) }));
  for (let pageNumber = 1; ; pageNumber += 1) {
    // Sequential, because the API does not return the number of pages.
    const page = await readPage<User>('user', pageNumber);
    for (const license of await readPage<License>('userLicenses', pageNumber))
      licenses.set(license.userId, license);
    users.push(...page);
    if (pageNumber === 1) show(people(), false);
    if (page.length < PAGE_SIZE) break;
  }
  show(people(), true);
}

function countBy(people: readonly Person[], getValues: (person: Person) => readonly (string | number)[]) {
  const counts: Record<string, number> = {};
  for (const person of people)
    for (const value of getValues(person)) counts[value] = (counts[value] ?? 0) + 1;
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
  const [searchText, setSearchText] = useState('');
  const scroller = useRef<HTMLDivElement>(null);
  const sortedPeople = useMemo(
    () =>
      people.toSorted((a, b) => `${a.firstName} ${a.lastName}`.localeCompare(`${b.firstName} ${b.lastName}`)),
    [people],
  );
  const filtered = useMemo(() => {
    const words = searchText.toLowerCase().split(' ');
    return sortedPeople.filter(({ firstName, lastName, email }) => {
      const text = `${firstName} ${lastName} ${email}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }, [sortedPeople, searchText]);
  const counts = useMemo(
    () => ({
      status: countBy(filtered, ({ isActive, isLocked }) => [String(isActive), `locked ${isLocked}`]),
      license: countBy(filtered, ({ license }) => [license?.licenseTypeId ?? 0]),
      group: countBy(filtered, ({ groups }) => groups),
      twoFactor: countBy(filtered, ({ twoFactorEnabled }) => [String(twoFactorEnabled)]),
    }),
    [filtered],
  );
  const billable = useMemo(() => people.filter(({ license }) => license?.isBillable).length, [people]);
  // oxlint-disable-next-line react/incompatible-library -- the peer is not compiled by the React compiler
  const virtualizer = useVirtualizer({
    count: filtered.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: 10,
  });
  const items = virtualizer.getVirtualItems();
  return createElement(
    'main',
    null,
    createElement('p', null, complete ? `${people.length} people · ${billable} billable` : 'Loading'),
    createElement('input', {
      type: 'search',
      'aria-label': 'Search users',
      value: searchText,
      onChange: ({ target }) => setSearchText(target.value),
    }),
    createElement('p', null, JSON.stringify(counts)),
    createElement(
      'div',
      { ref: scroller, style: LIST_STYLE },
      createElement(
        'table',
        { role: 'grid', 'aria-label': 'Users', 'aria-rowcount': filtered.length + 1 },
        createElement(
          'tbody',
          null,
          createElement('tr', { style: { height: items[0]?.start ?? 0 } }),
          items.map(({ index }) => {
            const person = filtered[index];
            return (
              person &&
              createElement(
                'tr',
                { key: person.id, 'aria-rowindex': index + 2, style: { height: ROW_HEIGHT_PX } },
                createElement(Cells, { person }),
              )
            );
          }),
          createElement('tr', { style: { height: virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0) } }),
        ),
      ),
    ),
  );
}

const root = document.getElementById('root');
if (root) createRoot(root).render(createElement(Peer));
