import { expect, it } from 'vitest';
import { newSiteSchema, suggestSlug } from './site-form.ts';

it.each([
  ['Northwind Capital', 'northwind-capital'],
  ['  3M Élan & Søn ', 'm-elan-s-n'],
  ['東京', ''],
  [`${'a'.repeat(39)} b`, 'a'.repeat(39)],
])('suggests a short name for %s', (name, slug) => expect(suggestSlug(name)).toBe(slug));

it('suggests a short name that the contract accepts', () => {
  const site = {
    name: 'Northwind Capital',
    administrator: { email: 'a@b.test', firstName: '', lastName: '' },
  };
  expect(newSiteSchema.safeParse({ ...site, slug: suggestSlug(site.name) }).success).toBe(true);
  expect(newSiteSchema.safeParse({ ...site, slug: 'No Spaces' }).success).toBe(false);
});
