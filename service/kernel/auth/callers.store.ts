import { isIP } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { type RawBuilder, sql } from 'kysely';
import type { Capability, Scope } from '../../../contract/generated/types.gen.ts';
import { NO_LICENSE } from '../../../contract/rules/people/licenses.ts';
import { getActingCapabilities } from '../../../contract/rules/people/proxies.ts';
import { assume, type AssumingDb, type Db, type Tx } from '../db/database.ts';
import { defineStatement } from '../db/driver/dialect.ts';
import { dbErrorCodes, getDbError } from '../db/driver/errors.ts';
import type { KnownRow } from '../db/driver/statement-batch.ts';
import type { PendingStep } from '../db/tables/index.ts';
import type { Caller } from './caller.ts';

/** Idle timeout of a session; independently of it, a session ends at its `expires_at`. */
export const SESSION_IDLE_MINUTES = 30;
/** `last_seen_at` is updated at most once per interval, so it may be this much older than the last request. */
const LAST_SEEN_INTERVAL_SECONDS = 60;
/** Time after any request during which the session certainly still exists. */
export const GUARANTEED_IDLE_SECONDS = SESSION_IDLE_MINUTES * 60 - LAST_SEEN_INTERVAL_SECONDS;
export const SESSION_TTL_HOURS = 12;
/** Validity of a proof of presence. */
export const PROOF_TTL_MINUTES = 10;

/**
 * SQL condition: the member `m` is active, as every count of active users means it (contract/rules/people/account-status.ts). Who is active may
 * still be unable to act: see `buildCanAct`.
 */
export const IS_ACTIVE = sql<boolean>`m.is_active`;

/** SQL condition: the member may act on the site, which requires an active, licensed, unexpired membership (table alias `alias`). */
export const buildCanAct = (alias: 'm' | 'pm' | 'im') => {
  const m = sql.id(alias);
  return sql<boolean>`(${m}.is_active and ${m}.license_type_id <> ${NO_LICENSE} and (${m}.expires_at is null or ${m}.expires_at > now()))`;
};
/** SQL condition: the member `m` may act on the site. */
export const CAN_ACT = buildCanAct('m');

/** SQL condition: the member `m` could act on the site with another license. */
export const LACKS_ONLY_LICENSE = sql<boolean>`(m.is_active and m.license_type_id = ${NO_LICENSE}
  and (m.expires_at is null or m.expires_at > now()))`;

/**
 * SQL condition: the API key `k` is neither turned off nor expired. Timestamp columns have milliseconds, so `now()` is rounded alike:
 * a key expires at the same instant in every process.
 */
export const API_KEY_IS_VALID = sql<boolean>`(k.disabled_at is null and (k.expires_at is null or k.expires_at > now()::timestamptz(3)))`;

const buildCapabilities = (alias: 'm' | 'pm') => {
  const m = sql.id(alias);
  return sql<Capability[]>`coalesce((
  select array_agg(distinct c) from group_member gm
  join user_group g on g.site_id = gm.site_id and g.group_id = gm.group_id, unnest(g.capabilities) c
  where gm.site_id = ${m}.site_id and gm.user_id = ${m}.user_id), '{}')`;
};
/** SQL expression: the capabilities of the member `m`. */
export const MEMBER_CAPABILITIES = buildCapabilities('m');

/** SQL condition: the member has IP restrictions and the address is not approved (spec 5.4). */
export const isAddressRefused = (ip: string, alias: 'm' | 'pm' = 'm') =>
  isRefused(sql`${toInet(ip)}::inet`, alias);

/** Like `isAddressRefused`, for the place of an address in a statement. */
export const isRefused = (ip: RawBuilder<unknown>, alias: 'm' | 'pm') => {
  const m = sql.id(alias);
  return sql<boolean>`(${m}.ip_restrictions_enabled and not exists (
  select 1 from approved_address p where p.site_id = ${m}.site_id and p.network >>= ${ip}))`;
};

