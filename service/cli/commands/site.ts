import { formatTimeZoneError } from '../../../contract/rules/dates/time-zones.ts';
import { getLicenseName } from '../../../contract/rules/people/licenses.ts';
import { normalizeDomain } from '../../areas/invitations/index.ts';
import { listSeatTotals, setSeatTotal, type StoredSeatTotal } from '../../areas/licenses/index.ts';
import { insertSite } from '../../areas/platform/index.ts';
import { normalizeTimeZone } from '../../areas/sites/index.ts';
import { diffProperties, change, createHostActor, type Recorder } from '../../kernel/audit/change.ts';
import { hasAdministrator } from '../../kernel/auth/callers.store.ts';
import { createLink } from '../../kernel/auth/one-time-links.store.ts';
import type { Tx } from '../../kernel/db/database.ts';
import {
  type CommandContext,
  CommandError,
  defineCommand,
  parseName,
  rejectArguments,
  requirePublicUrl,
} from './command.ts';
import { listSites, lockSite, resolveSite, updateSite, type SiteRow } from './commands.store.ts';

type SiteWithMembers = SiteRow & { members: number };

const formatSite = (site: SiteWithMembers) => ({
  slug: site.slug,
  name: site.name,
  members: site.members,
  identityMode: site.identity_mode,
  dedicatedDomain: site.dedicated_domain,
  existingUsers: site.may_manage_existing_users ? 'allow' : 'deny',
});

export const listAllSites = defineCommand({
  name: 'site list',
  summary: 'List all sites',
  options: {},
  run: async ({ db }) => (await listSites(db)).map(formatSite),
});

export const showSite = defineCommand({
  name: 'site show',
  args: '<slug>',
  summary: 'Print one site',
  options: {},
  run: async ({ db }, args) => formatSite(await resolveSite(db, requireSlug(args))),
});

/** The form of short names in the interface (NewPlatformSite.slug). */
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Creates an empty site and a one-time link for its first administrator. */
export const createNewSite = defineCommand({
  name: 'site create',
  args: '<slug>',
  summary: 'Create an empty site and print a link for its first administrator',
  options: {
    name: { type: 'string', value: 'name', description: 'name of the site' },
    'time-zone': {
      type: 'string',
      value: 'zone',
      description: 'IANA name such as Europe/Lisbon; default: UTC',
    },
  },
  async run(context, args, values) {
    const slug = requireSlug(args);
    if (!SLUG.test(slug))
      throw new CommandError('The slug must have lower-case letters, digits and dashes, such as northlight');
    const name = parseName('--name', values.name);
    if (!name) throw new CommandError('Give the name of the site: --name "Northlight Capital"');
    const zoneName = values['time-zone'] ?? 'UTC';
    const timeZone = normalizeTimeZone(zoneName);
    if (timeZone === undefined) throw new CommandError(`--time-zone: ${formatTimeZoneError(zoneName)}`);
    requirePublicUrl(context);
    // Every record names the new site, which has no id before.
    return change(context.db, createHostActor(0), async (tx, record) => {
      const siteId = await insertSite(tx, { slug, name, timeZone });
      if (siteId === undefined) throw new CommandError(`A site with the slug ${slug} exists already`);
      record({
        siteId,
        action: 'site.create',
        subject: ['site', siteId],
        changes: { slug: [null, slug], name: [null, name], timeZone: [null, timeZone] },
      });
      return { slug, name, timeZone, link: await createAdministratorLink(context, tx, siteId, record) };
    });
  },
});

/** Prints the link that `npm start` shows on a terminal. */
export const printAdministratorLink = defineCommand({
  name: 'site administrator-link',
  args: '[slug]',
  summary: 'Print the one-time link for the first administrator of a site',
  details: 'It works once and for 24 hours, and the link printed before no longer works.',
  options: {},
  async run(context, [slug, ...rest]) {
    rejectArguments(rest);
    const site = await resolveSite(context.db, slug, 'site administrator-link SLUG');
    return change(context.db, createHostActor(site.site_id), async (tx, record) => {
      if (await hasAdministrator(tx, site.site_id))
        throw new CommandError(`${site.slug} has an administrator. To add one: user make-admin`);
      return { site: site.slug, link: await createAdministratorLink(context, tx, site.site_id, record) };
    });
  },
});

async function createAdministratorLink(
  context: CommandContext,
  tx: Tx,
  siteId: number,
  record: Recorder,
): Promise<string> {
  const publicUrl = requirePublicUrl(context);
  record({ siteId, action: 'site.administrator-link', subject: ['site', siteId], changes: {} });
  const token = await createLink(tx, { purpose: 'first-administrator', siteId, userId: null });
  return `${publicUrl}/link#${token}`;
}

/**
 * Sets whether the site may add users of other sites without their confirmation and from which domain (spec 4.2 rule 2, 5.6), or
 * switches from an identity manager that does not work back to passwords.
 */
