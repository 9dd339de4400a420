import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isWrite, READING_POSTS } from './reads.ts';

interface Operation {
  operationId: string;
}

const { paths } = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.values(paths).flatMap((item) =>
  Object.entries(item).map(([method, { operationId: id }]) => ({ id, method: method.toUpperCase() })),
);

test('what GET does is no write, and neither are the reads that are POST', () => {
  const reads = operations.filter((operation) => !isWrite(operation));
  const others = reads.filter(({ method }) => method !== 'GET');
  expect(others.map(({ id }) => id).toSorted()).toEqual([...READING_POSTS].toSorted());
  expect(new Set(others.map(({ method }) => method))).toEqual(new Set(['POST']));
  expect(operations.filter((operation) => operation.method === 'GET' && isWrite(operation))).toEqual([]);
});