/** The address without its zone, for a parameter of type inet; null for an invalid address, which no network contains. */
export function toInet(ip: string): string | null {
  const address = ip.replace(/%.*$/, '');
  return isIP(address) ? address : null;
}

/** People whom a refusal names at most. */
const MAX_APPROVERS = 3;

/**
 * Full names of people who can approve an address of the user now, those who used the site last first: they may act, hold Manage Settings, and their
 * membership is permanent. No e-mail addresses: whoever holds stolen credentials would learn whom to write to.
 */
export async function listAddressApprovers(
  db: Db,
  { siteId, userId }: { siteId: number; userId: number },
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select trim(concat(a.first_name, ' ', a.last_name)) as name from membership m join account a using (user_id)
    where m.site_id = ${siteId} and m.user_id <> ${userId} and ${CAN_ACT} and m.expires_at is null
      and ${MEMBER_CAPABILITIES} @> '{Manage Settings}' and trim(concat(a.first_name, a.last_name)) <> ''
    order by m.last_active_at desc nulls last, m.user_id limit ${MAX_APPROVERS}`.execute(db);
  return rows.map(({ name }) => name);
}

/** The user of a session or access token. */
interface OwnRow {
  site_id: number;
  user_id: number;
  email: string;
  expires_at: Date;
  client_id: number | null;
  is_proven: boolean;
  is_federated: boolean;
  scopes: Scope[] | null;
  capabilities: Capability[];
  /** Whether `last_seen_at` must be updated. */
  is_last_seen_stale: boolean;
  is_address_refused: boolean;
}

/** The user, and the principal for whom the caller acts or asks to act. */
interface CallerRow extends OwnRow {
  principal_id: number | null;
  principal_email: string | null;
  principal_capabilities: Capability[];
  is_principal_address_refused: boolean | null;
  is_assigned: boolean;
  report_id: number | null;
}

/** Columns of the principal. `is_assigned` is true while the assignment exists and the principal may act. */
const buildPrincipalColumns = (ip: RawBuilder<unknown>) => sql`account_email(x.user_id) as principal_email,
  coalesce(${buildCanAct('pm')}, false) as is_assigned, ${buildCapabilities('pm')} as principal_capabilities,
  ${isRefused(ip, 'pm')} as is_principal_address_refused`;

const buildPrincipalJoins = (principalId: RawBuilder<unknown>) => sql`
  left join proxy_assignment x on x.site_id = m.site_id and x.proxy_id = m.user_id and x.user_id = ${principalId}
  left join membership pm on pm.site_id = x.site_id and pm.user_id = x.user_id`;

/** The user of a session or access token, before the API surface checks addresses and acting. */
export interface AuthenticatedCaller {
  /** The user without acting for anybody. */
  caller: Caller;
  /** Whether IP restrictions exclude the request's address for the user. */
  isAddressRefused: boolean;
  principal: Principal | undefined;
}

/** The user for whom the caller acts or requests to act. */
export interface Principal {
  id: number;
  /** Undefined if the caller may not, or may no longer, act for this user. */
  email: string | undefined;
  capabilities: ReadonlySet<Capability>;
  /** Whether IP restrictions exclude the request's address for the principal. */
  isAddressRefused: boolean;
  reportId: number | null;
}

/** Sets of capabilities by their names: callers are cached, and most have the same few. */
const capabilitySets = new Map<string, ReadonlySet<Capability>>();
const MAX_CAPABILITY_SETS = 200;

function getCapabilitySet(capabilities: readonly Capability[]): ReadonlySet<Capability> {
  const key = capabilities.join();
  const cached = capabilitySets.get(key);
  if (cached) return cached;
  if (capabilitySets.size >= MAX_CAPABILITY_SETS) capabilitySets.clear();
  const created = new Set(capabilities);
  capabilitySets.set(key, created);
  return created;
}

/** The user without acting for anybody. */
const toOwnCaller = (row: OwnRow, tokenHash: Buffer): Caller => ({
  siteId: row.site_id,
  userId: row.user_id,
  email: row.email,
  acting: undefined,
  capabilities: getCapabilitySet(row.capabilities),
  scopes: row.scopes ? new Set(row.scopes) : undefined,
  clientId: row.client_id ?? undefined,
  hasProofOfPresence: row.is_proven,
  isFederated: row.is_federated,
  pending: undefined,
  tokenHash,
  expiresAt: row.expires_at,
});

function toAuthenticatedCaller(row: CallerRow, tokenHash: Buffer): AuthenticatedCaller {
  const principal = row.principal_id === null ? undefined : toPrincipal(row, row.principal_id);
  return { caller: toOwnCaller(row, tokenHash), isAddressRefused: row.is_address_refused, principal };
}

const toPrincipal = (row: CallerRow, id: number): Principal => ({
  id,
  email: row.is_assigned ? (row.principal_email ?? undefined) : undefined,
  capabilities: row.is_assigned ? getActingCapabilities(row.principal_capabilities) : new Set(),
  isAddressRefused: row.is_principal_address_refused ?? false,
  reportId: row.report_id,
});

/** Reads go on while the database is read-only; the session is then updated later. */
function ignoreReadOnly(error: unknown): void {
  if (getDbError(error)?.code !== dbErrorCodes.readOnly) throw error;
}

export const toActingCaller = (
  own: Caller,
  principal: Principal & { email: string },
  reportId: number,
): Caller => ({
  ...own,
  capabilities: principal.capabilities,
  acting: { principalId: principal.id, principalEmail: principal.email, reportId },
});

export const isAssigned = (principal: Principal): principal is Principal & { email: string } =>
  principal.email !== undefined;

/** Caller of a session: the principal it acts for, or the user themselves. */
export const resolveCaller = ({ caller: own, principal }: AuthenticatedCaller): Caller =>
  principal && isAssigned(principal) ? toActingCaller(own, principal, principal.reportId ?? 0) : own;

/** The user of a valid session, by the hash of its token. Updates the time of last use at most once a minute. */
export async function findSession(
  db: Db,
  tokenHash: Buffer,
  ip: string,
): Promise<AuthenticatedCaller | undefined> {
  const { rows } = await db.executeQuery(selectSession(tokenHash, toInet(ip)));
  const [row] = rows;
  if (row?.is_last_seen_stale && !row.is_address_refused) {
    await sql`with seen as (update session set last_seen_at = now() where token_hash = ${tokenHash} returning site_id, user_id)
      update membership m set last_active_at = now() from seen where m.site_id = seen.site_id and m.user_id = seen.user_id`
      .execute(db)
      .catch(ignoreReadOnly);
  }
  return row && toAuthenticatedCaller(row, tokenHash);
}

/** The session `s` of a user `m` who may act. */
const SESSION_COLUMNS = sql`s.site_id, s.user_id, account_email(s.user_id) as email, s.expires_at, null as client_id, null as scopes,
  ${MEMBER_CAPABILITIES} as capabilities,
  coalesce(s.proven_at > now() - make_interval(mins => ${sql.lit(PROOF_TTL_MINUTES)}), false) as is_proven, s.is_federated,
  s.last_seen_at < now() - make_interval(secs => ${sql.lit(LAST_SEEN_INTERVAL_SECONDS)}) as is_last_seen_stale`;
const SESSION_JOINS = sql`session s join membership m on m.site_id = s.site_id and m.user_id = s.user_id`;
const SESSION_IS_VALID = sql`s.pending is null and s.expires_at > now()
  and s.last_seen_at > now() - make_interval(mins => ${sql.lit(SESSION_IDLE_MINUTES)}) and ${CAN_ACT}`;

const selectSession = defineStatement(
  (tokenHash: RawBuilder<Buffer>, address: RawBuilder<string | null>) => sql<CallerRow>`
    select ${SESSION_COLUMNS}, ${isRefused(sql`${address}::inet`, 'm')} as is_address_refused, r.report_id, r.principal_id,
      ${buildPrincipalColumns(sql`${address}::inet`)}
    from ${SESSION_JOINS}
    left join acting_report r on r.site_id = s.site_id and r.report_id = s.acting_report_id
    ${buildPrincipalJoins(sql`r.principal_id`)}
    where s.token_hash = ${tokenHash} and ${SESSION_IS_VALID}`,
);

/** A session that acts for nobody. */
const selectOwnSession = defineStatement(
  (tokenHash: RawBuilder<Buffer>, address: RawBuilder<string | null>) => sql<OwnRow>`
    select ${SESSION_COLUMNS}, ${isRefused(sql`${address}::inet`, 'm')} as is_address_refused
    from ${SESSION_JOINS}
    where s.token_hash = ${tokenHash} and s.acting_report_id is null and ${SESSION_IS_VALID}`,
);

/** The user of a half-completed sign-in, without any capability, and whether IP restrictions exclude the address. */
export async function findHalfCompletedSession(
  db: Db,
  tokenHash: Buffer,
  ip: string,
): Promise<{ caller: Caller; isAddressRefused: boolean } | undefined> {
  const { rows } = await sql<{
    site_id: number;
    user_id: number;
    email: string;
    expires_at: Date;
    pending: PendingStep;
    is_address_refused: boolean;
  }>`
    select s.site_id, s.user_id, a.email, s.expires_at, s.pending, ${isAddressRefused(ip)} as is_address_refused
    from ${SESSION_JOINS} join account a on a.user_id = s.user_id
    where s.token_hash = ${tokenHash} and s.pending is not null and s.expires_at > now() and ${CAN_ACT}`.execute(
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
    hasProofOfPresence: false,
    isFederated: false,
    pending: row.pending,
    tokenHash,
    expiresAt: row.expires_at,
  };
  return { caller, isAddressRefused: row.is_address_refused };
}

/**
 * The user of a valid access token whose API key is valid. With `principalId` also whether the user may act for that principal, and
 * today's acting report if one exists.
 */
export async function findAccessToken(
  db: Db,
  tokenHash: Buffer,
  ip: string,
  principalId: number | null = null,
): Promise<AuthenticatedCaller | undefined> {
  const { rows } = await db.executeQuery(selectAccessToken(tokenHash, toInet(ip), principalId));
  const [row] = rows;
  return row && toAuthenticatedCaller(row, tokenHash);
}

/** The access token `t` of a user `m` who may act. */
const TOKEN_COLUMNS = sql`t.site_id, t.user_id, account_email(t.user_id) as email, t.expires_at, t.client_id, false as is_proven,
  false as is_federated, t.scopes, ${MEMBER_CAPABILITIES} as capabilities, false as is_last_seen_stale`;
const TOKEN_JOINS = sql`access_token t
  join api_key k on k.client_id = t.client_id and ${API_KEY_IS_VALID}
  join membership m on m.site_id = t.site_id and m.user_id = t.user_id`;
const TOKEN_IS_VALID = sql`t.expires_at > now() and ${CAN_ACT}`;

const selectAccessToken = defineStatement(
  (
    tokenHash: RawBuilder<Buffer>,
    address: RawBuilder<string | null>,
    principalId: RawBuilder<number | null>,
  ) => sql<CallerRow>`
    select ${TOKEN_COLUMNS}, ${isRefused(sql`${address}::inet`, 'm')} as is_address_refused, r.report_id, ${principalId}::int as principal_id,
      ${buildPrincipalColumns(sql`${address}::inet`)}
    from ${TOKEN_JOINS}
    ${buildPrincipalJoins(sql`${principalId}::int`)}
    left join acting_report r on r.site_id = x.site_id and r.proxy_id = x.proxy_id and r.principal_id = x.user_id
      and r.day = (now() at time zone 'UTC')::date
    where t.token_hash = ${tokenHash} and ${TOKEN_IS_VALID}`,
);

/** An access token of a request that acts for nobody. */
const selectOwnAccessToken = defineStatement(
  (tokenHash: RawBuilder<Buffer>, address: RawBuilder<string | null>) => sql<OwnRow>`
    select ${TOKEN_COLUMNS}, ${isRefused(sql`${address}::inet`, 'm')} as is_address_refused
    from ${TOKEN_JOINS} where t.token_hash = ${tokenHash} and ${TOKEN_IS_VALID}`,
);

/**
 * A database for a request whose token is assumed to have this caller, who acts for nobody. Confirmed if the caller is still exactly the
 * same and the address is not refused, as `findAccessToken` or `findSession` would find in the same round trip. `knownRow` belongs to
 * the caller: the row that has confirmed it is not examined again.
 */
export const assumeCaller = (db: Db, caller: Caller, ip: string, knownRow: KnownRow): AssumingDb =>
  assume(
    db,
    (caller.scopes ? selectOwnAccessToken : selectOwnSession)(caller.tokenHash, toInet(ip)),
    ([row]) =>
      row !== undefined &&
      !row.is_address_refused &&
      !row.is_last_seen_stale &&
      isDeepStrictEqual(toOwnCaller(row, caller.tokenHash), caller),
    knownRow,
  );

/** Whether the access token and its key are valid, but the license of their owner does not allow any request. */
export async function isTokenWithoutLicense(db: Db, tokenHash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    select from ${TOKEN_JOINS}
    where t.token_hash = ${tokenHash} and t.expires_at > now() and ${LACKS_ONLY_LICENSE}`.execute(db);
  return rows.length > 0;
}

