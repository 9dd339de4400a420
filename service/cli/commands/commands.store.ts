import { sql } from 'kysely';
import { NO_LICENSE, STANDARD_LICENSE } from '../../../contract/rules/people/licenses.ts';
import { API_KEY_IS_VALID } from '../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { normalizeEmail } from '../../kernel/email.ts';
import { CommandError } from './command.ts';

export interface SiteRow {
  site_id: number;
  slug: string;
  name: string;
  identity_mode: 'password' | 'identity-manager';
  dedicated_domain: string | null;
  may_manage_existing_users: boolean;
}

type SiteWithMembers = SiteRow & { members: number };

const SITES = sql<SiteWithMembers>`
  select site_id, slug, name, identity_mode, dedicated_domain, may_manage_existing_users,
    (select count(*)::int from membership m where m.site_id = site.site_id) as members
  from site`;

export async function listSites(db: Db): Promise<SiteWithMembers[]> {
  const { rows } = await sql<SiteWithMembers>`${SITES} order by site_id`.execute(db);
  return rows;
}

/** Reads the site and locks its row until the end of the transaction. */
export async function lockSite(tx: Tx, siteId: number): Promise<SiteWithMembers> {
  const { rows } = await sql<SiteWithMembers>`${SITES} where site_id = ${siteId} for no key update`.execute(
    tx,
  );
  const [site] = rows;
  if (!site) throw new Error(`Site ${siteId} does not exist`);
  return site;
}

/** Updates the site; undefined values stay unchanged. */
export async function updateSite(
  tx: Tx,
  siteId: number,
  fields: Partial<Pick<SiteRow, 'dedicated_domain' | 'may_manage_existing_users' | 'identity_mode'>>,
): Promise<SiteWithMembers> {
  await tx.updateTable('site').set(fields).where('site_id', '=', siteId).execute();
  return lockSite(tx, siteId);
}

/** The site with this slug, or without a slug the only site. `how`: how a slug is given. @throws CommandError */
export async function resolveSite(
  db: Db,
  slug: string | undefined,
  how = '--site SLUG',
): Promise<SiteWithMembers> {
  const sites = await listSites(db);
  const matches = slug === undefined ? sites : sites.filter((site) => site.slug === slug);
  const [match] = matches;
  if (match && matches.length === 1) return match;
  const names = sites.map((each) => each.slug).join(', ') || 'none';
  throw new CommandError(
    slug === undefined
      ? `Specify the site with ${how}: ${names}`
      : `No site has the slug ${slug}. Sites: ${names}`,
  );
}

/** The site with this slug, or without a slug the only one of which the user is a member. @throws CommandError */
export async function resolveMembership(
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
  const matches = slug === undefined ? sites : sites.filter((site) => site.slug === slug);
  const [match] = matches;
  if (match && matches.length === 1) return { site: match, userId };
  const names = sites.map((each) => each.slug).join(', ') || 'none';
  if (slug === undefined && sites.length > 1)
    throw new CommandError(`Specify the site with --site SLUG: ${names}`);
  throw new CommandError(
    `${email} is not a member${slug === undefined ? ' of any site' : ` of ${slug}. Member of: ${names}`}`,
  );
}

/** Id of the account with this address. @throws CommandError if there is none */
export async function requireAccount(db: Db, email: string): Promise<number> {
  const { key } = normalizeEmail(email);
  const row = await db
    .selectFrom('account')
    .select('user_id')
    .where('email_key', '=', key)
    .executeTakeFirst();
  if (!row) throw new CommandError(`No account has the e-mail address ${email}. To create one: user create`);
  return row.user_id;
}

/** Ids of the groups with these names (case-insensitive). @throws CommandError for an unknown name */
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

/**
 * Makes the user an active, licensed, unlocked member without end date. IP restrictions are lifted only on request; an identity
 * manager of the site still applies.
 */
