import { expect, test } from 'vitest';
import { refusedSwitches } from './switches.ts';

const off = { twoFactorEnabled: false, ipRestrictionsEnabled: false };
const on = { twoFactorEnabled: true, ipRestrictionsEnabled: true };

test('what is on cannot be turned off', () => {
  expect(refusedSwitches(on, off)).toEqual(['twoFactorEnabled', 'ipRestrictionsEnabled']);
  expect(refusedSwitches({ ...off, ipRestrictionsEnabled: true }, off)).toEqual(['ipRestrictionsEnabled']);
});

test('turning on, repeating and leaving out are all allowed', () => {
  expect(refusedSwitches(off, on)).toEqual([]);
  expect(refusedSwitches(on, on)).toEqual([]);
  expect(refusedSwitches(off, off)).toEqual([]);
  expect(refusedSwitches(on, {})).toEqual([]);
});
