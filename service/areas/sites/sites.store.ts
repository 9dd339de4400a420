import { sql } from 'kysely';
import { toInet } from '../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

export interface Site {
  siteId: number;
  slug: string;
  name: string;
  identityMode: 'password' | 'identity-manager';
  timeZone: string;
  /** Whether a proxy must give a reason to act for a user in the console. */
  requiresActingReason: boolean;
  schemaVersion: number;
  /** The client's normalized e-mail domain; its users may be added without their confirmation (spec 4.2). */
  dedicatedDomain: string | null;
  mayManageExistingUsers: boolean;
}

/** The site with this id, which must exist: ids come from sessions and tokens. */
export async function getSite(db: Db, siteId: number): Promise<Site> {
  const row = await db.selectFrom('site').selectAll().where('site_id', '=', siteId).executeTakeFirstOrThrow();
  return {
    siteId: row.site_id,
    slug: row.slug,
    name: row.name,
    identityMode: row.identity_mode,
    timeZone: row.time_zone,
    requiresActingReason: row.requires_acting_reason,
    schemaVersion: row.schema_version,
    dedicatedDomain: row.dedicated_domain,
    mayManageExistingUsers: row.may_manage_existing_users,
  };
}

/** Whether the address is on the site's list of approved addresses (spec 5.4). */
export async function isApprovedAddress(tx: Tx, siteId: number, ip: string): Promise<boolean> {
  const { rows } =
    await sql`select 1 from approved_address where site_id = ${siteId} and network >>= ${toInet(ip)}::inet limit 1`.execute(
      tx,
    );
  return rows.length > 0;
}

/**
 * Holds an advisory lock until the transaction ends: of several processes starting on one database, only one creates
 * the first site.
 */
export async function lockFirstStart(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('steward.first-start'))`.execute(tx);
}

/** Creates an empty site and returns its id. */
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

/** Ids of all sites in ascending order; empty before the first start. */
export async function listSiteIds(db: Db): Promise<number[]> {
  const rows = await db.selectFrom('site').select('site_id').orderBy('site_id').execute();
  return rows.map((row) => row.site_id);
}

/** Hash of the settings that site administrators can change. `lock` locks the site until the transaction ends. */
export async function settingsVersion(db: Db, siteId: number, { lock = false } = {}): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select hashtext(name || chr(10) || time_zone || chr(10) || requires_acting_reason) as version from site where site_id = ${siteId}
    ${lock ? sql`for no key update` : sql``}`.execute(db);
  return rows[0]?.version ?? 0;
}

export async function updateSite(
  tx: Tx,
  siteId: number,
  { name, timeZone, requiresActingReason }: Pick<Site, 'name' | 'timeZone' | 'requiresActingReason'>,
): Promise<void> {
  await tx
    .updateTable('site')
    .set({ name, time_zone: timeZone, requires_acting_reason: requiresActingReason })
    .where('site_id', '=', siteId)
    .execute();
}
