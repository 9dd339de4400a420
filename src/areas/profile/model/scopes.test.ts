import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SCOPES } from './scopes.ts';

interface Operation {
  'x-scope'?: string;
  'x-capability'?: readonly string[];
}

const contract = JSON.parse(readFileSync('contract/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.values(contract.paths).flatMap((path) => Object.values(path));

it('knows every scope of the contract, and what makes each of use', () => {
  const known = Object.fromEntries(SCOPES.map(({ scope, anyOf }) => [scope, anyOf.toSorted()]));
  const stated: Record<string, Set<string>> = {};
  for (const { 'x-scope': scope, 'x-capability': anyOf = [] } of operations) {
    if (scope === undefined) continue;
    stated[scope] ??= new Set();
    for (const capability of anyOf) stated[scope].add(capability);
  }
  const expected = Object.fromEntries(
    Object.entries(stated).map(([scope, anyOf]) => [scope, [...anyOf].toSorted()]),
  );
  expect(known).toEqual(expected);
});
