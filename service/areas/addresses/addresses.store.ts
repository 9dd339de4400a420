import { sql } from 'kysely';
import { ACTIVITY_TYPE } from '../../kernel/audit/activity.store.ts';
import { toInet, CAN_ACT } from '../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** An IP address or network from which users with IP restrictions may act. */
export interface Address {
  network: string;
  note: string;
  createdAt: Date;
}

export interface AddressListState {
  /** Whether the caller's address is approved. */
  isApproved: boolean;
  /** Number of active users with IP restrictions. */
  restricted: number;
  /** Hash of the list; it changes with the list. */
  version: number;
}

export async function listAddresses(db: Db, siteId: number): Promise<Address[]> {
  const { rows } = await sql<Address>`
    select network::text as network, note, created_at as "createdAt"
    from approved_address where site_id = ${siteId} order by approved_address.network`.execute(db);
  return rows;
}

export async function readListState(db: Db, siteId: number, ip: string): Promise<AddressListState> {
  const { rows } = await sql<AddressListState>`
    select
      exists (select 1 from approved_address where site_id = ${siteId} and network >>= ${toInet(ip)}::inet) as "isApproved",
      (select count(*)::int from membership m
        where m.site_id = ${siteId} and m.ip_restrictions_enabled and ${CAN_ACT}) as restricted,
      (select coalesce(hashtext(string_agg(network::text || ' ' || note, chr(10) order by network)), 0)
        from approved_address where site_id = ${siteId}) as version`.execute(db);
  return rows[0] ?? { isApproved: false, restricted: 0, version: 0 };
}

/** The networks in their stored form, with host bits zero, in the given order. */
export async function normalizeNetworks(db: Db, networks: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ network: string }>`
    select network(given::inet)::inet::text as network
    from unnest(${[...networks]}::text[]) with ordinality as n(given, place) order by place`.execute(db);
  return rows.map(({ network }) => network);
}

/** Whether one of the networks contains the address. */
export async function containsAddress(tx: Tx, networks: readonly string[], ip: string): Promise<boolean> {
  const { rows } = await sql<{ contained: boolean }>`
    select coalesce(${toInet(ip)}::inet <<= any (${[...networks]}::inet[]), false) as contained`.execute(tx);
  return rows[0]?.contained ?? false;
}

