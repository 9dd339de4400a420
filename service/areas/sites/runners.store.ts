import { sql } from 'kysely';
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
