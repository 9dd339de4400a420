import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TABLE_VIEW_OPERATIONS } from '../../../../contract/rules/table-views.ts';
import { SCOPES } from './scopes.ts';

interface Operation {
  operationId: string;
  'x-scope'?: string;
  'x-capability'?: readonly string[];
}

const contract = JSON.parse(readFileSync('contract/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.values(contract.paths).flatMap((path) => Object.values(path));

/** Operations that check scope and capability of each part of their answer, and so open no scope to anybody. */
const CHECKED_BY_PART = new Set([...TABLE_VIEW_OPERATIONS, 'listSiteFigures']);

it('lists every scope of the contract with the capabilities of its operations', () => {
  const actual = Object.fromEntries(SCOPES.map(({ scope, anyOf }) => [scope, anyOf.toSorted()]));
  const capabilitiesByScope: Record<string, Set<string>> = {};
  for (const { operationId, 'x-scope': scope, 'x-capability': anyOf = [] } of operations) {
    // Agent keys have a scope of their own, which API keys cannot have (shapes 8).
    if (scope === undefined || scope === 'agent' || CHECKED_BY_PART.has(operationId)) continue;
    capabilitiesByScope[scope] ??= new Set();
    for (const capability of anyOf) capabilitiesByScope[scope].add(capability);
  }
  const expected = Object.fromEntries(
    Object.entries(capabilitiesByScope).map(([scope, anyOf]) => [scope, [...anyOf].toSorted()]),
  );
  expect(actual).toEqual(expected);
});
