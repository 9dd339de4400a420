import { expect, test } from 'vitest';
import { capabilities } from './capabilities.ts';
import { getActingCapabilities } from './proxies.ts';

test('does not delegate administration of users, security, backups and proxies', () => {
  const all = getActingCapabilities(capabilities.map(({ name }) => name));
  expect([...all].filter((name) => /Users|Groups|Licences|Proxies|Backups|Settings/.test(name))).toEqual([]);
  expect(all).toContain('Write Data');
});

test('delegates only capabilities of the principal', () => {
  expect([...getActingCapabilities(['Read Data', 'Manage Users'])]).toEqual(['Read Data']);
});
