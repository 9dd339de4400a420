import { expect, test } from 'vitest';
import { registry } from '../areas/registry.ts';
import { collectHandlers } from '../handlers.ts';
import { loadContract } from '../kernel/http/contract.ts';

const contract = loadContract(new URL('../../contract/openapi.json', import.meta.url));
const ids = contract.operations.map(({ id }) => id);

test('every operation of the contract is handled', () => {
  expect([...Object.keys(collectHandlers()), ...registry.ownRoutes].toSorted()).toEqual(ids.toSorted());
});

test('every request and response validator of the contract compiles', () => {
  for (const operation of contract.operations) {
    expect(() => operation.validateRequest({ params: {}, query: {}, body: {} })).not.toThrow();
    for (const status of [200, 202, 204, 206, 400, 401, 500]) {
      expect(() => operation.validateResponse(status, {})).not.toThrow();
    }
  }
});
