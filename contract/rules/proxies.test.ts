import { expect, test } from 'vitest';
import { capabilities } from './capabilities.ts';
import { capabilitiesWhenActing } from './proxies.ts';

test('administration of users, security, backups and proxies is never passed on', () => {
  const all = capabilitiesWhenActing(capabilities.map(({ name }) => name));
  expect([...all].filter((name) => /Users|Groups|Licences|Proxies|Backups|Settings/.test(name))).toEqual([]);
  expect(all).toContain('Write Data');
});

test('nothing is gained that the principal lacks', () => {
  expect([...capabilitiesWhenActing(['Read Data', 'Manage Users'])]).toEqual(['Read Data']);
});
