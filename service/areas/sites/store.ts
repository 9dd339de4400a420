import { sql } from 'kysely';
import type { Capability } from '../../../contract/generated/types.gen.ts';
import { capabilities } from '../../../contract/rules/capabilities.ts';
import { inet } from '../../kernel/auth/store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

export interface Site {
  siteId: number;
  slug: string;
  name: string;
  identityMode: 'password' | 'identity-manager';
  timeZone: string;
  schemaVersion: number;
}

/** The site itself. It exists: callers come from its sessions and tokens. */
export async function getSite(db: Db, siteId: number): Promise<Site> {
  const row = await db.selectFrom('site').selectAll().where('site_id', '=', siteId).executeTakeFirstOrThrow();
  return {
    siteId: row.site_id,
    slug: row.slug,
    name: row.name,
    identityMode: row.identity_mode,
    timeZone: row.time_zone,
    schemaVersion: row.schema_version,
  };
}

/** Whether the address is on the site's list of approved ones (spec 5.4). */
export async function isApprovedAddress(tx: Tx, siteId: number, ip: string): Promise<boolean> {
  const { rows } =
    await sql`select 1 from approved_address where site_id = ${siteId} and network >>= ${inet(ip)}::inet limit 1`.execute(
      tx,
    );
  return rows.length > 0;
}

/**
 * Marks users as changed: a new version and `modifiedDate` on this site, and on the others as well where the account
 * itself changed. Every write of anything a user shows ends here, so that `modifiedSince` misses nothing.
 */
export async function touchUsers(
  tx: Tx,
  siteId: number,
  userIds: readonly number[],
  by: number | null,
  everywhere = false,
): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    update membership set version = version + 1, modified_at = now(),
      modified_by = case when site_id = ${siteId} then ${by}::int else modified_by end
    where user_id = any(${[...userIds]}::int[]) ${everywhere ? sql`` : sql`and site_id = ${siteId}`}
    returning version`.execute(tx);
  return rows.length;
}

/** The capabilities of each of the groups, by id; groups of other sites are absent. */
export async function groupCapabilities(
  tx: Tx,
  siteId: number,
  groupIds: readonly number[],
): Promise<Map<number, Capability[]>> {
  const rows = await tx
    .selectFrom('user_group')
    .select(['group_id', 'capabilities'])
    .where('site_id', '=', siteId)
    .where('group_id', '=', sql<number>`any(${[...groupIds]}::int[])`)
    .execute();
  return new Map(rows.map((row) => [row.group_id, row.capabilities as Capability[]]));
}

/** Adds pairs of users and groups; pairs that exist stay as they are. Returns how many are new. */
export async function addToGroups(
  tx: Tx,
  siteId: number,
  pairs: readonly (readonly [userId: number, groupId: number])[],
): Promise<number> {
  const { rows } = await sql`
    insert into group_member (site_id, user_id, group_id)
    select ${siteId}, u, g from unnest(${pairs.map(([userId]) => userId)}::int[], ${pairs.map(([, groupId]) => groupId)}::int[]) as pair(u, g)
    on conflict do nothing returning user_id`.execute(tx);
  return rows.length;
}

/** Removes pairs; those that do not exist are no fault. Returns how many are gone. */
export async function removeFromGroups(
  tx: Tx,
  siteId: number,
  pairs: readonly (readonly [userId: number, groupId: number])[],
): Promise<number> {
  const { rows } = await sql`
    delete from group_member using unnest(${pairs.map(([userId]) => userId)}::int[], ${pairs.map(([, groupId]) => groupId)}::int[]) as pair(u, g)
    where site_id = ${siteId} and user_id = pair.u and group_id = pair.g returning user_id`.execute(tx);
  return rows.length;
}

/** The name of the group that can do everything; it is made with the site and given back its rights when needed. */
export const ADMINISTRATORS = 'Administrators';

/** The group Administrators of a site, made, or given back all capabilities where somebody took them. */
export async function ensureAdministrators(tx: Tx, siteId: number): Promise<number> {
  const { rows } = await sql<{ group_id: number }>`
    insert into user_group (site_id, name, description, capabilities)
    values (${siteId}, ${ADMINISTRATORS}, 'Everything on this site', ${capabilities.map(({ name }) => name)}::text[])
    on conflict (site_id, lower(name)) do update
      set capabilities = excluded.capabilities,
        modified_at = case when user_group.capabilities @> excluded.capabilities then user_group.modified_at else now() end
    returning group_id`.execute(tx);
  const [group] = rows;
  if (!group) throw new Error('An upsert answers its row');
  return group.group_id;
}

/** Holds until the transaction ends: of processes that start on one database, one at a time makes what is missing. */
export async function lockFirstStart(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('steward.first-start'))`.execute(tx);
}

/** An empty site. */
export async function createSite(
  tx: Tx,
  site: { slug: string; name: string; dedicatedDomain: string | null },
): Promise<number> {
  const row = await tx
    .insertInto('site')
    .values({ slug: site.slug, name: site.name, dedicated_domain: site.dedicatedDomain })
    .returning('site_id')
    .executeTakeFirstOrThrow();
  return row.site_id;
}

/** All sites of the installation, the first one first: none before its very first start. */
export async function listSiteIds(db: Db): Promise<number[]> {
  const rows = await db.selectFrom('site').select('site_id').orderBy('site_id').execute();
  return rows.map((row) => row.site_id);
}
