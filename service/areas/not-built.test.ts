import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { handlers } from '../handlers.ts';
import { loadContract } from '../kernel/http/contract.ts';
import { notBuilt } from './not-built.ts';

/** How many operations may answer 501. Lower it with each one that is built; it never rises. */
const AT_MOST = 19;

const contract = loadContract(new URL('../../contract/openapi.json', import.meta.url));
const ids = contract.operations.map(({ id }) => id);

test('the list of operations that are not built only shrinks', () => {
  expect(notBuilt.length).toBe(AT_MOST);
  expect(new Set(notBuilt).size).toBe(notBuilt.length);
});

test('every operation of the contract is handled or in the list, none is both, and nothing else is in either', () => {
  expect([...Object.keys(handlers), ...notBuilt].toSorted()).toEqual(ids.toSorted());
});

test('an unbuilt operation says that it may answer 501', () => {
  const text = readFileSync(new URL('../../contract/openapi.json', import.meta.url), 'utf8');
  const items = Object.values(Object(JSON.parse(text).paths)).flatMap((item) => Object.values(Object(item)));
  for (const spec of items
    .map(Object)
    .filter(({ operationId }) => notBuilt.some((id) => id === operationId))) {
    expect(Object.keys(Object(spec.responses))).toContain('501');
  }
});

test('every validator of the contract compiles, those of answers too', () => {
  for (const operation of contract.operations) {
    expect(() => operation.check({ params: {}, query: {}, body: {} })).not.toThrow();
    for (const status of [200, 202, 204, 206, 400, 401, 500]) {
      expect(() => operation.checkAnswer(status, {})).not.toThrow();
    }
  }
});