/** Credentials of a response that goes on: those of the request that opened it. */
export interface OpenCredential {
  tokenHash: Buffer;
  ip: string;
  principalId: number | null;
}

/**
 * Checks credentials of open responses, all in one statement and without using the sessions: time goes on for their idle timeout.
 * Returns the indexes of those with which the same request would be accepted now.
 */
export async function findValidCredentials(
  db: Db,
  credentials: readonly OpenCredential[],
): Promise<ReadonlySet<number>> {
  const rows = credentials.map(({ tokenHash, ip, principalId }, n) => ({
    n,
    hash: tokenHash.toString('hex'),
    ip: toInet(ip),
    principal_id: principalId,
  }));
  const mayContinue = sql`not ${isRefused(sql`c.ip`, 'm')} and (c.principal_id is null
    or (coalesce(${buildCanAct('pm')}, false) and not ${isRefused(sql`c.ip`, 'pm')}))`;
  const query = sql<{ n: number }>`
    with c as (select n, decode(hash, 'hex') as token_hash, ip, principal_id
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(n int, hash text, ip inet, principal_id int))
    select c.n from ${SESSION_JOINS} join c on c.token_hash = s.token_hash
    left join acting_report r on r.site_id = s.site_id and r.report_id = s.acting_report_id
    ${buildPrincipalJoins(sql`c.principal_id`)}
    where ${SESSION_IS_VALID} and r.principal_id is not distinct from c.principal_id and ${mayContinue}
    union all
    select c.n from ${TOKEN_JOINS} join c on c.token_hash = t.token_hash
    ${buildPrincipalJoins(sql`c.principal_id`)}
    where ${TOKEN_IS_VALID} and 'Access Web Service' = any(${MEMBER_CAPABILITIES}) and ${mayContinue}
      and (c.principal_id is null or 'Access Web Service' = any(${buildCapabilities('pm')}))`;
  const { rows: valid } = await query.execute(db);
  return new Set(valid.map(({ n }) => n));
}

