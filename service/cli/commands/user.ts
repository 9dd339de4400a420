import { formatTimeZoneError } from '../../../contract/rules/dates/time-zones.ts';
import { resetFactors } from '../../areas/access/index.ts';
import {
  addToGroups,
  ensureAdministratorsGroup,
  lockUser,
  recordNewMember,
  recordGroupMemberChanges,
  requireAdministrator,
  recordUserChanges,
} from '../../areas/members/index.ts';
import { normalizeTimeZone } from '../../areas/sites/index.ts';
import { insertAccount, insertMembership, setMembershipFields } from '../../areas/users/index.ts';
import { change, createHostActor, type Recorder } from '../../kernel/audit/change.ts';
import { deleteSessionsAndTokens, deleteSetPasswordLinks } from '../../kernel/auth/callers.store.ts';
import { createLink } from '../../kernel/auth/one-time-links.store.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normalizeEmail } from '../../kernel/email.ts';
import {
  CommandError,
  type CommandContext,
  defineCommand,
  parseName,
  rejectArguments,
  requireEmail,
  requirePublicUrl,
} from './command.ts';
import {
  endSessions,
  resolveHomeSite,
  resolveMembership,
  resolveSite,
  restoreAccess,
  requireAccount,
  requireGroups,
  type SiteRow,
} from './commands.store.ts';

const SITE_OPTION = {
  site: { type: 'string', value: 'slug', description: 'site, if there are several' },
} as const;

export const createUser = defineCommand({
  name: 'user create',
  args: '<email>',
  summary: 'Create a user and print a link to set the password',
  options: {
    ...SITE_OPTION,
    'first-name': { type: 'string', value: 'name', description: 'required' },
    'last-name': { type: 'string', value: 'name', description: 'required' },
    'time-zone': {
      type: 'string',
      value: 'zone',
      description: 'IANA name such as Europe/Lisbon; default: the zone of the site',
    },
    group: { type: 'string', multiple: true, value: 'name', description: 'group of the user' },
  },
  async run(context, args, values) {
    const email = requireEmail(args);
    const firstName = parseName('--first-name', values['first-name']);
    const lastName = parseName('--last-name', values['last-name']);
    if (!firstName || !lastName) throw new CommandError('Give both --first-name and --last-name');
    const zoneName = values['time-zone'];
    const timeZone = zoneName === undefined ? undefined : normalizeTimeZone(zoneName);
    if (zoneName !== undefined && timeZone === undefined)
      throw new CommandError(`--time-zone: ${formatTimeZoneError(zoneName)}`);
    const site = await resolveSite(context.db, values.site);
    return change(context.db, createHostActor(site.site_id), async (tx, record) => {
      const groupIds = await requireGroups(tx, site.site_id, values.group ?? []);
      const { email: address, key } = normalizeEmail(email);
      const account = {
        email: address,
        emailKey: key,
        firstName,
        lastName,
        passwordHash: null,
        federationId: null,
      };
      const userId = await insertAccount(tx, site.site_id, account);
      if (userId === undefined)
        throw new CommandError(`An account with the e-mail address ${email} already exists`);
      await insertMembership(tx, site.site_id, userId, null, { timeZone });
      await recordNewMember(tx, site.site_id, { userId, groupIds }, 'cli.user-create', record);
      return formatUserWithLink(context, tx, site, { userId, email: address });
    });
  },
});

/** Sessions and tokens end at once. `--force` is for a stolen account. */
export const deactivateUser = defineCommand({
  name: 'user deactivate',
  args: '<email>',
  summary: 'Prevent a user from signing in to a site',
  options: {
    ...SITE_OPTION,
    force: { type: 'boolean', description: 'even if no administrator remains' },
  },
  async run({ db }, args, values) {
    const email = requireEmail(args);
    const { site, userId } = await resolveMembership(db, email, values.site);
    return change(
      db,
      createHostActor(site.site_id),
      async (tx, record) => {
        const before = await lockUser(tx, site.site_id, userId);
        if (!before) throw new CommandError(`${email} is not a member of ${site.slug}`);
        setMembershipFields(tx, site.site_id, [userId], { isActive: false });
        await deleteSessionsAndTokens(tx, site.site_id, [userId]);
        await deleteSetPasswordLinks(tx, [userId], site.site_id);
        if (!values.force) await requireAdministrator(tx, site.site_id);
        await recordUserChanges(tx, createHostActor(site.site_id), [before], 'cli.user-deactivate', record);
        return { id: userId, email, site: site.slug, isActive: false };
      },
      { lockSite: true },
    );
  },
});

