import { isIP } from 'node:net';
import { sql } from 'kysely';
import type { Capability, Scope } from '../../../contract/generated/types.gen.ts';
import { NO_LICENSE } from '../../../contract/rules/licenses.ts';
import type { Db, Tx } from '../db/database.ts';
import type { Caller } from './caller.ts';

/** A session ends after this much silence, and at its `expires_at` whatever happens. */
export const IDLE_MINUTES = 30;
export const SESSION_HOURS = 12;

/** Membership states in which somebody may act on a site: active, licensed, not run out. `m` is the membership. */
export const MAY_ACT = sql<boolean>`m.is_active and m.license_type_id <> ${NO_LICENSE} and (m.expires_at is null or m.expires_at > now())`;

const CAPABILITIES = sql<Capability[]>`coalesce((
  select array_agg(distinct c) from group_member gm
  join user_group g on g.site_id = gm.site_id and g.group_id = gm.group_id, unnest(g.capabilities) c
  where gm.site_id = m.site_id and gm.user_id = m.user_id), '{}')`;

interface CallerRow {
  site_id: number;
  user_id: number;
  email: string;
  expires_at: Date;
  scopes: Scope[] | null;
  capabilities: Capability[];
  quiet: boolean;
  refused: boolean;
}

/** Whether the user may act only from approved addresses and this is none of them (spec 5.4). */
export const addressRefused = (ip: string) => sql<boolean>`m.ip_restrictions_enabled and not exists (
  select 1 from approved_address p where p.site_id = m.site_id and p.network >>= ${inet(ip)}::inet)`;

/** An address as the database reads it; null for what is none, which no network contains. */
export function inet(ip: string): string | null {
  const plain = ip.replace(/%.*$/, '');
  return isIP(plain) ? plain : null;
}

/** A caller, and whether this address is closed to them: the door refuses them then, in words. */
interface Found {
  caller: Caller;
  refused: boolean;
}

const toCaller = (row: CallerRow, tokenHash: Buffer): Caller => ({
  siteId: row.site_id,
  userId: row.user_id,
  email: row.email,
  capabilities: new Set(row.capabilities),
  scopes: row.scopes ? new Set(row.scopes) : undefined,
  tokenHash,
  expiresAt: row.expires_at,
});

/** The caller behind a session token that still holds; notes at most once a minute that it is in use. */
export async function findSession(db: Db, tokenHash: Buffer, ip: string): Promise<Found | undefined> {
  const { rows } = await sql<CallerRow>`
    select s.site_id, s.user_id, a.email, s.expires_at, null as scopes, ${CAPABILITIES} as capabilities,
           s.last_seen_at < now() - interval '1 minute' as quiet, ${addressRefused(ip)} as refused
    from session s
    join membership m on m.site_id = s.site_id and m.user_id = s.user_id
    join account a on a.user_id = s.user_id
    where s.token_hash = ${tokenHash} and s.expires_at > now()
      and s.last_seen_at > now() - make_interval(mins => ${IDLE_MINUTES}) and ${MAY_ACT}`.execute(db);
  const [row] = rows;
  if (row?.quiet && !row.refused) {
    await sql`with seen as (update session set last_seen_at = now() where token_hash = ${tokenHash} returning site_id, user_id)
      update membership m set last_active_at = now() from seen where m.site_id = seen.site_id and m.user_id = seen.user_id`.execute(
      db,
    );
  }
  return row && { caller: toCaller(row, tokenHash), refused: row.refused };
}

/** The caller behind an access token that still holds, its API key not turned off. */
export async function findAccessToken(db: Db, tokenHash: Buffer, ip: string): Promise<Found | undefined> {
  const { rows } = await sql<CallerRow>`
    select t.site_id, t.user_id, a.email, t.expires_at, t.scopes, ${CAPABILITIES} as capabilities, false as quiet, ${addressRefused(ip)} as refused
    from access_token t
    join api_key k on k.client_id = t.client_id and k.disabled_at is null
    join membership m on m.site_id = t.site_id and m.user_id = t.user_id
    join account a on a.user_id = t.user_id
    where t.token_hash = ${tokenHash} and t.expires_at > now() and ${MAY_ACT}`.execute(db);
  const [row] = rows;
  return row && { caller: toCaller(row, tokenHash), refused: row.refused };
}

/** The union of the capabilities of a user's groups, read inside the transaction that depends on it. */
export async function capabilitiesOf(tx: Tx, siteId: number, userId: number): Promise<Set<Capability>> {
  const { rows } = await sql<{ capabilities: Capability[] }>`
    select ${CAPABILITIES} as capabilities from membership m where m.site_id = ${siteId} and m.user_id = ${userId}`.execute(
    tx,
  );
  return new Set(rows[0]?.capabilities);
}

/**
 * Whether anybody is left on the site who can sign in and administer: holds Manage Users and Manage Groups, may act,
 * for good (a membership that runs out does not count), and has a password or signs in through the site's identity manager (T07). Ask inside a
 * change that runs alone on the site: otherwise two administrators can remove each other at the same time.
 */
export async function administratorRemains(tx: Tx, siteId: number): Promise<boolean> {
  const { rows } = await sql<{ remains: boolean }>`
    select exists (
      select 1 from membership m
      join account a on a.user_id = m.user_id
      join site s on s.site_id = m.site_id
      where m.site_id = ${siteId} and ${MAY_ACT} and m.expires_at is null
        and (a.password_hash is not null or s.identity_mode = 'identity-manager')
        and (not m.ip_restrictions_enabled or exists (select 1 from approved_address p where p.site_id = m.site_id))
        and m.user_id in (
          select gm.user_id from group_member gm join user_group g on g.site_id = gm.site_id and g.group_id = gm.group_id
          where gm.site_id = ${siteId} and 'Manage Users' = any(g.capabilities))
        and m.user_id in (
          select gm.user_id from group_member gm join user_group g on g.site_id = gm.site_id and g.group_id = gm.group_id
          where gm.site_id = ${siteId} and 'Manage Groups' = any(g.capabilities))
    ) as remains`.execute(tx);
  return rows[0]?.remains ?? false;
}

/** Ends the links to set a password that were mailed to this person: all of them, or those of one site. */
export async function endLinks(tx: Tx, userId: number, siteId?: number): Promise<void> {
  const links = tx
    .deleteFrom('one_time_link')
    .where('purpose', '=', 'set-password')
    .where('user_id', '=', userId);
  await (siteId === undefined ? links : links.where('site_id', '=', siteId)).execute();
}

/** Ends every session and access token of a user on a site, at once. */
export async function endAccess(tx: Tx, siteId: number, userId: number): Promise<void> {
  await tx.deleteFrom('session').where('site_id', '=', siteId).where('user_id', '=', userId).execute();
  await tx.deleteFrom('access_token').where('site_id', '=', siteId).where('user_id', '=', userId).execute();
}