/** How a job was started, which decides what it may do. */
export interface JobOwner {
  siteId: number;
  userId: number;
  principalId: number | null;
  reportId: number | null;
  ip: string;
  scopes: Scope[] | null;
  isProven: boolean;
  isFederated: boolean;
}

/**
 * The owner of a job with the rights of this moment; undefined if the owner may no longer act on the site. Neither a session nor a token
 * is required: a job outlives both.
 */
export async function findJobOwner(db: Db, owner: JobOwner): Promise<AuthenticatedCaller | undefined> {
  const { siteId, userId, principalId, ip } = owner;
  const { rows } = await sql<CallerRow>`
    select m.site_id, m.user_id, a.email, now() as expires_at, null as client_id, ${owner.isProven}::boolean as is_proven,
           ${owner.isFederated}::boolean as is_federated, ${owner.scopes}::text[] as scopes, ${MEMBER_CAPABILITIES} as capabilities,
           false as is_last_seen_stale, ${isAddressRefused(ip)} as is_address_refused, ${owner.reportId}::int as report_id,
           ${principalId}::int as principal_id, ${buildPrincipalColumns(sql`${toInet(ip)}::inet`)}
    from membership m
    join account a on a.user_id = m.user_id
    ${buildPrincipalJoins(sql`${principalId}::int`)}
    where m.site_id = ${siteId} and m.user_id = ${userId} and ${CAN_ACT}`.execute(db);
  const [row] = rows;
  return row && toAuthenticatedCaller(row, NO_TOKEN);
}

