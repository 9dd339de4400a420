import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';
import type { Page } from '../../kernel/db/list-page.ts';
import type { Filter } from './rules.ts';

/** A row of the report with the names of whom it is about. */
export interface StoredActivity {
  activityId: number;
  at: Date;
  userId: number;
  userName: string;
  fullName: string;
  activityTypeId: number;
  sourceTypeId: number;
  ipAddress: string | null;
  sessionId: string | null;
  exportDataType: number | null;
  principalUserId: number | null;
  principalUserName: string | null;
  principalFullName: string | null;
}

const fits = (siteId: number, filter: Filter): RawBuilder<unknown> =>
  sql.join(
    [
      sql`a.site_id = ${siteId} and a.at >= ${filter.from}`,
      filter.to && sql`a.at < ${filter.to}`,
      filter.userIds && sql`a.user_id = any(${[...filter.userIds]}::int[])`,
      filter.principalIds && sql`a.principal_user_id = any(${[...filter.principalIds]}::int[])`,
      filter.activities && sql`a.activity_type_id = any(${[...filter.activities]}::smallint[])`,
      filter.sources && sql`a.source_type_id = any(${[...filter.sources]}::smallint[])`,
      filter.exportKind !== undefined && sql`a.export_data_type = ${filter.exportKind}`,
      filter.onlyProxy && sql`a.principal_user_id is not null`,
      filter.network && sql`a.ip_address::inet <<= ${filter.network.cidr}::inet`,
    ].filter((part) => part !== undefined && part !== false),
    sql` and `,
  );

/** How many rows fit. */
export async function countActivity(db: Db, siteId: number, filter: Filter): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from activity a where ${fits(siteId, filter)}`.execute(db);
  return rows[0]?.n ?? 0;
}

/** A page of the rows that fit, newest first. */
export async function listActivity(
  db: Db,
  siteId: number,
  filter: Filter,
  page: Page,
): Promise<StoredActivity[]> {
  const { rows } = await sql<StoredActivity>`
    with picked as materialized (
      select * from activity a where ${fits(siteId, filter)}
      order by at desc, activity_id desc limit ${page.limit} offset ${page.offset})
    select a.activity_id as "activityId", a.at, a.user_id as "userId", coalesce(u.email, '') as "userName",
      concat_ws(' ', u.first_name, u.last_name) as "fullName", a.activity_type_id as "activityTypeId",
      a.source_type_id as "sourceTypeId", a.ip_address as "ipAddress", a.session_id as "sessionId",
      a.export_data_type as "exportDataType", a.principal_user_id as "principalUserId",
      p.email as "principalUserName", p.first_name || ' ' || p.last_name as "principalFullName"
    from picked a left join account u on u.user_id = a.user_id
    left join account p on p.user_id = a.principal_user_id
    order by a.at desc, a.activity_id desc`.execute(db);
  return rows;
}
