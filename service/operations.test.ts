import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { registry } from './areas/registry.ts';
import { collectHandlers } from './handlers.ts';
import { loadContract } from './kernel/http/contract.ts';

/** Maximum number of operations that answer 501. Lower it with each implemented operation. */
const MAX_NOT_BUILT = 0;

const contract = loadContract(new URL('../contract/openapi.json', import.meta.url));
const notBuilt = registry.notBuilt;
const ids = contract.operations.map(({ id }) => id);

test('the list of operations that are not built only shrinks', () => {
  expect(notBuilt.length).toBe(MAX_NOT_BUILT);
  expect(new Set(notBuilt).size).toBe(notBuilt.length);
});

test('every operation of the contract is either handled or listed as not built', () => {
  expect([...Object.keys(collectHandlers()), ...registry.ownRoutes, ...notBuilt].toSorted()).toEqual(
    ids.toSorted(),
  );
});

test('an operation that is not built documents the status 501', () => {
  const text = readFileSync(new URL('../contract/openapi.json', import.meta.url), 'utf8');
  const items = Object.values(Object(JSON.parse(text).paths)).flatMap((item) => Object.values(Object(item)));
  for (const spec of items
    .map(Object)
    .filter(({ operationId }) => notBuilt.some((id) => id === operationId))) {
    expect(Object.keys(Object(spec.responses))).toContain('501');
  }
});

test('every request and response validator of the contract compiles', () => {
  for (const operation of contract.operations) {
    expect(() => operation.validateRequest({ params: {}, query: {}, body: {} })).not.toThrow();
    for (const status of [200, 202, 204, 206, 400, 401, 500]) {
      expect(() => operation.validateResponse(status, {})).not.toThrow();
    }
  }
});
