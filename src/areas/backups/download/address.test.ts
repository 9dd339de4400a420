import { expect, test } from 'vitest';
import { findAddressProblem } from './address.ts';

const at = (ipAddress: string, sessionAddress: string | null = '203.0.113.7') => ({
  ipAddress,
  sessionAddress,
});

test('an address that changes is a problem, before it interrupts a download', () => {
  expect(findAddressProblem(at('203.0.113.7'), undefined)).toBeUndefined();
  expect(findAddressProblem(at('203.0.113.7'), at('203.0.113.7'))).toBeUndefined();
  expect(findAddressProblem(at('203.0.113.7', null), undefined)).toBeUndefined();
  expect(findAddressProblem(at('198.51.100.4'), undefined)).toBe(
    'You signed in from 203.0.113.7, and your address is 198.51.100.4 now.',
  );
  expect(findAddressProblem(at('198.51.100.4'), at('203.0.113.7'))).toBe(
    'Your address has just changed from 203.0.113.7 to 198.51.100.4.',
  );
});