/** Prints the link that is otherwise mailed. */
export const printPasswordLink = defineCommand({
  name: 'user set-password-link',
  args: '<email>',
  summary: 'Print a link to set the password, which works once and for 24 hours',
  options: SITE_OPTION,
  async run(context, args, values) {
    const email = requireEmail(args);
    const { site, userId } = await resolveMembership(context.db, email, values.site);
    if (site.identity_mode === 'identity-manager') {
      throw new CommandError(
        `Users sign in to ${site.slug} through its identity manager, not with a password`,
      );
    }
    return change(context.db, createHostActor(site.site_id), async (tx, record) => {
      record({ action: 'cli.set-password-link', subject: ['user', userId], changes: {} });
      return formatUserWithLink(context, tx, site, { userId, email });
    });
  },
});

/** A user of another site becomes a member. */
export const makeAdministrator = defineCommand({
  name: 'user make-admin',
  args: '<email>',
  summary: 'Restore access: make a user an active, licensed, unlocked member of Administrators',
  options: {
    ...SITE_OPTION,
    'lift-ip-restrictions': { type: 'boolean', description: 'lift the IP restrictions of the user' },
  },
  async run(context, args, values) {
    const email = requireEmail(args);
    const site = await resolveSite(context.db, values.site);
    const userId = await requireAccount(context.db, email);
    const makeMemberAdministrator = async (tx: Tx, record: Recorder) => {
      const groupId = await ensureAdministratorsGroup(tx, site.site_id, record);
      const before = await lockUser(tx, site.site_id, userId);
      await restoreAccess(tx, site.site_id, userId, values['lift-ip-restrictions'] ?? false);
      if (before) {
        const added = await addToGroups(tx, site.site_id, [[userId, groupId]]);
        await recordGroupMemberChanges(tx, site.site_id, { added }, record);
        const changed = await recordUserChanges(
          tx,
          createHostActor(site.site_id),
          [before],
          'cli.make-admin',
          record,
        );
        // The link below grants access, so the audit log records the command even if nothing else changes.
        if (changed.length === 0)
          record({ action: 'cli.make-admin', subject: ['user', userId], changes: {} });
      } else {
        await recordNewMember(tx, site.site_id, { userId, groupIds: [groupId] }, 'cli.make-admin', record);
      }
      return formatUserWithLink(context, tx, site, { userId, email });
    };
    return change(context.db, createHostActor(site.site_id), makeMemberAdministrator, { lockSite: true });
  },
});

/** The printed result: the user, with a link to set the password unless the site has an identity manager. */
async function formatUserWithLink(
  context: CommandContext,
  tx: Tx,
  site: SiteRow,
  user: { userId: number; email: string },
) {
  const result = { id: user.userId, email: user.email, site: site.slug };
  if (site.identity_mode === 'identity-manager') return result;
  // Throws within the transaction, so that a command without a link has no effect.
  const publicUrl = requirePublicUrl(context);
  const token = await createLink(tx, { purpose: 'set-password', siteId: site.site_id, userId: user.userId });
  return { ...result, link: `${publicUrl}/link#${token}` };
}

/**
 * For users for whom no administrator can do this (the last administrator, or a member of several sites). Ends all sessions; if
 * two-factor is required, the next sign-in sets up a new factor.
 */
export const resetTwoFactor = defineCommand({
  name: 'user reset-two-factor',
  args: '<email>',
  summary: 'Delete the authenticator app, passkeys and recovery codes of a user, and end the sessions',
  options: SITE_OPTION,
  async run({ db }, args, values) {
    const email = requireEmail(args);
    const { site, userId } = await resolveMembership(db, email, values.site);
    const actor = createHostActor(site.site_id);
    return change(db, actor, async (tx, record) => {
      const wasSetUp = await resetFactors(tx, actor, { userId, action: 'cli.two-factor-reset' }, record);
      if (!wasSetUp) throw new CommandError(`${email} has no second factor set up`);
      return { id: userId, email, site: site.slug };
    });
  },
});

/** Ends sessions of a user on all sites or one, or of everybody on one site. API keys go on working. */
export const endUserSessions = defineCommand({
  name: 'sessions end',
  args: '[email]',
  summary: 'End the sessions of a user, or with --everybody of all users of a site',
  options: {
    ...SITE_OPTION,
    everybody: { type: 'boolean', description: 'all users of the site' },
  },
  async run({ db }, args, values) {
    if (values.everybody) {
      rejectArguments(args);
      const site = await resolveSite(db, values.site);
      return change(db, createHostActor(site.site_id), async (tx, record) => {
        const ended = await endSessions(tx, { siteId: site.site_id });
        record({
          action: 'cli.site-sessions-end',
          subject: ['site', site.site_id],
          changes: { sessions: [ended, 0] },
        });
        return { site: site.slug, ended };
      });
    }
    const email = requireEmail(args);
    const { siteId: homeSiteId, userId } = await resolveHomeSite(db, email);
    const siteId = values.site === undefined ? undefined : (await resolveSite(db, values.site)).site_id;
    return change(db, createHostActor(siteId ?? homeSiteId), async (tx, record) => {
      const ended = await endSessions(tx, { siteId, userId });
      record({ action: 'cli.sessions-end', subject: ['user', userId], changes: { sessions: [ended, 0] } });
      return { id: userId, email, ended };
    });
  },
});
