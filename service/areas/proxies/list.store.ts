import { type RawBuilder, sql } from 'kysely';
import type { ProxyPerson, UserProxiesResponseVm } from '../../../contract/generated/types.gen.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Page } from '../../kernel/db/list-page.ts';

interface ProxyFilter {
  proxyQuery: string | undefined;
  userQuery: string | undefined;
  searchByName: boolean;
  proxyUserId: number | undefined;
  userId: number | undefined;
}

/** A pattern that holds the text as it is, wherever it stands. */
const within = (text: string) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** Whether account `a` matches, by full name or by e-mail address (spec 4.2). */
const matches = (query: string, byName: boolean) =>
  sql`${byName ? sql`a.first_name || ' ' || a.last_name` : sql`a.email`} ilike ${within(query)}`;

/**
 * The proxy users of a site, from one to the next on the index: they are few beside their assignments, which are not
 * read to find them.
 */
const everyProxy = (siteId: number) => sql`
  with recursive each (id) as (
    (select proxy_id from proxy_assignment where site_id = ${siteId} order by proxy_id limit 1)
    union all
    select (select x.proxy_id from proxy_assignment x
      where x.site_id = ${siteId} and x.proxy_id > each.id order by x.proxy_id limit 1)
    from each where each.id is not null)
  select id from each where id is not null`;

/** Who may act for somebody that is asked for. */
const proxiesOf = (siteId: number, { userId, userQuery, searchByName }: ProxyFilter) => sql`
  select distinct x.proxy_id as id from proxy_assignment x
  ${userQuery ? sql`join account a on a.user_id = x.user_id and ${matches(userQuery, searchByName)}` : sql``}
  where x.site_id = ${siteId} ${userId === undefined ? sql`` : sql`and x.user_id = ${userId}`}`;

/** Every proxy user that is asked for. */
function found(siteId: number, filter: ProxyFilter): RawBuilder<unknown> {
  const { proxyQuery, searchByName, proxyUserId, userId, userQuery } = filter;
  const some = userId !== undefined || userQuery ? proxiesOf(siteId, filter) : everyProxy(siteId);
  return sql`select p.id from (${some}) p
    ${proxyQuery ? sql`join account a on a.user_id = p.id and ${matches(proxyQuery, searchByName)}` : sql``}
    ${proxyUserId === undefined ? sql`` : sql`where p.id = ${proxyUserId}`}`;
}

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
    with picked as materialized (
      select id from (${found(siteId, filter)}) found order by id limit ${page.limit} offset ${page.offset})
    select x.proxy_id, pa.email as proxy_email, pa.first_name || ' ' || pa.last_name as proxy_name,
           x.user_id, ua.email as user_email, ua.first_name || ' ' || ua.last_name as user_name
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
    return [{ proxyUser, users }];
  });
}
