import { QueryClient } from '@tanstack/react-query';
import { StickyNote } from 'lucide-react';
import { expect, it } from 'vitest';
import contract from '../../contract/openapi.json' with { type: 'json' };
import { READ_ONLY_POSTS } from '../../contract/rules/operations.ts';
import { capabilities } from '../../contract/rules/people/capabilities.ts';
import { getActingCapabilities } from '../../contract/rules/people/proxies.ts';
import { searchUsersOptions } from '../api/generated/queries/users.gen.ts';
import { invalidateAfter, setInvalidations } from '../api/invalidation.ts';
import { closedReason, collectAreas } from './area/collect-areas.ts';
import { defineArea } from './area/define-area.ts';
import { INVALIDATIONS, registry } from './registry.ts';

const WRITES = ['post', 'put', 'delete', 'patch'];

const paths: Record<string, Record<string, { operationId?: string }>> = contract.paths;
const operations = Object.values(paths).flatMap((item) => Object.entries(item));
const idsOf = (methods: string[]) =>
  operations.flatMap(([method, { operationId }]) =>
    operationId && methods.includes(method) ? [operationId] : [],
  );

it('lists the invalidations of every write of the contract, and of nothing else', () => {
  const writes = idsOf(WRITES).filter((id) => !READ_ONLY_POSTS.has(id));
  expect(Object.keys(INVALIDATIONS).toSorted()).toEqual(writes.toSorted());
});

it('invalidates only reads', () => {
  const reads = new Set([...idsOf(['get']), ...READ_ONLY_POSTS]);
  expect(
    Object.values(INVALIDATIONS)
      .flat()
      .filter((id) => !reads.has(id)),
  ).toEqual([]);
});

it('invalidates cached reads through their generated keys', async () => {
  setInvalidations(INVALIDATIONS);
  const queryClient = new QueryClient();
  const list = searchUsersOptions({ query: { pageNumber: 2 } }).queryKey;
  queryClient.setQueryData(list, []);
  await invalidateAfter(queryClient, 'createUser');
  expect(queryClient.getQueryState(list)?.isInvalidated).toBe(true);
});

it('closes the pages that a proxy may never open, and names the capability', () => {
  const all = capabilities.map(({ name }) => name);
  const acting = { capabilities: [...getActingCapabilities(all)] };
  const closed = registry.entries.filter((entry) => closedReason(acting, entry) !== undefined);
  expect(closed.map(({ path }) => path)).toEqual(['/proxies', '/invitations', '/backups', '/settings']);
  expect(closed.map((entry) => closedReason(acting, entry))).toContain(
    'You need the Manage Proxies capability',
  );
  expect(
    registry.entries.filter((entry) => closedReason({ capabilities: all }, entry) !== undefined),
  ).toEqual([]);
});

it('refuses two areas with the same path', () => {
  const first = registry.areas.slice(0, 1);
  expect(() => collectAreas([...first, ...first])).toThrow('Two areas list the navigation path "/"');
});

it('shows an area that is added by one line in the navigation, the palette and the audit sentences', () => {
  const notesArea = defineArea({
    name: 'notes',
    navigation: [
      { group: 'Data', path: '/notes', name: 'Notes', icon: StickyNote, key: 'n', needs: 'listEntryTypes' },
    ],
    commands: [{ label: 'New note', icon: StickyNote, to: '/notes/new', needs: 'createEntries' }],
    auditSentences: { 'note.create': 'Wrote a note' },
  });
  const extended = collectAreas([...registry.areas, notesArea]);
  const data = extended.navigation.find(({ name }) => name === 'Data');
  expect(data?.entries.at(-1)?.path).toBe('/notes');
  expect(extended.commands.map(({ label }) => label)).toContain('New note');
  expect(extended.auditSentences['note.create']).toBe('Wrote a note');
  const [note] = notesArea.navigation;
  expect(closedReason({ capabilities: ['View Activity'] }, note)).toContain('You need');
});
