import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isWrite, READ_ONLY_POSTS } from './operations.ts';

interface Operation {
  operationId: string;
}

const { paths } = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.values(paths).flatMap((item) =>
  Object.entries(item).map(([method, { operationId: id }]) => ({ id, method: method.toUpperCase() })),
);

test('GET operations and the listed POST operations are not writes', () => {
  const reads = operations.filter((operation) => !isWrite(operation));
  const others = reads.filter(({ method }) => method !== 'GET');
  expect(others.map(({ id }) => id).toSorted()).toEqual([...READ_ONLY_POSTS].toSorted());
  expect(new Set(others.map(({ method }) => method))).toEqual(new Set(['POST']));
  expect(operations.filter((operation) => operation.method === 'GET' && isWrite(operation))).toEqual([]);
});
