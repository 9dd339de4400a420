import { type RawBuilder, sql } from 'kysely';
import type {
  Capability,
  ProxyPerson,
  UserProxiesResponseVm,
} from '../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { Page } from '../../kernel/db/list-page.ts';

/** An assignment: the proxy user may act for the user. */
export interface Assignment {
  proxyUserId: number;
  userId: number;
}

export interface ProxyFilter {
  proxyQuery: string | undefined;
  userQuery: string | undefined;
  searchByName: boolean;
  proxyUserId: number | undefined;
  userId: number | undefined;
}

/** A pattern that holds the text as it is, wherever it stands. */
const within = (text: string) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** Whether the account `alias` matches, by full name or by e-mail address (spec 4.2). */
function matches(alias: 'pa' | 'ua', query: string | undefined, byName: boolean): RawBuilder<unknown> {
  const a = sql.id(alias);
  if (query === undefined || query === '') return sql`true`;
  const subject = byName ? sql`${a}.first_name || ' ' || ${a}.last_name` : sql`${a}.email`;
  return sql`${subject} ilike ${within(query)}`;
}

const equals = (column: 'proxy_id' | 'user_id', id: number | undefined) =>
  id === undefined ? sql`true` : sql`x.${sql.id(column)} = ${id}`;

interface PairRow {
  proxy_id: number;
  proxy_email: string;
  proxy_name: string;
  user_id: number;
  user_email: string;
  user_name: string;
}

/**
 * A page of proxy users in the order of their ids, each with everybody they may act for. All that match are found for
 * every page, so that none costs more than another.
 */
export async function listProxies(
  db: Db,
  siteId: number,
  filter: ProxyFilter,
  page: Page,
): Promise<UserProxiesResponseVm[]> {
  const { rows } = await sql<PairRow>`
    with found as materialized (
      select distinct x.proxy_id from proxy_assignment x
      join account pa on pa.user_id = x.proxy_id join account ua on ua.user_id = x.user_id
      where x.site_id = ${siteId} and ${equals('proxy_id', filter.proxyUserId)} and ${equals('user_id', filter.userId)}
        and ${matches('pa', filter.proxyQuery, filter.searchByName)}
        and ${matches('ua', filter.userQuery, filter.searchByName)}),
    picked as materialized (select proxy_id from found order by proxy_id limit ${page.limit} offset ${page.offset})
    select x.proxy_id, pa.email as proxy_email, pa.first_name || ' ' || pa.last_name as proxy_name,
           x.user_id, ua.email as user_email, ua.first_name || ' ' || ua.last_name as user_name
    from picked join proxy_assignment x on x.site_id = ${siteId} and x.proxy_id = picked.proxy_id
    join account pa on pa.user_id = x.proxy_id join account ua on ua.user_id = x.user_id
    order by x.proxy_id, x.user_id`.execute(db);
  return [...Map.groupBy(rows, (row) => row.proxy_id).values()].flatMap((pairs) => {
    const [first] = pairs;
    if (!first) return [];
    const proxyUser = { id: first.proxy_id, email: first.proxy_email, fullName: first.proxy_name };
    const users = pairs.map((row): ProxyPerson => ({
      id: row.user_id,
      email: row.user_email,
      fullName: row.user_name,
    }));
    return [{ proxyUser, users }];
  });
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
