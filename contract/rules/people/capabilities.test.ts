import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { capabilities, findMissingCapabilities } from './capabilities.ts';

const names = capabilities.map((capability) => capability.name);

test('lists the capabilities of the contract in the same order', () => {
  const common: unknown = parse(readFileSync(new URL('../../areas/common.yaml', import.meta.url), 'utf8'));
  expect(common).toMatchObject({ schemas: { Capability: { enum: names } } });
});

test('returns the missing capabilities in the order of the required ones', () => {
  expect(findMissingCapabilities(['Manage Users'], ['Run Reports', 'Manage Users', 'Read Data'])).toEqual([
    'Run Reports',
    'Read Data',
  ]);
});

test('nothing is missing when all capabilities are held', () => {
  expect(findMissingCapabilities(names, names)).toEqual([]);
});
