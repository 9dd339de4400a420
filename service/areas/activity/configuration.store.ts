import { sql } from 'kysely';
import type { ConfigurationKind } from '../../../contract/rules/configuration.ts';
import type { Db } from '../../kernel/db/database.ts';
import { contains } from '../../kernel/db/like.ts';
import type { CursorPosition } from '../../kernel/http/cursor.ts';

/** Filter of the configuration log; all conditions that are present must match. */
export interface ConfigurationFilter {
  kinds: readonly ConfigurationKind[] | undefined;
  /** Authors, themselves or as proxies. */
  userIds: readonly number[] | undefined;
  /** Start of the period, inclusive. */
  from: Date | undefined;
  /** End of the period, exclusive. */
  to: Date | undefined;
  /** Text in the names and values of a change, or in the name of its author; case is ignored. */
  search: string | undefined;
}

export interface StoredConfigurationChange {
  id: number;
  date: Date;
  kind: ConfigurationKind;
  action: string;
  subjectType: string;
  subjectId: string;
  subjectName: string | null;
  changes: Readonly<Record<string, unknown>>;
  changedBy: number | null;
  changedByName: string | null;
  proxyUserId: number | null;
  proxyUserName: string | null;
  ipAddress: string | null;
}

const selectMemberName = (
  id: 'actor_id' | 'proxy_id' | 'subject',
) => sql`(select a.first_name || ' ' || a.last_name
  from membership m join account a using (user_id) where m.site_id = l.site_id and m.user_id = ${
    // Audit rows name their subject as text.
    id === 'subject' ? sql`l.subject_id::int` : sql.ref(`l.${id}`)
  })`;

/** The configuration rows of a site in the period, before the position. */
const fromLog = (siteId: number, { from, to }: ConfigurationFilter, before: CursorPosition | undefined) =>
  sql`from audit_log l where l.site_id = ${siteId} and l.configuration_kind is not null
    ${from ? sql`and l.at >= ${from}` : sql``} ${to ? sql`and l.at < ${to}` : sql``}
    ${before ? sql`and (l.at, l.audit_id) < (${before[0]}::timestamptz, ${before[1]})` : sql``}`;

/**
 * Position of the row `rows` rows into the log of the period, at which a search stops; undefined if the log ends before. One range of
 * the index audit_log_configuration, whatever the filter selects.
 */
export async function findScanEnd(
  db: Db,
  siteId: number,
  filter: ConfigurationFilter,
  { before, rows }: { before: CursorPosition | undefined; rows: number },
): Promise<CursorPosition | undefined> {
  const found = await sql<{
    at: Date;
    id: number;
  }>`select l.at, l.audit_id as id ${fromLog(siteId, filter, before)}
    order by l.at desc, l.audit_id desc offset ${rows - 1} limit 1`.execute(db);
  const [last] = found.rows;
  return last && [last.at.toISOString(), last.id];
}

/**
 * Changes of the configuration that match the filter, newest first, down to the position `end` inclusive. Authors are named only while
 * they are members of the site.
 */
export async function listConfigurationChanges(
  db: Db,
  siteId: number,
  filter: ConfigurationFilter,
  {
    before,
    end,
    limit,
  }: { before: CursorPosition | undefined; end: CursorPosition | undefined; limit: number },
): Promise<StoredConfigurationChange[]> {
  const { kinds, userIds, search } = filter;
  const { rows } = await sql<StoredConfigurationChange>`
    select l.audit_id as id, l.at as date, l.configuration_kind as kind, l.action, l.subject_type as "subjectType",
      l.subject_id as "subjectId",
      case when l.subject_type = 'user' then ${selectMemberName('subject')}
        else coalesce(l.subject_name, l.changes -> 'name' ->> 1, l.changes -> 'name' ->> 0) end as "subjectName",
      l.changes, l.actor_id as "changedBy", ${selectMemberName('actor_id')} as "changedByName",
      l.proxy_id as "proxyUserId", ${selectMemberName('proxy_id')} as "proxyUserName", l.ip as "ipAddress"
    ${fromLog(siteId, filter, before)}
      ${end ? sql`and (l.at, l.audit_id) >= (${end[0]}::timestamptz, ${end[1]})` : sql``}
      ${kinds ? sql`and l.configuration_kind = any(${[...kinds]}::text[])` : sql``}
      ${userIds ? sql`and (l.actor_id = any(${[...userIds]}::int[]) or l.proxy_id = any(${[...userIds]}::int[]))` : sql``}
      ${
        search === undefined
          ? sql``
          : sql`and (${contains(sql`l.subject_name`, search)} or ${contains(sql`l.changes::text`, search)} or ${contains(sql`l.action`, search)}
              or ${contains(selectMemberName('actor_id'), search)} or ${contains(selectMemberName('proxy_id'), search)}
              or (l.subject_type = 'user' and ${contains(selectMemberName('subject'), search)}))`
      }
    order by l.at desc, l.audit_id desc limit ${limit}`.execute(db);
  return rows;
}
