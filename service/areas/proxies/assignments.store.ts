import { sql, type RawBuilder } from 'kysely';
import type {
  Capability,
  ProxyPerson,
  UserProxiesResponseVm,
} from '../../../contract/generated/types.gen.ts';
import type { Tx, Db } from '../../kernel/db/database.ts';
import { contains } from '../../kernel/db/like.ts';
import type { Page } from '../../kernel/db/list-page.ts';

/** The proxy user may act for the user (the principal). */
export interface Assignment {
  proxyUserId: number;
  userId: number;
}

/** The principals of a proxy user, read in the transaction that changes them. */
export async function listAssignmentsOfProxy(tx: Tx, siteId: number, proxyId: number): Promise<Assignment[]> {
  return tx
    .selectFrom('proxy_assignment')
    .select(['proxy_id as proxyUserId', 'user_id as userId'])
    .where('site_id', '=', siteId)
    .where('proxy_id', '=', proxyId)
    .orderBy('user_id')
    .execute();
}

/** Those of the given assignments that exist. */
export async function listExistingAssignments(
  tx: Tx,
  siteId: number,
  pairs: readonly Assignment[],
): Promise<Assignment[]> {
  const { rows } = await sql<Assignment>`
    select x.proxy_id as "proxyUserId", x.user_id as "userId" from proxy_assignment x
    join unnest(${toProxyIds(pairs)}::int[], ${toUserIds(pairs)}::int[]) as pair(p, u) on x.proxy_id = pair.p and x.user_id = pair.u
    where x.site_id = ${siteId}`.execute(tx);
  return rows;
}

/** Number of principals of each proxy user. */
export async function countPrincipals(
  tx: Tx,
  siteId: number,
  proxyIds: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ proxy_id: number; n: number }>`
    select proxy_id, count(*)::int as n from proxy_assignment
    where site_id = ${siteId} and proxy_id = any(${[...proxyIds]}::int[]) group by proxy_id`.execute(tx);
  return new Map(rows.map((row) => [row.proxy_id, row.n]));
}

/** All assignments of a user, as proxy or as principal. */
export async function listAssignmentsOfUser(tx: Tx, siteId: number, userId: number): Promise<Assignment[]> {
  return tx
    .selectFrom('proxy_assignment')
    .select(['proxy_id as proxyUserId', 'user_id as userId'])
    .where('site_id', '=', siteId)
    .where((eb) => eb.or([eb('proxy_id', '=', userId), eb('user_id', '=', userId)]))
    .execute();
}

/** All capabilities that any of the users holds. */
export async function listCapabilitiesOfUsers(
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

const toProxyIds = (pairs: readonly Assignment[]) => pairs.map(({ proxyUserId }) => proxyUserId);
const toUserIds = (pairs: readonly Assignment[]) => pairs.map(({ userId }) => userId);

export async function addAssignments(
  tx: Tx,
  siteId: number,
  pairs: readonly Assignment[],
  by: number | null,
): Promise<void> {
  await sql`insert into proxy_assignment (site_id, proxy_id, user_id, created_by)
    select ${siteId}, p, u, ${by}::int from unnest(${toProxyIds(pairs)}::int[], ${toUserIds(pairs)}::int[]) as pair(p, u)
    order by p, u on conflict do nothing`.execute(tx);
}

export async function removeAssignments(tx: Tx, siteId: number, pairs: readonly Assignment[]): Promise<void> {
  await sql`delete from proxy_assignment x using unnest(${toProxyIds(pairs)}::int[], ${toUserIds(pairs)}::int[]) as pair(p, u)
    where x.site_id = ${siteId} and x.proxy_id = pair.p and x.user_id = pair.u`.execute(tx);
}

interface ProxyFilter {
  proxyQuery: string | undefined;
  userQuery: string | undefined;
  searchByName: boolean;
  proxyUserId: number | undefined;
  userId: number | undefined;
}

/** Condition: account `a` matches by full name or by e-mail address, ignoring letter case (spec 4.2). */
const accountMatches = (query: string, byName: boolean) =>
  contains(byName ? sql`a.first_name || ' ' || a.last_name` : sql`a.email`, query);

/**
 * Selects all proxy users by skipping from one to the next on the index: there are few of them compared with their
 * assignments, which are not scanned.
 */
const selectAllProxyIds = (siteId: number) => sql`
  with recursive each (id) as (
    (select proxy_id from proxy_assignment where site_id = ${siteId} order by proxy_id limit 1)
    union all
    select (select x.proxy_id from proxy_assignment x
      where x.site_id = ${siteId} and x.proxy_id > each.id order by x.proxy_id limit 1)
    from each where each.id is not null)
  select id from each where id is not null`;

/** Selects the proxy users of the principals that match the filter. */
const selectProxyIdsByUser = (siteId: number, { userId, userQuery, searchByName }: ProxyFilter) => sql`
  select distinct x.proxy_id as id from proxy_assignment x
  ${userQuery ? sql`join account a on a.user_id = x.user_id and ${accountMatches(userQuery, searchByName)}` : sql``}
  where x.site_id = ${siteId} ${userId === undefined ? sql`` : sql`and x.user_id = ${userId}`}`;

/** Selects the proxy users that match the filter. */
function selectMatchingProxyIds(siteId: number, filter: ProxyFilter): RawBuilder<unknown> {
  const { proxyQuery, searchByName, proxyUserId, userId, userQuery } = filter;
  const candidates =
    userId !== undefined || userQuery ? selectProxyIdsByUser(siteId, filter) : selectAllProxyIds(siteId);
  return sql`select p.id from (${candidates}) p
    ${proxyQuery ? sql`join account a on a.user_id = p.id and ${accountMatches(proxyQuery, searchByName)}` : sql``}
    ${proxyUserId === undefined ? sql`` : sql`where p.id = ${proxyUserId}`}`;
}

interface PairRow {
  proxy_id: number;
  proxy_email: string;
  proxy_name: string;
  user_id: number;
  user_email: string;
  user_name: string;
  is_self_assigned: boolean;
}

/**
 * A page of proxy users, ordered by id, each with all principals. All matches are found for every page, so that all
 * pages cost the same.
 */
export async function listProxies(
  db: Db,
  siteId: number,
  filter: ProxyFilter,
  page: Page,
): Promise<UserProxiesResponseVm[]> {
  const { rows } = await sql<PairRow>`
    with picked as materialized (
      select id from (${selectMatchingProxyIds(siteId, filter)}) found order by id limit ${page.limit} offset ${page.offset})
    select x.proxy_id, pa.email as proxy_email, pa.first_name || ' ' || pa.last_name as proxy_name,
           x.user_id, ua.email as user_email, ua.first_name || ' ' || ua.last_name as user_name,
           x.created_by is not distinct from x.proxy_id as is_self_assigned
    from picked join proxy_assignment x on x.site_id = ${siteId} and x.proxy_id = picked.id
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
    const selfAssigned = pairs.filter((row) => row.is_self_assigned).map((row) => row.user_id);
    return [{ proxyUser, users, selfAssigned }];
  });
}
