import { isIP } from 'node:net';
import { type RawBuilder, sql } from 'kysely';
import type { Capability, Scope } from '../../../contract/generated/types.gen.ts';
import { NO_LICENSE } from '../../../contract/rules/licenses.ts';
import { capabilitiesWhenActing } from '../../../contract/rules/proxies.ts';
import type { Db, Tx } from '../db/database.ts';
import { ofEveryRequest } from '../db/prepared.ts';
import type { PendingStep } from '../db/tables.ts';
import type { Caller } from './caller.ts';

/** A session ends after this much silence, and at its `expires_at` whatever happens. */
export const IDLE_MINUTES = 30;
/** Uses are noted so seldom: the one that is noted may be that much older than the last one. */
const NOTED_SECONDS = 60;
/** So long after any use a session is surely still there. */
export const SURE_SECONDS = IDLE_MINUTES * 60 - NOTED_SECONDS;
export const SESSION_HOURS = 12;
/** A proof that it is still the person holds this long for what asks for one. */
export const PROOF_MINUTES = 10;

/** Membership states in which somebody may act on a site: active, licensed, not run out. `alias` is the membership. */
export const mayAct = (alias: 'm' | 'pm') => {
  const m = sql.id(alias);
  return sql<boolean>`(${m}.is_active and ${m}.license_type_id <> ${NO_LICENSE} and (${m}.expires_at is null or ${m}.expires_at > now()))`;
};
export const MAY_ACT = mayAct('m');

/**
 * Whether the API key `k` is on: neither turned off nor expired. Columns of time round to milliseconds, and so does what
 * they are held against: it ends at its instant, on every process.
 */
export const KEY_HOLDS = sql<boolean>`(k.disabled_at is null and (k.expires_at is null or k.expires_at > now()::timestamptz(3)))`;

const capabilitiesAt = (alias: 'm' | 'pm') => {
  const m = sql.id(alias);
  return sql<Capability[]>`coalesce((
  select array_agg(distinct c) from group_member gm
  join user_group g on g.site_id = gm.site_id and g.group_id = gm.group_id, unnest(g.capabilities) c
  where gm.site_id = ${m}.site_id and gm.user_id = ${m}.user_id), '{}')`;
};
/** The capabilities of the member `m`. */
export const CAPABILITIES = capabilitiesAt('m');

/** Whether the user may act only from approved addresses and this is none of them (spec 5.4). */
export const addressRefused = (ip: string, alias: 'm' | 'pm' = 'm') => {
  const m = sql.id(alias);
  return sql<boolean>`(${m}.ip_restrictions_enabled and not exists (
  select 1 from approved_address p where p.site_id = ${m}.site_id and p.network >>= ${inet(ip)}::inet))`;
};

/** An address as the database reads it; null for what is none, which no network contains. */
export function inet(ip: string): string | null {
  const plain = ip.replace(/%.*$/, '');
  return isIP(plain) ? plain : null;
}

interface CallerRow {
  site_id: number;
  user_id: number;
  email: string;
  expires_at: Date;
  client_id: number | null;
  is_proven: boolean;
  is_federated: boolean;
  scopes: Scope[] | null;
  capabilities: Capability[];
  quiet: boolean;
  refused: boolean;
  principal_id: number | null;
  principal_email: string | null;
  principal_capabilities: Capability[];
  principal_refused: boolean | null;
  holds: boolean;
  report_id: number | null;
}

/** What is told of the person for whom the caller acts. It holds only while the assignment is there and both may act. */
const principalColumns = (ip: string) => sql`pa.email as principal_email,
  coalesce(${mayAct('pm')}, false) as holds, ${capabilitiesAt('pm')} as principal_capabilities,
  ${addressRefused(ip, 'pm')} as principal_refused`;

const principalJoins = (principalId: RawBuilder<unknown>) => sql`
  left join proxy_assignment x on x.site_id = m.site_id and x.proxy_id = m.user_id and x.user_id = ${principalId}
  left join membership pm on pm.site_id = x.site_id and pm.user_id = x.user_id
  left join account pa on pa.user_id = x.user_id`;

/** Who was found behind a session or token; the door decides what to make of it. */
export interface Found {
  /** The caller as themselves. */
  own: Caller;
  /** Whether this address is closed to them. */
  refused: boolean;
  principal: Principal | undefined;
}

/** For whom the caller acts, or asks to. */
export interface Principal {
  id: number;
  /** Undefined where nothing lets the caller act for them, or not any more. */
  email: string | undefined;
  capabilities: ReadonlySet<Capability>;
  /** Whether this address is closed to the principal. */
  refused: boolean;
  reportId: number | null;
}

function toFound(row: CallerRow, tokenHash: Buffer): Found {
  const own: Caller = {
    siteId: row.site_id,
    userId: row.user_id,
    email: row.email,
    acting: undefined,
    capabilities: new Set(row.capabilities),
    scopes: row.scopes ? new Set(row.scopes) : undefined,
    clientId: row.client_id ?? undefined,
    isProven: row.is_proven,
    isFederated: row.is_federated,
    pending: undefined,
    tokenHash,
    expiresAt: row.expires_at,
  };
  const principal = row.principal_id === null ? undefined : toPrincipal(row, row.principal_id);
  return { own, refused: row.refused, principal };
}

