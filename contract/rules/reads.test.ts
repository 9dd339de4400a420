import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isWrite } from './reads.ts';

interface Operation {
  operationId: string;
}

const { paths } = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.values(paths).flatMap((item) =>
  Object.entries(item).map(([method, { operationId: id }]) => ({ id, method: method.toUpperCase() })),
);

test('what GET does is no write, and neither are the nine reads that are POST', () => {
  const reads = operations.filter((operation) => !isWrite(operation));
  expect(reads.filter(({ method }) => method !== 'GET').map(({ method }) => method)).toEqual(
    Array.from({ length: 9 }, () => 'POST'),
  );
  expect(operations.filter((operation) => operation.method === 'GET' && isWrite(operation))).toEqual([]);
});
