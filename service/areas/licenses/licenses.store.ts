import { sql } from 'kysely';
import { licenseTypes } from '../../../contract/rules/people/licenses.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { buildListPage, MEMBERS_BY_LICENSE, type Page } from '../../kernel/db/list-page.ts';

export interface StoredLicense {
  userId: number;
  licenseTypeId: number;
}

/** A page of licenses of the given types, ordered by user id. */
export async function listLicenses(
  db: Db,
  siteId: number,
  types: readonly number[],
  page: Page,
): Promise<StoredLicense[]> {
  const selection = buildListPage(
    { siteId, list: MEMBERS_BY_LICENSE, parts: types },
    page,
    (firstId, limit) => {
      // One index scan per type, merged: users with other licenses are never read.
      const selects = types.map(
        (type) => sql`(select user_id as "userId", license_type_id as "licenseTypeId" from membership
        where site_id = ${siteId} and license_type_id = ${type} and user_id >= ${firstId} order by user_id limit ${limit})`,
      );
      return sql.join(selects, sql` union all `);
    },
  );
  const { rows } = await sql<StoredLicense>`${selection}`.execute(db);
  return rows;
}

/** The license of a user with the version of the user. */
export async function getLicense(
  db: Db,
  siteId: number,
  userId: number,
): Promise<(StoredLicense & { version: number }) | undefined> {
  return db
    .selectFrom('membership')
    .select(['user_id as userId', 'license_type_id as licenseTypeId', 'version'])
    .where('site_id', '=', siteId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

export interface StoredLicenseChange {
  date: Date;
  licenseTypeId: number;
  previousLicenseTypeId: number | null;
  changedBy: number | null;
  changedByName: string | null;
}

/** A page of a user's license changes, newest first. The author is named only while a member of the site. */
export async function listChanges(
  db: Db,
  siteId: number,
  userId: number,
  page: Page,
): Promise<StoredLicenseChange[]> {
  const { rows } = await sql<StoredLicenseChange>`
    select l.at as date, (l.changes -> 'licenseTypeId' ->> 1)::int as "licenseTypeId",
      (l.changes -> 'licenseTypeId' ->> 0)::int as "previousLicenseTypeId", l.actor_id as "changedBy",
      case when m.user_id is not null then a.first_name || ' ' || a.last_name end as "changedByName"
    from audit_log l
    left join membership m on m.site_id = l.site_id and m.user_id = l.actor_id
    left join account a on a.user_id = m.user_id
    where l.site_id = ${siteId} and l.subject_type = 'user' and l.subject_id = ${String(userId)}
      and l.changes -> 'licenseTypeId' ->> 1 is not null
    order by l.at desc, l.audit_id desc limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}

/** Change of the number of seats of a type on a day (UTC), or the current number if `day` is null. */
export interface SeatChange {
  day: string | null;
  licenseTypeId: number;
  by: number;
}

/** The current seats and the changes of each day (UTC) since that of a moment, read in one snapshot. */
export async function readSeats(db: Db, siteId: number, since: Date): Promise<SeatChange[]> {
  const { rows } = await sql<SeatChange>`
    select null::date as day, part as "licenseTypeId", sum(n)::int as by from list_block
    where site_id = ${siteId} and list = ${MEMBERS_BY_LICENSE} group by part
    union all
    select day, license_type_id, n from seat_change
    where site_id = ${siteId} and day >= (${since}::timestamptz at time zone 'UTC')::date`.execute(db);
  return rows;
}

/**
 * The current seats, and the numbers of temporary memberships that end on each day (UTC) before a moment, read in one snapshot. Those
 * that have ended already and are still counted come with their day.
 */
export async function readEndingSeats(db: Db, siteId: number, before: Date): Promise<SeatChange[]> {
  const { rows } = await sql<SeatChange>`
    select null::date as day, part as "licenseTypeId", sum(n)::int as by from list_block
    where site_id = ${siteId} and list = ${MEMBERS_BY_LICENSE} group by part
    union all
    select (expires_at at time zone 'UTC')::date, license_type_id, count(*)::int from membership
    where site_id = ${siteId} and expires_at < ${before} group by 1, 2`.execute(db);
  return rows;
}

/** Agreed and held seats of a license type. */
export interface StoredSeatTotal {
  licenseTypeId: number;
  /** Null where there is no limit. */
  total: number | null;
  held: number;
  /** Negative when more are held than agreed. */
  free: number | null;
}

/** The seats of every license type, in the order of their ids, from the counts of the list. */
export async function listSeatTotals(db: Db, siteId: number): Promise<StoredSeatTotal[]> {
  const ids = licenseTypes.map(({ licenseTypeId }) => licenseTypeId);
  const { rows } = await sql<StoredSeatTotal>`
    select type.id as "licenseTypeId", t.total, seats.held, t.total - seats.held as free
    from unnest(${ids}::int[]) as type (id)
    cross join lateral (select coalesce(sum(b.n), 0)::int as held from list_block b
      where b.site_id = ${siteId} and b.list = ${MEMBERS_BY_LICENSE} and b.part = type.id) seats
    left join seat_total t on t.site_id = ${siteId} and t.license_type_id = type.id
    order by type.id`.execute(db);
  return rows;
}

/** Sets the agreed seats of a license type; null removes the limit. */
export async function setSeatTotal(
  tx: Tx,
  siteId: number,
  licenseTypeId: number,
  total: number | null,
): Promise<void> {
  await (total === null
    ? tx
        .deleteFrom('seat_total')
        .where('site_id', '=', siteId)
        .where('license_type_id', '=', licenseTypeId)
        .execute()
    : tx
        .insertInto('seat_total')
        .values({ site_id: siteId, license_type_id: licenseTypeId, total })
        .onConflict((conflict) => conflict.columns(['site_id', 'license_type_id']).doUpdateSet({ total }))
        .execute());
}

export interface StoredUnusedLicense extends StoredLicense {
  lastActivityDate: Date | null;
}

const BILLABLE_TYPE_IDS = licenseTypes.filter((type) => type.isBillable).map((type) => type.licenseTypeId);

/**
 * A page of billable licenses whose users joined and were last active more than `days` days ago. Users are
 * read in their order up to the end of the page, so the last page costs as much as the whole list.
 */
export async function listUnusedLicenses(
  db: Db,
  siteId: number,
  days: number,
  page: Page,
): Promise<StoredUnusedLicense[]> {
  const { rows } = await sql<StoredUnusedLicense>`
    select user_id as "userId", license_type_id as "licenseTypeId", last_active_at as "lastActivityDate"
    from membership
    where site_id = ${siteId} and license_type_id = any(${BILLABLE_TYPE_IDS}::smallint[])
      and greatest(last_active_at, created_at) < now() - make_interval(days => ${days}::int)
    order by user_id limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}

export async function setLicenses(tx: Tx, siteId: number, licenses: readonly StoredLicense[]): Promise<void> {
  await sql`update membership m set license_type_id = x.type
    from unnest(${licenses.map(({ userId }) => userId)}::int[], ${licenses.map(({ licenseTypeId }) => licenseTypeId)}::int[]) as x(id, type)
    where m.site_id = ${siteId} and m.user_id = x.id`.execute(tx);
}
