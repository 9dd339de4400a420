import { expect, it } from 'vitest';
import { capabilitiesWhenActing } from '../../../contract/rules/proxies.ts';
import { capabilities } from '../../../contract/rules/capabilities.ts';
import { reasonClosed } from './area-needs.ts';
import { AREAS } from './areas.ts';

it('closes what acting never opens, and says what it needs', () => {
  const all = capabilities.map(({ name }) => name);
  const acting = { capabilities: [...capabilitiesWhenActing(all)] };
  const closed = AREAS.filter(({ path }) => reasonClosed(acting, path) !== undefined).map(({ path }) => path);
  expect(closed).toEqual(['/proxies', '/invitations', '/backups', '/settings']);
  expect(reasonClosed(acting, '/proxies')).toBe('Needs the capability Manage Proxies');
  expect(AREAS.filter(({ path }) => reasonClosed({ capabilities: all }, path) !== undefined)).toEqual([]);
});
