import { expect, it } from 'vitest';
import { newSiteSchema, slugOf } from './site-form.ts';

it.each([
  ['Northwind Capital', 'northwind-capital'],
  ['  3M Élan & Søn ', 'm-elan-s-n'],
  ['東京', ''],
  [`${'a'.repeat(39)} b`, 'a'.repeat(39)],
])('proposes a short name for %s', (name, slug) => expect(slugOf(name)).toBe(slug));

it('proposes what the service takes', () => {
  const site = {
    name: 'Northwind Capital',
    administrator: { email: 'a@b.test', firstName: '', lastName: '' },
  };
  expect(newSiteSchema.safeParse({ ...site, slug: slugOf(site.name) }).success).toBe(true);
  expect(newSiteSchema.safeParse({ ...site, slug: 'No Spaces' }).success).toBe(false);
});
