import { expect, test } from 'vitest';
import type { InstallationCheck } from '../../../../contract/generated/types.gen.ts';
import { formatQueue, sortChecks, summarizeChecks } from './installation.ts';

const check = (name: string, status: InstallationCheck['status']): InstallationCheck => ({
  check: name,
  status,
  message: '',
});

test('shows failed checks first and counts them', () => {
  const checks = [
    check('disk', 'ok'),
    check('mail', 'warning'),
    check('tls', 'problem'),
    check('clock', 'ok'),
  ];
  expect(sortChecks(checks).map(({ check: name }) => name)).toEqual(['tls', 'mail', 'disk', 'clock']);
  expect(summarizeChecks(checks)).toBe('1 problem, 1 warning');
  expect(summarizeChecks([check('disk', 'ok')])).toBeUndefined();
});

test('tells how long the oldest item of a queue has been due', () => {
  expect(formatQueue({ queue: 'mail', length: 0, oldestSeconds: 0 })).toBe('Empty');
  expect(formatQueue({ queue: 'mail', length: 2, oldestSeconds: 0.4 })).toBe('2 waiting');
  expect(formatQueue({ queue: 'jobs', length: 1200, oldestSeconds: 180 })).toBe(
    '1,200 waiting, the oldest for 3 min',
  );
});
