import { sql } from 'kysely';
import { NO_LICENSE, STANDARD_LICENSE } from '../../../contract/rules/licenses.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { normaliseEmail } from '../../kernel/email.ts';
import { CommandError } from './command.ts';

export interface SiteRow {
  site_id: number;
  slug: string;
  name: string;
  identity_mode: 'password' | 'identity-manager';
  dedicated_domain: string | null;
  may_manage_existing_users: boolean;
}

type CountedSite = SiteRow & { members: number };

const SITES = sql<CountedSite>`
  select site_id, slug, name, identity_mode, dedicated_domain, may_manage_existing_users,
    (select count(*)::int from membership m where m.site_id = site.site_id) as members
  from site`;

export async function listSites(db: Db): Promise<CountedSite[]> {
  const { rows } = await sql<CountedSite>`${SITES} order by site_id`.execute(db);
  return rows;
}

/** The site as it is, held until the transaction ends. */
export async function lockSite(tx: Tx, siteId: number): Promise<CountedSite> {
  const { rows } = await sql<CountedSite>`${SITES} where site_id = ${siteId} for no key update`.execute(tx);
  const [site] = rows;
  if (!site) throw new Error('A site does not go away');
  return site;
}

/** Changes the site; undefined values keep. */
export async function updateSite(
  tx: Tx,
  siteId: number,
  fields: Partial<Pick<SiteRow, 'dedicated_domain' | 'may_manage_existing_users' | 'identity_mode'>>,
): Promise<CountedSite> {
  await tx.updateTable('site').set(fields).where('site_id', '=', siteId).execute();
  return lockSite(tx, siteId);
}

/** The site with this slug; without one, the only site there is. */
export async function pickSite(db: Db, slug: string | undefined): Promise<CountedSite> {
  const sites = await listSites(db);
  const matching = slug === undefined ? sites : sites.filter((site) => site.slug === slug);
  const [site] = matching;
  if (site && matching.length === 1) return site;
  const names = sites.map((each) => each.slug).join(', ') || 'none';
  throw new CommandError(
    slug === undefined
      ? `Say which site with --site SLUG: ${names}`
      : `No site has the slug ${slug}. Sites: ${names}`,
  );
}

/** The member's site: the one named, or the only one that this person is a member of. */
export async function pickMembership(
  db: Db,
  email: string,
  slug: string | undefined,
): Promise<{ site: SiteRow; userId: number }> {
  const userId = await requireAccount(db, email);
  const sites = await db
    .selectFrom('membership')
    .innerJoin('site', 'site.site_id', 'membership.site_id')
    .select([
      'site.site_id',
      'slug',
      'name',
      'identity_mode',
      'dedicated_domain',
      'may_manage_existing_users',
    ])
    .where('user_id', '=', userId)
    .orderBy('site.site_id')
    .execute();
  const matching = slug === undefined ? sites : sites.filter((site) => site.slug === slug);
  const [site] = matching;
  if (site && matching.length === 1) return { site, userId };
  const names = sites.map((each) => each.slug).join(', ') || 'none';
  if (slug === undefined && sites.length > 1)
    throw new CommandError(`Say which site with --site SLUG: ${names}`);
  throw new CommandError(
    `${email} is not a member${slug === undefined ? ' of any site' : ` of ${slug}. Member of: ${names}`}`,
  );
}

/** @throws CommandError when nobody has the address */
export async function requireAccount(db: Db, email: string): Promise<number> {
  const { key } = normaliseEmail(email);
  const row = await db
    .selectFrom('account')
    .select('user_id')
    .where('email_key', '=', key)
    .executeTakeFirst();
  if (!row)
    throw new CommandError(
      `Nobody on this platform has the address ${email}. To create the user: user create`,
    );
  return row.user_id;
}

/** Group ids by the names given, whatever their case. */
export async function requireGroups(tx: Tx, siteId: number, names: readonly string[]): Promise<number[]> {
  const groups = await tx
    .selectFrom('user_group')
    .select(['group_id', 'name'])
    .where('site_id', '=', siteId)
    .execute();
  return names.map((name) => {
    const group = groups.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (group) return group.group_id;
    throw new CommandError(
      `No group is named ${name}. Groups: ${groups.map((each) => each.name).join(', ') || 'none'}`,
    );
  });
}

/** Lets somebody in again whatever kept them out, except a site's identity manager and the approved addresses. */
export async function readmit(
  tx: Tx,
  siteId: number,
  userId: number,
  liftIpRestrictions: boolean,
): Promise<void> {
  await sql`
    insert into membership (site_id, user_id, license_type_id) values (${siteId}, ${userId}, ${STANDARD_LICENSE})
    on conflict (site_id, user_id) do update set is_active = true, expires_at = null,
      license_type_id = case when membership.license_type_id = ${NO_LICENSE} then ${STANDARD_LICENSE}::smallint else membership.license_type_id end,
      ip_restrictions_enabled = membership.ip_restrictions_enabled and not ${liftIpRestrictions}`.execute(tx);
  await sql`update account set failed_count = 0, locked_until = null where user_id = ${userId}`.execute(tx);
}

/** Somebody the platform knows, with the site to which their account belongs. */
export async function pickHomeSite(db: Db, email: string): Promise<{ siteId: number; userId: number }> {
  const userId = await requireAccount(db, email);
  const { home_site_id: siteId } = await db
    .selectFrom('account')
    .select('home_site_id')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return { siteId, userId };
}
