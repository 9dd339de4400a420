import { sql } from 'kysely';
import { KEY_REMINDER_DAYS } from '../../../contract/rules/api-keys.ts';
import { MAY_ACT } from '../../kernel/auth/store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** Columns of time round to milliseconds, and so does what they are held against (KEY_HOLDS). */
const NOW = sql`now()::timestamptz(3)`;
const IS_NEAR = sql<boolean>`k.disabled_at is null and k.expires_at <= ${NOW} + make_interval(hours => 24 * ${KEY_REMINDER_DAYS}::int)`;

/** Sites on which keys have expired, or nearly so and nobody has been told. */
export async function sitesWithEnds(db: Db): Promise<number[]> {
  const { rows } = await sql<{ site_id: number }>`
    select distinct k.site_id from api_key k
    where ${IS_NEAR} and (k.expires_at <= ${NOW} or k.reminded_at is null) order by k.site_id`.execute(db);
  return rows.map((row) => row.site_id);
}

interface Ended {
  clientId: number;
  userId: number;
  expiredAt: Date;
}

/** Some keys that have expired are off from their instant on, those of one user or of all; another process takes others. */
export async function endExpired(
  tx: Tx,
  siteId: number,
  { userId, most }: { userId?: number | undefined; most: number },
): Promise<Ended[]> {
  const { rows } = await sql<Ended>`
    with due as materialized (
      select k.client_id from api_key k
      where k.site_id = ${siteId} and k.disabled_at is null and k.expires_at <= ${NOW}
        ${userId === undefined ? sql`` : sql`and k.user_id = ${userId}`}
      order by k.client_id limit ${most} for update skip locked)
    update api_key k set disabled_at = k.expires_at from due where k.client_id = due.client_id
    returning k.client_id as "clientId", k.user_id as "userId", k.expires_at as "expiredAt"`.execute(tx);
  return rows;
}

/** Somebody whose key expires soon. */
interface Ending {
  clientId: number;
  userId: number;
  email: string;
  firstName: string;
  endsAt: Date;
  /** Until then, begun ones included. */
  hours: number;
}

/** Marks some who are to be told as told; of several processes one gets each. Who cannot act is told nothing. */
export async function claimEnding(tx: Tx, siteId: number, most: number): Promise<Ending[]> {
  const { rows } = await sql<Ending>`
    with due as materialized (
      select k.client_id from api_key k join membership m on m.site_id = k.site_id and m.user_id = k.user_id
      where k.site_id = ${siteId} and ${IS_NEAR} and k.expires_at > ${NOW} and k.reminded_at is null and ${MAY_ACT}
      order by k.client_id limit ${most} for update of k skip locked),
    claimed as (
      update api_key k set reminded_at = now() from due where k.client_id = due.client_id returning k.*)
    select c.client_id as "clientId", a.user_id as "userId", a.email, a.first_name as "firstName",
      c.expires_at as "endsAt", ceil(extract(epoch from c.expires_at - now()) / 3600)::int as hours
    from claimed c join account a on a.user_id = c.user_id order by c.client_id`.execute(tx);
  return rows;
}
