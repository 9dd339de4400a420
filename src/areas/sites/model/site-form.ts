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
  storageQuota: z
    .string()
    .trim()
    .regex(
      /^(\d{1,6}(\.\d{1,9})?)?$/,
      'Enter a number of gigabytes such as 20 or 0.5, or leave the field empty',
    ),
});
export type SiteValues = z.infer<typeof siteSchema>;

const BYTES_PER_GB = 1e9;

/** Parses gigabytes of the form; nothing is null, the default of the host. */
export const parseQuota = (gigabytes: string): number | null =>
  gigabytes === '' ? null : Math.round(Number(gigabytes) * BYTES_PER_GB);

/** Formats a number of bytes as gigabytes of the form, so that parsing returns the same number. */
export const formatQuota = (bytes: number | null): string =>
  bytes === null ? '' : (bytes / BYTES_PER_GB).toFixed(9).replace(/\.?0+$/, '');

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
