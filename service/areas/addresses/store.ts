import { sql } from 'kysely';
import { inet, MAY_ACT } from '../../kernel/auth/store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** An address or a network from which users with IP restrictions may act. */
export interface Address {
  network: string;
  note: string;
  createdAt: Date;
}

export interface Standing {
  /** Whether the caller's address is approved. */
  isApproved: boolean;
  /** Active users with IP restrictions. */
  restricted: number;
  /** Changes with the list. */
  version: number;
}

export async function listAddresses(db: Db, siteId: number): Promise<Address[]> {
  const { rows } = await sql<Address>`
    select network::text as network, note, created_at as "createdAt"
    from approved_address where site_id = ${siteId} order by approved_address.network`.execute(db);
  return rows;
}

export async function standing(db: Db, siteId: number, ip: string): Promise<Standing> {
  const { rows } = await sql<Standing>`
    select
      exists (select 1 from approved_address where site_id = ${siteId} and network >>= ${inet(ip)}::inet) as "isApproved",
      (select count(*)::int from membership m
        where m.site_id = ${siteId} and m.ip_restrictions_enabled and ${MAY_ACT}) as restricted,
      (select coalesce(hashtext(string_agg(network::text || ' ' || note, chr(10) order by network)), 0)
        from approved_address where site_id = ${siteId}) as version`.execute(db);
  return rows[0] ?? { isApproved: false, restricted: 0, version: 0 };
}

/** The networks as they are stored, with the host part zero, in the order given. */
export async function canonical(db: Db, networks: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ network: string }>`
    select network(given::inet)::inet::text as network
    from unnest(${[...networks]}::text[]) with ordinality as n(given, place) order by place`.execute(db);
  return rows.map(({ network }) => network);
}

/** Whether one of the networks holds the address. */
export async function holds(tx: Tx, networks: readonly string[], ip: string): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select coalesce(${inet(ip)}::inet <<= any (${[...networks]}::inet[]), false) as held`.execute(tx);
  return rows[0]?.held ?? false;
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

/** Puts this list in the place of the old one; addresses that stay keep the day on which they came. */
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