export async function isRestricted(tx: Tx, siteId: number, userId: number): Promise<boolean> {
  const row = await tx
    .selectFrom('membership')
    .select('ip_restrictions_enabled')
    .where('site_id', '=', siteId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.ip_restrictions_enabled ?? false;
}

/** Replaces the list. Addresses that are in both lists keep their creation date. */
export async function replaceAddresses(
  tx: Tx,
  siteId: number,
  addresses: readonly { network: string; note: string }[],
): Promise<void> {
  const networks = addresses.map(({ network }) => network);
  await sql`delete from approved_address where site_id = ${siteId} and network <> all (${networks}::inet[])`.execute(
    tx,
  );
  await sql`
    insert into approved_address (site_id, network, note)
    select ${siteId}, network, note
    from unnest(${networks}::inet[], ${addresses.map(({ note }) => note)}::text[]) as t(network, note)
    on conflict (site_id, network) do update set note = excluded.note`.execute(tx);
}

/** A user and an address that the rehearsed list does not approve. */
interface RehearsedAddress {
  userId: number;
  userName: string;
  fullName: string;
  isActive: boolean;
  ipRestrictionsEnabled: boolean;
  ipAddress: string;
  count: number;
  lastDate: Date;
}

/** A network whose approval would keep active users from being locked out. */
interface SuggestedNetwork {
  network: string;
  users: number;
  count: number;
  lastDate: string;
}

interface Rehearsal {
  lockedOut: number;
  wouldBeLockedOut: number;
  places: RehearsedAddress[];
  suggestions: SuggestedNetwork[];
}

const MAX_REHEARSED_ADDRESSES = 1000;
const MAX_SUGGESTIONS = 50;
/** Prefix lengths of the networks in which several addresses become one suggestion: an office, a subscriber line. */
const SUGGESTED_PREFIX = { ipv4: 24, ipv6: 64 } as const;
const BACKUP_ACCESS = 10;
/**
 * Kinds of activity that require a successful sign-in. The lower four bits of `activity.kind` are the activity type
 * (migrations/0005_activity).
 */
const SUCCESSFUL_KINDS = [
  ACTIVITY_TYPE.signedIn,
  ACTIVITY_TYPE.exported,
  ACTIVITY_TYPE.switched,
  BACKUP_ACCESS,
];

export interface RehearsalInput {
  /** The list to check; undefined for the approved addresses of the site. */
  networks: readonly string[] | undefined;
  /** Only these users; undefined for all. */
  userIds: readonly number[] | undefined;
  since: Date;
}

/**
 * Lists who acted since a date from an address outside the networks, and the networks to approve. The addresses are taken
 * from the weekly rollups, so that activity rows are read only for addresses outside.
 */
export async function rehearse(
  db: Db,
  siteId: number,
  { networks, userIds, since }: RehearsalInput,
): Promise<Rehearsal> {
  const { rows } = await sql<
    RehearsedAddress & { lockedOut: number; wouldBeLockedOut: number; suggestions: SuggestedNetwork[] }
  >`
    with list as materialized (
      select unnest(${networks ? [...networks] : null}::inet[]) as network
      union all select network::inet from approved_address where site_id = ${siteId} and ${networks === undefined}::boolean),
    outside as materialized (
      select distinct address from activity_from f
      where site_id = ${siteId} and week > ${since}::timestamptz - interval '7 days'
        and not exists (select from list where f.address <<= list.network)),
    place as materialized (
      select a.user_id, a.ip_address, count(*)::int as n, max(a.at) as last
      from activity a join outside o on o.address = a.ip_address
      where a.site_id = ${siteId} and a.at >= ${since} and (a.kind & 15) = any (${SUCCESSFUL_KINDS}::int[])
        and (${userIds === undefined}::boolean or a.user_id = any (${userIds ? [...userIds] : []}::int[]))
      group by a.user_id, a.ip_address),
    who as (
      select p.*, c.email, c.first_name, c.last_name, ${CAN_ACT} as active, m.ip_restrictions_enabled as restricted
      from place p
      join membership m on m.site_id = ${siteId} and m.user_id = p.user_id
      join account c on c.user_id = p.user_id),
    suggestion as (
      select case when count(distinct ip_address) = 1 then host(min(ip_address)) else net::text end as network,
        count(distinct user_id)::int as users, sum(n)::int as count, max(last) as last
      from (select *, network(set_masklen(ip_address, case family(ip_address)
          when 4 then ${SUGGESTED_PREFIX.ipv4}::int else ${SUGGESTED_PREFIX.ipv6}::int end)) as net
        from who where active) as w
      group by net order by users desc, count desc, net limit ${MAX_SUGGESTIONS})
    select user_id as "userId", email as "userName", trim(first_name || ' ' || last_name) as "fullName",
      active as "isActive", restricted as "ipRestrictionsEnabled", host(ip_address) as "ipAddress", n as count,
      last as "lastDate",
      (select count(distinct user_id)::int from who where active and restricted) as "lockedOut",
      (select count(distinct user_id)::int from who where active and not restricted) as "wouldBeLockedOut",
      (select coalesce(json_agg(json_build_object('network', network, 'users', users, 'count', count,
        'lastDate', to_char(last at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
        order by users desc, count desc, network), '[]') from suggestion) as suggestions
    from who order by (active and restricted) desc, last desc, user_id, ip_address limit ${MAX_REHEARSED_ADDRESSES}`.execute(
    db,
  );
  const [first] = rows;
  return {
    lockedOut: first?.lockedOut ?? 0,
    wouldBeLockedOut: first?.wouldBeLockedOut ?? 0,
    places: rows.map(
      ({ lockedOut: _out, wouldBeLockedOut: _would, suggestions: _networks, ...place }) => place,
    ),
    suggestions: first?.suggestions ?? [],
  };
}
