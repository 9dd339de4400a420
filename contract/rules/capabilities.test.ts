import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { capabilities, capabilitiesNotHeld } from './capabilities.ts';

const names = capabilities.map((capability) => capability.name);

test('the list and its order are those of the contract', () => {
  const common: unknown = parse(readFileSync(new URL('../areas/common.yaml', import.meta.url), 'utf8'));
  expect(common).toMatchObject({ schemas: { Capability: { enum: names } } });
});

test('what is wanted but not held is named, in the order wanted', () => {
  expect(capabilitiesNotHeld(['Manage Users'], ['Run Reports', 'Manage Users', 'Read Data'])).toEqual([
    'Run Reports',
    'Read Data',
  ]);
});

test('whoever holds everything can grant everything', () => {
  expect(capabilitiesNotHeld(names, names)).toEqual([]);
});
