import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import contract from '../../contract/openapi.json' with { type: 'json' };
import { READING_POSTS } from '../../contract/rules/reads.ts';
import { EFFECTS, markStale } from './effects.ts';
import { searchUsersOptions } from './generated/@tanstack/react-query.gen.ts';

const WRITES = ['post', 'put', 'delete', 'patch'];

const paths: Record<string, Record<string, { operationId?: string }>> = contract.paths;
const operations = Object.values(paths).flatMap((item) => Object.entries(item));
const idsOf = (methods: string[]) =>
  operations.flatMap(([method, { operationId }]) =>
    operationId && methods.includes(method) ? [operationId] : [],
  );

it('has a row for every write of the contract, and for nothing else', () => {
  const writes = idsOf(WRITES).filter((id) => !READING_POSTS.has(id));
  expect(Object.keys(EFFECTS).toSorted()).toEqual(writes.toSorted());
});

it('makes only reads stale', () => {
  const reads = new Set([...idsOf(['get']), ...READING_POSTS]);
  expect(
    Object.values(EFFECTS)
      .flat()
      .filter((id) => !reads.has(id)),
  ).toEqual([]);
});

it('reaches the cached reads through their generated keys', async () => {
  const queryClient = new QueryClient();
  const list = searchUsersOptions({ query: { pageNumber: 2 } }).queryKey;
  queryClient.setQueryData(list, []);
  await markStale(queryClient, 'createUser');
  expect(queryClient.getQueryState(list)?.isInvalidated).toBe(true);
});
