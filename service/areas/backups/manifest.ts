import { z } from 'zod';

/** Raised with every change of what is written: an older service refuses it, a newer one still reads the older ones. */
export const FORMAT_VERSION = 2;
export const MANIFEST = 'manifest.json';

const Member = z.object({
  name: z.string().max(300),
  kind: z.string().max(40),
  title: z.string().nullable(),
  /** Records in it; null for the bytes of a file. */
  rows: z.number().int().nonnegative().nullable(),
  /** Before compression, as the hash is. */
  size: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** What stands in `manifest.json`: everything needed to tell whether the rest is whole. */
export const Manifest = z.object({
  format: z.literal('steward-backup'),
  formatVersion: z.number().int().positive(),
  serviceVersion: z.string(),
  /** Moment of the snapshot. */
  createdDate: z.iso.datetime(),
  schemaVersion: z.number().int(),
  site: z.object({ slug: z.string(), name: z.string() }),
  /** Whether all entry types are in it. */
  isWholeSite: z.boolean(),
  entryTypes: z.array(z.string()),
  includesFiles: z.boolean(),
  notIncluded: z.array(z.string()),
  members: z.array(Member),
});

export type Manifest = z.infer<typeof Manifest>;
export type Member = z.infer<typeof Member>;

/** What nobody finds in a backup, and what that means for those who are restored from one. */
export const NOT_INCLUDED = [
  'Passwords: whoever has no account on the other platform sets a new one with a link',
  'Sessions, access tokens and API keys: people sign in again, programs get new keys',
  'Second factors: they are set up again at the next sign-in',
  'Links of invitations: those still open are sent again',
  'The identity provider of the site: it is set up again, its secret is sealed for its installation',
  'The audit log, the activity report, reports of acting, events and mails: they stay with their installation',
];