/** Hash of no session or token. */
const NO_TOKEN = Buffer.alloc(0);

/** The capabilities that the groups of users grant, by user id; a change reads them in its transaction. */
export async function loadCapabilities(
  db: Db,
  siteId: number,
  userIds: readonly number[],
): Promise<Map<number, ReadonlySet<Capability>>> {
  const { rows } = await sql<{ id: number; capabilities: Capability[] }>`
    select m.user_id as id, ${MEMBER_CAPABILITIES} as capabilities from membership m
    where m.site_id = ${siteId} and m.user_id = any(${[...userIds]}::int[])`.execute(db);
  return new Map(rows.map(({ id, capabilities }) => [id, new Set(capabilities)]));
}

/** The current capabilities of the caller, or of the principal as far as they can be delegated; a change reads them in its transaction. */
export async function loadEffectiveCapabilities(
  db: Db,
  { siteId, userId, acting }: Pick<Caller, 'siteId' | 'userId' | 'acting'>,
): Promise<ReadonlySet<Capability>> {
  const id = acting ? acting.principalId : userId;
  const held = (await loadCapabilities(db, siteId, [id])).get(id) ?? new Set();
  return acting ? getActingCapabilities(held) : held;
}

/**
 * Whether the site has an administrator who can sign in: a permanent member who may act, has Manage Users and Manage Groups, and has
 * a password or signs in through the site's identity manager (T07). Call it in a change with `lockSite`: otherwise two
 * administrators can remove each other at the same time.
 */
