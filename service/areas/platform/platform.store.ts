import { sql } from 'kysely';
import { CAN_ACT, IS_ACTIVE } from '../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** A site as platform administrators see it. */
export interface PlatformSite {
  id: number;
  slug: string;
  name: string;
  timeZone: string;
  identityMode: 'password' | 'identity-manager';
  dedicatedDomain: string | null;
  mayManageExistingUsers: boolean;
  hasAgentServer: boolean;
  /** Null for the default of the host. */
  storageQuotaBytes: number | null;
  storageUsedBytes: number;
  members: number;
  administrators: number;
  createdAt: Date;
}

export type SiteFields = Pick<
  PlatformSite,
  'name' | 'dedicatedDomain' | 'mayManageExistingUsers' | 'hasAgentServer' | 'storageQuotaBytes'
>;

const hasCapability = (capability: string) => sql`exists (
  select 1 from group_member gm join user_group g on g.site_id = gm.site_id and g.group_id = gm.group_id
  where gm.site_id = m.site_id and gm.user_id = m.user_id and ${capability} = any(g.capabilities))`;

const SELECT_SITES = sql<PlatformSite>`
  select s.site_id as id, s.slug, s.name, s.time_zone as "timeZone", s.identity_mode as "identityMode",
    s.dedicated_domain as "dedicatedDomain", s.may_manage_existing_users as "mayManageExistingUsers",
    s.has_agent_server as "hasAgentServer", s.created_at as "createdAt", s.storage_quota as "storageQuotaBytes",
    coalesce(u.used_bytes, 0)::bigint as "storageUsedBytes", counted.*
  from site s left join site_storage u using (site_id), lateral (
    select count(*)::int as members,
      count(*) filter (where ${CAN_ACT}
        and ${hasCapability('Manage Users')} and ${hasCapability('Manage Groups')})::int as administrators
    from membership m where m.site_id = s.site_id and ${IS_ACTIVE}) counted`;

export async function listSites(db: Db): Promise<PlatformSite[]> {
  const { rows } = await sql<PlatformSite>`${SELECT_SITES} order by lower(s.name), s.site_id`.execute(db);
  return rows;
}

export async function findSite(db: Db, siteId: number): Promise<PlatformSite | undefined> {
  const { rows } = await sql<PlatformSite>`${SELECT_SITES} where s.site_id = ${siteId}`.execute(db);
  return rows[0];
}

/** Hash of the fields that platform administrators can change. `lock` locks the site until the transaction ends. */
export async function siteVersion(db: Db, siteId: number, { lock = false } = {}): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select hashtext(concat_ws(chr(10), name, dedicated_domain, may_manage_existing_users, has_agent_server,
      coalesce(storage_quota, -1))) as version
    from site where site_id = ${siteId} ${lock ? sql`for no key update` : sql``}`.execute(db);
  return rows[0]?.version ?? 0;
}

export async function writeSite(tx: Tx, siteId: number, fields: SiteFields): Promise<void> {
  await tx
    .updateTable('site')
    .set({
      name: fields.name,
      dedicated_domain: fields.dedicatedDomain,
      may_manage_existing_users: fields.mayManageExistingUsers,
      has_agent_server: fields.hasAgentServer,
      storage_quota: fields.storageQuotaBytes,
    })
    .where('site_id', '=', siteId)
    .execute();
}

/** Inserts an empty site and returns its id, or undefined if the slug is taken. */
export async function insertSite(
  tx: Tx,
  site: { slug: string; name: string; timeZone: string },
): Promise<number | undefined> {
  const row = await tx
    .insertInto('site')
    .values({ slug: site.slug, name: site.name, time_zone: site.timeZone, dedicated_domain: null })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning('site_id')
    .executeTakeFirst();
  return row?.site_id;
}

export interface KnownAccount {
  userId: number;
  email: string;
  firstName: string;
}

/** Finds an account of any site by e-mail address. */
export async function findAccountByEmail(db: Db, emailKey: string): Promise<KnownAccount | undefined> {
  return db
    .selectFrom('account')
    .select(['user_id as userId', 'email', 'first_name as firstName'])
    .where('email_key', '=', emailKey)
    .executeTakeFirst();
}
