import { z } from 'zod';

/** Incremented with every change of the format: older services reject newer formats, newer services read older ones. */
export const FORMAT_VERSION = 4;
export const MANIFEST_NAME = 'manifest.json';

export const Member = z.object({
  name: z.string().max(300),
  kind: z.string().max(40),
  title: z.string().nullable(),
  /** Number of records; null for the bytes of a file. */
  rows: z.number().int().nonnegative().nullable(),
  /** Size before compression; the hash covers the same bytes. */
  size: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** Content of `manifest.json`: everything needed to check that the backup is complete. */
export const Manifest = z.object({
  format: z.literal('steward-backup'),
  formatVersion: z.number().int().positive(),
  serviceVersion: z.string(),
  /** Time of the snapshot. */
  createdDate: z.iso.datetime(),
  schemaVersion: z.number().int(),
  site: z.object({ slug: z.string(), name: z.string() }),
  /** Whether it contains all entry types. */
  isWholeSite: z.boolean(),
  entryTypes: z.array(z.string()),
  includesFiles: z.boolean(),
  notIncluded: z.array(z.string()),
  members: z.array(Member),
});

export type Manifest = z.infer<typeof Manifest>;
export type Member = z.infer<typeof Member>;

/** What a backup does not contain, and the consequences for a restored site. */
export const NOT_INCLUDED = [
  'Passwords: whoever has no account on the other platform sets a new one with a link',
  'Sessions, access tokens and API keys: people sign in again, programs get new keys',
  'Second factors: they are set up again at the next sign-in',
  'Links of invitations: those still open are sent again',
  'The identity provider of the site: it is set up again, its secret is sealed for its installation',
  'E-mails and meetings of Relationship Intelligence: they are imported again',
  'The audit log, the activity report, reports of acting, events and mails: they stay with their installation',
];
