import { expect, it } from 'vitest';
import { formatQuota, newSiteSchema, parseQuota, siteSchema, suggestSlug } from './site-form.ts';

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

it.each([null, 0, 1, 500_000_000, 10_000_000_000, 20_000_000_000, 123_456_789_012_345])(
  'formats a quota of %s bytes as gigabytes that the form accepts',
  (bytes) => {
    const storageQuota = formatQuota(bytes);
    const values = { name: 'One', dedicatedDomain: '', mayManageExistingUsers: false, hasAgentServer: false };
    expect(siteSchema.parse({ ...values, storageQuota }).storageQuota).toBe(storageQuota);
    expect(parseQuota(storageQuota)).toBe(bytes);
  },
);

it.each(['ten', '-1', '1e3', '1,5', '1.'])('rejects the quota %j', (storageQuota) =>
  expect(siteSchema.shape.storageQuota.safeParse(storageQuota).success).toBe(false),
);