const toPrincipal = (row: CallerRow, id: number): Principal => ({
  id,
  email: row.holds ? (row.principal_email ?? undefined) : undefined,
  capabilities: row.holds ? capabilitiesWhenActing(row.principal_capabilities) : new Set(),
  refused: row.principal_refused ?? false,
  reportId: row.report_id,
});

/** The caller behind a session token that still holds; notes at most once a minute that it is in use. */
export async function findSession(db: Db, tokenHash: Buffer, ip: string): Promise<Found | undefined> {
  const { rows } = await sql<CallerRow>`${ofEveryRequest}
    select s.site_id, s.user_id, a.email, s.expires_at, null as client_id, null as scopes, ${CAPABILITIES} as capabilities,
           coalesce(s.proven_at > now() - make_interval(mins => ${PROOF_MINUTES}), false) as is_proven, s.is_federated,
           s.last_seen_at < now() - make_interval(secs => ${NOTED_SECONDS}) as quiet, ${addressRefused(ip)} as refused,
           r.report_id, r.principal_id, ${principalColumns(ip)}
    from session s
    join membership m on m.site_id = s.site_id and m.user_id = s.user_id
    join account a on a.user_id = s.user_id
    left join acting_report r on r.site_id = s.site_id and r.report_id = s.acting_report_id
    ${principalJoins(sql`r.principal_id`)}
    where s.token_hash = ${tokenHash} and s.pending is null and s.expires_at > now()
      and s.last_seen_at > now() - make_interval(mins => ${IDLE_MINUTES}) and ${MAY_ACT}`.execute(db);
  const [row] = rows;
  if (row?.quiet && !row.refused) {
    await sql`with seen as (update session set last_seen_at = now() where token_hash = ${tokenHash} returning site_id, user_id)
      update membership m set last_active_at = now() from seen where m.site_id = seen.site_id and m.user_id = seen.user_id`.execute(
      db,
    );
  }
  return row && toFound(row, tokenHash);
}

/** Who has signed in but for the second factor, and whether the address is closed to them; they can do nothing. */
export async function findHalfSession(
  db: Db,
  tokenHash: Buffer,
  ip: string,
): Promise<{ caller: Caller; refused: boolean } | undefined> {
  const { rows } = await sql<{
    site_id: number;
    user_id: number;
    email: string;
    expires_at: Date;
    pending: PendingStep;
    refused: boolean;
  }>`
    select s.site_id, s.user_id, a.email, s.expires_at, s.pending, ${addressRefused(ip)} as refused
    from session s
    join membership m on m.site_id = s.site_id and m.user_id = s.user_id
    join account a on a.user_id = s.user_id
    where s.token_hash = ${tokenHash} and s.pending is not null and s.expires_at > now() and ${MAY_ACT}`.execute(
    db,
  );
  const [row] = rows;
  if (!row) return undefined;
  const caller: Caller = {
    siteId: row.site_id,
    userId: row.user_id,
    email: row.email,
    acting: undefined,
    capabilities: new Set(),
    scopes: undefined,
    clientId: undefined,
    isProven: false,
    isFederated: false,
    pending: row.pending,
    tokenHash,
    expiresAt: row.expires_at,
  };
  return { caller, refused: row.refused };
}

/**
 * The caller behind an access token that still holds, its API key on; with `principalId` also whether they
 * may act for that user, and today's report of it where there is one.
 */
export async function findAccessToken(
  db: Db,
  tokenHash: Buffer,
  ip: string,
  principalId: number | null = null,
): Promise<Found | undefined> {
  const { rows } = await sql<CallerRow>`${ofEveryRequest}
    select t.site_id, t.user_id, a.email, t.expires_at, t.client_id, false as is_proven, false as is_federated, t.scopes, ${CAPABILITIES} as capabilities, false as quiet,
           ${addressRefused(ip)} as refused, r.report_id, ${principalId}::int as principal_id, ${principalColumns(ip)}
    from access_token t
    join api_key k on k.client_id = t.client_id and ${KEY_HOLDS}
    join membership m on m.site_id = t.site_id and m.user_id = t.user_id
    join account a on a.user_id = t.user_id
    ${principalJoins(sql`${principalId}::int`)}
    left join acting_report r on r.site_id = x.site_id and r.proxy_id = x.proxy_id and r.principal_id = x.user_id
      and r.day = (now() at time zone 'UTC')::date
    where t.token_hash = ${tokenHash} and t.expires_at > now() and ${MAY_ACT}`.execute(db);
  const [row] = rows;
  return row && toFound(row, tokenHash);
}

/** The union of the capabilities of a user's groups, read inside the transaction that depends on it. */
export async function capabilitiesOf(tx: Tx, siteId: number, userId: number): Promise<Set<Capability>> {
  const { rows } = await sql<{ capabilities: Capability[] }>`
    select ${CAPABILITIES} as capabilities from membership m where m.site_id = ${siteId} and m.user_id = ${userId}`.execute(
    tx,
  );
  return new Set(rows[0]?.capabilities);
}

/** What the caller can do now, for themselves or for whom they act, read inside the transaction that depends on it. */
export async function capabilitiesHeld(
  tx: Tx,
  { siteId, userId, acting }: Pick<Caller, 'siteId' | 'userId' | 'acting'>,
): Promise<Set<Capability>> {
  if (!acting) return capabilitiesOf(tx, siteId, userId);
  return capabilitiesWhenActing(await capabilitiesOf(tx, siteId, acting.principalId));
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
