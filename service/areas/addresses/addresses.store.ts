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

interface Rehearsal {
  lockedOut: number;
  wouldBeLockedOut: number;
  places: RehearsedAddress[];
}

const MAX_REHEARSED_ADDRESSES = 1000;
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

/**
 * Lists who acted since a date from an address outside the networks. The addresses are taken from the weekly rollups,
 * so that activity rows are read only for addresses outside.
 */
export async function rehearse(
  db: Db,
  siteId: number,
  { networks, since }: { networks: readonly string[]; since: Date },
): Promise<Rehearsal> {
  const { rows } = await sql<RehearsedAddress & { lockedOut: number; wouldBeLockedOut: number }>`
    with outside as materialized (
      select distinct address from activity_from
      where site_id = ${siteId} and week > ${since}::timestamptz - interval '7 days'
        and not coalesce(address <<= any (${[...networks]}::inet[]), false)),
    place as materialized (
      select a.user_id, a.ip_address, count(*)::int as n, max(a.at) as last
      from activity a join outside o on o.address = a.ip_address
      where a.site_id = ${siteId} and a.at >= ${since} and (a.kind & 15) = any (${SUCCESSFUL_KINDS}::int[])
      group by a.user_id, a.ip_address),
    who as (
      select p.*, c.email, c.first_name, c.last_name, ${CAN_ACT} as active, m.ip_restrictions_enabled as restricted
      from place p
      join membership m on m.site_id = ${siteId} and m.user_id = p.user_id
      join account c on c.user_id = p.user_id)
    select user_id as "userId", email as "userName", trim(first_name || ' ' || last_name) as "fullName",
      active as "isActive", restricted as "ipRestrictionsEnabled", host(ip_address) as "ipAddress", n as count,
      last as "lastDate",
      (select count(distinct user_id)::int from who where active and restricted) as "lockedOut",
      (select count(distinct user_id)::int from who where active and not restricted) as "wouldBeLockedOut"
    from who order by (active and restricted) desc, last desc, user_id, ip_address limit ${MAX_REHEARSED_ADDRESSES}`.execute(
    db,
  );
  const [first] = rows;
  return {
    lockedOut: first?.lockedOut ?? 0,
    wouldBeLockedOut: first?.wouldBeLockedOut ?? 0,
    places: rows.map(({ lockedOut: _out, wouldBeLockedOut: _would, ...place }) => place),
  };
}
