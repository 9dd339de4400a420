import {
  addToGroups,
  ensureAdministrators,
  lockUser,
  memberAdded,
  pairsChanged,
  requireAdministrator,
  usersChanged,
} from '../../areas/members/index.ts';
import { normaliseEmail } from '../../kernel/email.ts';
import { insertAccount, insertMembership, updateMembership } from '../../areas/users/index.ts';
import { createLink } from '../../kernel/auth/links.store.ts';
import { endAccess, endLinks } from '../../kernel/auth/store.ts';
import { change, hostActor, type Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { type Command, CommandError, type CommandContext, readArgs } from './command.ts';
import { pickMembership, pickSite, readmit, requireAccount, requireGroups, type SiteRow } from './store.ts';

const SITE = { site: { type: 'string' } } as const;

/** `user create EMAIL --first-name A --last-name B [--site SLUG] [--group NAME]…`: a user, and the link to set a password. */
export const createUser: Command = async (context, args) => {
  const { email, values } = readArgs(args, {
    ...SITE,
    'first-name': { type: 'string' },
    'last-name': { type: 'string' },
    group: { type: 'string', multiple: true, default: [] },
  });
  const firstName = values['first-name']?.trim();
  const lastName = values['last-name']?.trim();
  if (!firstName || !lastName) throw new CommandError('Give both --first-name and --last-name');
  const site = await pickSite(context.db, values.site);
  return change(context.db, hostActor(site.site_id), async (tx, record) => {
    const groupIds = await requireGroups(tx, site.site_id, values.group);
    const { email: address, key } = normaliseEmail(email);
    const account = {
      email: address,
      emailKey: key,
      firstName,
      lastName,
      passwordHash: null,
      federationId: null,
    };
    const userId = await insertAccount(tx, site.site_id, account);
    if (userId === undefined) throw new CommandError(`${email} is already known on this platform`);
    await insertMembership(tx, site.site_id, userId, null, {});
    await memberAdded(tx, site.site_id, { userId, groupIds }, 'cli.user-create', record);
    return answer(context, tx, site, { userId, email: address });
  });
};

/**
 * `user deactivate EMAIL [--site SLUG] [--force]`: the user cannot sign in on this site; sessions and tokens end at
 * once. `--force` is for a stolen account that is the last administrator's.
 */
export const deactivateUser: Command = async ({ db }, args) => {
  const { email, values } = readArgs(args, { ...SITE, force: { type: 'boolean', default: false } });
  const { site, userId } = await pickMembership(db, email, values.site);
  return change(
    db,
    hostActor(site.site_id),
    async (tx, record) => {
      const before = await lockUser(tx, site.site_id, userId);
      if (!before) throw new CommandError(`${email} is not a member of ${site.slug}`);
      await updateMembership(tx, site.site_id, userId, { isActive: false });
      await endAccess(tx, site.site_id, userId);
      await endLinks(tx, userId, site.site_id);
      if (!values.force) await requireAdministrator(tx, site.site_id);
      await usersChanged(tx, hostActor(site.site_id), [before], 'cli.user-deactivate', record);
      return { id: userId, email, site: site.slug, isActive: false };
    },
    { alone: true },
  );
};

/** `user set-password-link EMAIL [--site SLUG]`: prints the link that otherwise goes by mail. */
export const printPasswordLink: Command = async (context, args) => {
  const { email, values } = readArgs(args, SITE);
  const { site, userId } = await pickMembership(context.db, email, values.site);
  if (site.identity_mode === 'identity-manager') {
    throw new CommandError(
      `People sign in to ${site.slug} through its identity manager, not with a password`,
    );
  }
  return change(context.db, hostActor(site.site_id), async (tx, record) => {
    record({ action: 'cli.set-password-link', subject: ['user', userId], changes: {} });
    return answer(context, tx, site, { userId, email });
  });
};

/**
 * `user make-admin EMAIL --site SLUG [--lift-ip-restrictions]`: the way back in when nobody can administer the
 * site. Makes the user an active, licensed, unlocked member of Administrators; one of another site becomes a member.
 */
export const makeAdministrator: Command = async (context, args) => {
  const { email, values } = readArgs(args, {
    ...SITE,
    'lift-ip-restrictions': { type: 'boolean', default: false },
  });
  const site = await pickSite(context.db, values.site);
  const userId = await requireAccount(context.db, email);
  const work = async (tx: Tx, record: Recorder) => {
    const groupId = await ensureAdministrators(tx, site.site_id, record);
    const before = await lockUser(tx, site.site_id, userId);
    await readmit(tx, site.site_id, userId, values['lift-ip-restrictions']);
    if (before) {
      const added = await addToGroups(tx, site.site_id, [[userId, groupId]]);
      await pairsChanged(tx, site.site_id, { added }, record);
      const changed = await usersChanged(tx, hostActor(site.site_id), [before], 'cli.make-admin', record);
      // The link below lets in whoever holds it: that is told even where nothing else happens.
      if (changed.length === 0) record({ action: 'cli.make-admin', subject: ['user', userId], changes: {} });
    } else {
      await memberAdded(tx, site.site_id, { userId, groupIds: [groupId] }, 'cli.make-admin', record);
    }
    return answer(context, tx, site, { userId, email });
  };
  return change(context.db, hostActor(site.site_id), work, { alone: true });
};

/** What is printed of a user, with the link to set a password where the site has passwords. */
async function answer(
  { publicUrl }: CommandContext,
  tx: Tx,
  site: SiteRow,
  user: { userId: number; email: string },
) {
  const told = { id: user.userId, email: user.email, site: site.slug };
  if (site.identity_mode === 'identity-manager') return told;
  const token = await createLink(tx, { purpose: 'set-password', siteId: site.site_id, userId: user.userId });
  return { ...told, link: `${publicUrl}/link#${token}` };
}