export const setSite = defineCommand({
  name: 'site set',
  args: '<slug>',
  summary: 'Change the settings of a site',
  options: {
    'dedicated-domain': {
      type: 'string',
      value: 'domain',
      description: 'e-mail domain of users whom the site may add',
    },
    'no-dedicated-domain': { type: 'boolean', description: 'no such domain' },
    'existing-users': {
      type: 'string',
      value: 'allow|deny',
      description: 'whether the site may add users of other sites without their confirmation',
    },
    'sign-in': {
      type: 'string',
      value: 'password',
      description: 'restore access if the identity manager does not work',
    },
  },
  async run({ db }, args, values) {
    const slug = requireSlug(args);
    const newValues = {
      dedicated_domain: parseDomainOption(values),
      may_manage_existing_users: parseExistingUsersOption(values),
      identity_mode: parseSignInOption(values),
    };
    if (Object.values(newValues).every((value) => value === undefined))
      throw new CommandError(
        'Specify what to set: --dedicated-domain DOMAIN, --no-dedicated-domain, --existing-users allow|deny, --sign-in password',
      );
    const { site_id: siteId } = await resolveSite(db, slug);
    return change(db, createHostActor(siteId), async (tx, record) => {
      const before = await lockSite(tx, siteId);
      const after = await updateSite(tx, siteId, newValues);
      const changes = diffProperties(getAuditedFields(before), getAuditedFields(after));
      if (Object.keys(changes).length > 0)
        record({ action: 'cli.site-set', subject: ['site', siteId], changes });
      return formatSite(after);
    });
  },
});

/** Options of the license types that have seats (spec 2.2); users with No License need none. */
const SEAT_OPTIONS = [
  { option: 'standard', licenseTypeId: 1 },
  { option: 'limited', licenseTypeId: 2 },
  { option: 'free', licenseTypeId: 3 },
] as const;
type SeatOption = (typeof SEAT_OPTIONS)[number]['option'];

const MAX_SEATS = 0x7fffffff;

/** Prints the seats of a site by license type, and sets how many are agreed with it. */
export const setSiteSeats = defineCommand({
  name: 'site seats',
  args: '<slug>',
  summary: 'Print the agreed, held and free seats of a site, or set the agreed ones',
  details:
    'The console shows them under Licenses. When more are held than agreed it says so; nothing is refused.',
  options: {
    standard: { type: 'string', value: 'n|none', description: 'agreed Standard licenses; none: no limit' },
    limited: { type: 'string', value: 'n|none', description: 'agreed Limited licenses' },
    free: { type: 'string', value: 'n|none', description: 'agreed Free/Complimentary licenses' },
  },
  async run({ db }, args, values) {
    const { site_id: siteId } = await resolveSite(db, requireSlug(args));
    const totals = SEAT_OPTIONS.flatMap(({ option, licenseTypeId }) => {
      const total = parseSeats(option, values[option]);
      return total === undefined ? [] : [{ option, licenseTypeId, total }];
    });
    if (totals.length === 0) return formatSeats(await listSeatTotals(db, siteId));
    return change(db, createHostActor(siteId), async (tx, record) => {
      await lockSite(tx, siteId);
      const before = await listSeatTotals(tx, siteId);
      for (const { licenseTypeId, total } of totals) await setSeatTotal(tx, siteId, licenseTypeId, total);
      const after = await listSeatTotals(tx, siteId);
      const changes = diffProperties(getAuditedSeats(before), getAuditedSeats(after));
      if (Object.keys(changes).length > 0)
        record({ action: 'cli.site-seats', subject: ['site', siteId], changes });
      return formatSeats(after);
    });
  },
});

/** @throws CommandError for anything but a whole number from 0 and `none` */
function parseSeats(option: SeatOption, text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'none') return null;
  const total = Number(text);
  if (!/^\d{1,10}$/.test(text) || total > MAX_SEATS)
    throw new CommandError(`--${option} must be a number of seats from 0, or none for no limit`);
  return total;
}

const formatSeats = (totals: readonly StoredSeatTotal[]) =>
  totals.map(({ licenseTypeId, total, held, free }) => ({
    license: getLicenseName(licenseTypeId),
    agreed: total,
    held,
    free,
  }));

/** The agreed seats by name: `standardSeats`. */
const getAuditedSeats = (totals: readonly StoredSeatTotal[]) =>
  Object.fromEntries(
    SEAT_OPTIONS.map(({ option, licenseTypeId }) => [
      `${option}Seats`,
      totals.find((each) => each.licenseTypeId === licenseTypeId)?.total ?? null,
    ]),
  );

const getAuditedFields = (site: SiteWithMembers) => ({
  dedicatedDomain: site.dedicated_domain,
  mayManageExistingUsers: site.may_manage_existing_users,
  identityMode: site.identity_mode,
});

interface SiteOptions {
  'dedicated-domain'?: string | undefined;
  'no-dedicated-domain'?: boolean | undefined;
  'existing-users'?: string | undefined;
  'sign-in'?: string | undefined;
}

/** @throws CommandError unless there is one argument */
function requireSlug([slug, ...rest]: readonly string[]): string {
  if (slug === undefined) throw new CommandError('Give the slug of one site; site list prints them');
  rejectArguments(rest);
  return slug;
}

function parseDomainOption(values: SiteOptions): string | null | undefined {
  const text = values['dedicated-domain'];
  if (values['no-dedicated-domain']) {
    if (text !== undefined) throw new CommandError('Use either --dedicated-domain or --no-dedicated-domain');
    return null;
  }
  if (text === undefined) return undefined;
  const domain = normalizeDomain(text);
  if (domain === undefined)
    throw new CommandError(`${text} is not an e-mail domain such as northlight.example, without @ and *`);
  return domain;
}

function parseExistingUsersOption(values: SiteOptions): boolean | undefined {
  const text = values['existing-users'];
  if (text === undefined) return undefined;
  if (text === 'allow' || text === 'deny') return text === 'allow';
  throw new CommandError('--existing-users must be allow or deny');
}

/** Only switching back to passwords is possible; identity managers are configured in the console. */
function parseSignInOption(values: SiteOptions): 'password' | undefined {
  const text = values['sign-in'];
  if (text === undefined || text === 'password') return text;
  throw new CommandError('--sign-in must be password; identity managers are configured in the console');
}
