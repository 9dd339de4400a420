import { z } from 'zod';
import { zNewPlatformSite } from '../../../api/generated/zod.gen.ts';

export const newSiteSchema = z.object({
  slug: zNewPlatformSite.shape.slug,
  name: z.string().trim().min(1, 'Enter a name').max(100, 'At most 100 characters'),
  administrator: z.object({
    email: z.email('Enter a valid e-mail address'),
    firstName: z.string(),
    lastName: z.string(),
  }),
});
export type NewSiteValues = z.infer<typeof newSiteSchema>;

export const siteSchema = z.object({
  name: z.string().trim().min(1, 'Enter a name').max(100, 'At most 100 characters'),
  dedicatedDomain: z.string().trim().max(253),
  mayManageExistingUsers: z.boolean(),
  hasAgentServer: z.boolean(),
});
export type SiteValues = z.infer<typeof siteSchema>;

/** Suggests a short name: lower-case Latin letters, digits and hyphens. */
export const suggestSlug = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[^a-z]+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