export async function restoreAccess(
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

/** An account with its home site. @throws CommandError if there is none */
export async function resolveHomeSite(db: Db, email: string): Promise<{ siteId: number; userId: number }> {
  const userId = await requireAccount(db, email);
  const { home_site_id: siteId } = await db
    .selectFrom('account')
    .select('home_site_id')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return { siteId, userId };
}

/** State of the background work of all sites. */
export interface BackgroundMetrics {
  /** Entries whose calculated fields are still to be calculated. */
  queuedCalculations: number;
  /** Seconds since the oldest of them was queued; 0 without any. */
  oldestCalculationSeconds: number;
  /** Recorded calculations that failed, at most 1,000 for a field. */
  failedCalculations: number;
  /** Calculated fields whose formula is not run any more. */
  parkedFields: number;
  /** Backups that failed in the last 24 hours, without cancelled ones. */
  failedBackups: number;
  /** Backups that failed verification in the last 24 hours. */
  failedBackupChecks: number;
  /** Tasks with failed items. */
  tasks: readonly { task: string; retrying: number; parked: number }[];
}

export async function readBackgroundMetrics(db: Db): Promise<BackgroundMetrics> {
  const { rows } = await sql<BackgroundMetrics>`
    select (select count(*) from calc_queue)::int as "queuedCalculations",
      (select coalesce(extract(epoch from now() - min(queued_at)), 0) from calc_queue)::int as "oldestCalculationSeconds",
      (select count(*) from calculation_failure where entry_id <> 0)::int as "failedCalculations",
      (select count(*) from calculation_failure where entry_id = 0)::int as "parkedFields",
      (select count(*) from backup where status = 'Failed' and failure_reason <> 'cancelled'
        and finished_at > now() - interval '1 day')::int as "failedBackups",
      (select count(*) from backup where verify_state = 'failed'
        and verify_at > now() - interval '1 day')::int as "failedBackupChecks",
      (select coalesce(jsonb_agg(to_jsonb(t) order by t.task), '[]') from (
        select task, (count(*) filter (where retry_at is not null))::int as retrying,
          (count(*) filter (where retry_at is null))::int as parked
        from task_failure group by task) t) as tasks`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('The database returned no metrics');
  return row;
}

/** An API key that can be used, as `keys list` prints it. */
interface ListedKey {
  clientId: number;
  site: string;
  email: string;
  scopes: readonly string[];
  created: Date;
  lastUsed: Date | null;
  expires: Date | null;
}

/** The keys that can be used, of one user or site or of all. */
export async function listKeys(
  db: Db,
  { email, siteId }: { email?: string | undefined; siteId?: number | undefined },
): Promise<ListedKey[]> {
  const { rows } = await sql<ListedKey>`
    select k.client_id as "clientId", s.slug as site, a.email, k.scopes, k.created_at as created,
      k.last_used_at as "lastUsed", k.expires_at as expires
    from api_key k join site s on s.site_id = k.site_id join account a on a.user_id = k.user_id
    where ${API_KEY_IS_VALID}
      ${email === undefined ? sql`` : sql`and a.email_key = ${normalizeEmail(email).key}`}
      ${siteId === undefined ? sql`` : sql`and k.site_id = ${siteId}`}
    order by k.client_id`.execute(db);
  return rows;
}

/** The user and site of a key that can be used. */
export async function findActiveKey(
  db: Db,
  clientId: number,
): Promise<{ siteId: number; userId: number; email: string; site: string } | undefined> {
  const { rows } = await sql<{ siteId: number; userId: number; email: string; site: string }>`
    select k.site_id as "siteId", k.user_id as "userId", a.email, s.slug as site
    from api_key k join site s on s.site_id = k.site_id join account a on a.user_id = k.user_id
    where k.client_id = ${clientId} and ${API_KEY_IS_VALID}`.execute(db);
  return rows[0];
}

/** Ends sessions, half-completed sign-ins included. @returns their number */
export async function endSessions(
  tx: Tx,
  { siteId, userId }: { siteId?: number | undefined; userId?: number | undefined },
): Promise<number> {
  let query = tx.deleteFrom('session');
  if (siteId !== undefined) query = query.where('site_id', '=', siteId);
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  const { numDeletedRows } = await query.executeTakeFirst();
  return Number(numDeletedRows);
}

/** Makes the failed mails of a site due now whose links are still valid. @returns their number */
export async function retryMail(tx: Tx, siteId: number): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('mail')
    .set({ next_attempt_at: sql<Date>`now()` })
    .where('site_id', '=', siteId)
    .where('sent_at', 'is', null)
    .where('last_error', 'is not', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
