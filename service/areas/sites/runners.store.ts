import { sql } from 'kysely';
import { MAY_ACT } from '../../kernel/auth/store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** Whether the person administers the platform. */
export async function runsPlatform(db: Db, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('platform_administrator')
    .select('user_id')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function listRunners(db: Db): Promise<{ id: number; email: string }[]> {
  return db
    .selectFrom('platform_administrator')
    .innerJoin('account', 'account.user_id', 'platform_administrator.user_id')
    .select(['account.user_id as id', 'email'])
    .orderBy('email')
    .execute();
}

/** True when they did not before. */
export async function grantPlatform(tx: Tx, userId: number): Promise<boolean> {
  const row = await tx
    .insertInto('platform_administrator')
    .values({ user_id: userId })
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** True when they did before. */
export async function revokePlatform(tx: Tx, userId: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('platform_administrator')
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The first administrator of an installation runs the platform: nobody else does yet. */
export async function grantPlatformFirst(tx: Tx, userId: number): Promise<void> {
  await sql`insert into platform_administrator (user_id)
    select ${userId}::int where not exists (select 1 from platform_administrator)`.execute(tx);
}

/** Holds until the transaction ends who runs the platform: two sites at once do not both count on the other. */
export async function lockRunners(tx: Tx): Promise<void> {
  await sql`select 1 from platform_administrator order by user_id for update`.execute(tx);
}

/** Who could run the platform without this site: by a password or a passkey, on another site that takes it. */
export async function runnersBeside(db: Db, siteId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select a.user_id as id from platform_administrator join account a using (user_id)
    where (a.password_hash is not null or exists (select 1 from passkey k where k.user_id = a.user_id))
      and exists (
        select 1 from membership m join site s using (site_id)
        where m.user_id = a.user_id and s.site_id <> ${siteId} and s.identity_mode = 'password'
          and ${MAY_ACT} and m.expires_at is null
          and (not m.ip_restrictions_enabled
            or exists (select 1 from approved_address p where p.site_id = m.site_id)))`.execute(db);
  return rows.map(({ id }) => id);
}
