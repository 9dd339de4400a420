import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

test.each([
  [undefined, 10e9],
  ['500MB', 500e6],
  ['1.5 tb', 1.5e12],
  ['off', null],
])('reads STEWARD_STORAGE_QUOTA %s', (text, bytes) =>
  expect(readConfig({ STEWARD_STORAGE_QUOTA: text }).storageQuota).toBe(bytes),
);

test('calls public addresses only unless STEWARD_EGRESS_ALLOW lists others', () => {
  expect(readConfig({}).egressRules).toEqual([{ kind: 'public' }]);
  expect(readConfig({ STEWARD_EGRESS_ALLOW: 'Login.corp.example:8443, 10.1.0.0/16' }).egressRules).toEqual([
    { kind: 'host', host: 'login.corp.example', port: 8443 },
    { kind: 'network', network: '10.1.0.0/16', port: undefined },
  ]);
  expect(readConfig({ STEWARD_EGRESS_ALLOW: '' }).egressRules).toEqual([]);
});

test.each([
  ['STEWARD_STORAGE_QUOTA', '10'],
  ['STEWARD_STORAGE_QUOTA', '-1GB'],
  ['STEWARD_EGRESS_ALLOW', 'https://login.example'],
])('refuses %s=%s', (name, value) => expect(() => readConfig({ [name]: value })).toThrow(`${name}: `));
