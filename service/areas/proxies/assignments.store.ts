import { sql } from 'kysely';
import type { Capability } from '../../../contract/generated/types.gen.ts';
import type { Tx } from '../../kernel/db/database.ts';

/** An assignment: the proxy user may act for the user. */
export interface Assignment {
  proxyUserId: number;
  userId: number;
}

/** Everybody the proxy user may act for, read in the transaction that changes it. */
export async function assignmentsOf(tx: Tx, siteId: number, proxyId: number): Promise<Assignment[]> {
  const { rows } = await sql<Assignment>`
    select proxy_id as "proxyUserId", user_id as "userId" from proxy_assignment
    where site_id = ${siteId} and proxy_id = ${proxyId} order by user_id`.execute(tx);
  return rows;
}

/** Those of the pairs that are assigned. */
export async function assignedAmong(
  tx: Tx,
  siteId: number,
  pairs: readonly Assignment[],
): Promise<Assignment[]> {
  const { rows } = await sql<Assignment>`
    select x.proxy_id as "proxyUserId", x.user_id as "userId" from proxy_assignment x
    join unnest(${proxyIdsOf(pairs)}::int[], ${userIdsOf(pairs)}::int[]) as pair(p, u) on x.proxy_id = pair.p and x.user_id = pair.u
    where x.site_id = ${siteId}`.execute(tx);
  return rows;
}

/** For how many each of these may act. */
export async function countsOf(
  tx: Tx,
  siteId: number,
  proxyIds: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ proxy_id: number; n: number }>`
    select proxy_id, count(*)::int as n from proxy_assignment
    where site_id = ${siteId} and proxy_id = any(${[...proxyIds]}::int[]) group by proxy_id`.execute(tx);
  return new Map(rows.map((row) => [row.proxy_id, row.n]));
}

/** Every assignment in which the user is one of the two. */
export async function assignmentsAround(tx: Tx, siteId: number, userId: number): Promise<Assignment[]> {
  const { rows } = await sql<Assignment>`
    select proxy_id as "proxyUserId", user_id as "userId" from proxy_assignment
    where site_id = ${siteId} and (proxy_id = ${userId} or user_id = ${userId})`.execute(tx);
  return rows;
}

/** What any of these users holds. */
export async function capabilitiesOfAll(
  tx: Tx,
  siteId: number,
  userIds: readonly number[],
): Promise<Capability[]> {
  const { rows } = await sql<{ capability: Capability }>`
    select distinct c as capability from group_member gm
    join user_group g on g.site_id = gm.site_id and g.group_id = gm.group_id, unnest(g.capabilities) c
    where gm.site_id = ${siteId} and gm.user_id = any(${[...userIds]}::int[])`.execute(tx);
  return rows.map((row) => row.capability);
}

const proxyIdsOf = (pairs: readonly Assignment[]) => pairs.map(({ proxyUserId }) => proxyUserId);
const userIdsOf = (pairs: readonly Assignment[]) => pairs.map(({ userId }) => userId);

export async function addAssignments(
  tx: Tx,
  siteId: number,
  pairs: readonly Assignment[],
  by: number | null,
): Promise<void> {
  await sql`insert into proxy_assignment (site_id, proxy_id, user_id, created_by)
    select ${siteId}, p, u, ${by}::int from unnest(${proxyIdsOf(pairs)}::int[], ${userIdsOf(pairs)}::int[]) as pair(p, u)
    order by p, u on conflict do nothing`.execute(tx);
}

export async function removeAssignments(tx: Tx, siteId: number, pairs: readonly Assignment[]): Promise<void> {
  await sql`delete from proxy_assignment x using unnest(${proxyIdsOf(pairs)}::int[], ${userIdsOf(pairs)}::int[]) as pair(p, u)
    where x.site_id = ${siteId} and x.proxy_id = pair.p and x.user_id = pair.u`.execute(tx);
}