export async function hasAdministrator(tx: Tx, siteId: number): Promise<boolean> {
  const { rows } = await sql<{ remains: boolean }>`
    select exists (
      select 1 from membership m
      join account a on a.user_id = m.user_id
      join site s on s.site_id = m.site_id
      where m.site_id = ${siteId} and ${CAN_ACT} and m.expires_at is null
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

/** Invalidates the links to set a password that were mailed to users: all of them, or those of one site. */
export async function deleteSetPasswordLinks(
  tx: Tx,
  userIds: readonly number[],
  siteId?: number,
): Promise<void> {
  const links = tx
    .deleteFrom('one_time_link')
    .where('purpose', '=', 'set-password')
    .where('user_id', '=', anyOf(userIds));
  await (siteId === undefined ? links : links.where('site_id', '=', siteId)).execute();
}

/** Ends all sessions and access tokens of users on a site immediately. */
export async function deleteSessionsAndTokens(
  tx: Tx,
  siteId: number,
  userIds: readonly number[],
): Promise<void> {
  await Promise.all(
    (['session', 'access_token'] as const).map((table) =>
      tx.deleteFrom(table).where('site_id', '=', siteId).where('user_id', '=', anyOf(userIds)).execute(),
    ),
  );
}

const anyOf = (ids: readonly number[]) => sql<number>`any(${[...ids]}::int[])`;
