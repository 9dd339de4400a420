import { sql } from 'kysely';
import { CAN_ACT } from '../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { equalsAny } from '../../kernel/db/ids.ts';

/** Those of the users who are platform administrators. */
export async function pickPlatformAdministrators(
  db: Db,
  userIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ id: number }>`
    select user_id as id from platform_administrator where user_id ${equalsAny(userIds)}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

export const isPlatformAdministrator = async (db: Db, userId: number): Promise<boolean> =>
  (await pickPlatformAdministrators(db, [userId])).size > 0;

export async function listPlatformAdministrators(db: Db): Promise<{ id: number; email: string }[]> {
  return db
    .selectFrom('platform_administrator')
    .innerJoin('account', 'account.user_id', 'platform_administrator.user_id')
    .select(['account.user_id as id', 'email'])
    .orderBy('email')
    .execute();
}

/** Returns false if the user is a platform administrator already. */
export async function addPlatformAdministrator(tx: Tx, userId: number): Promise<boolean> {
  const row = await tx
    .insertInto('platform_administrator')
    .values({ user_id: userId })
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns false if the user was not a platform administrator. */
export async function removePlatformAdministrator(tx: Tx, userId: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('platform_administrator')
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Makes the user a platform administrator if there is none yet (first administrator of an installation). */
export async function addFirstPlatformAdministrator(tx: Tx, userId: number): Promise<void> {
  await sql`insert into platform_administrator (user_id)
    select ${userId}::int where not exists (select 1 from platform_administrator)`.execute(tx);
}

/** Locks all platform administrators until the transaction ends, so that two sites cannot each rely on the other. */
export async function lockPlatformAdministrators(tx: Tx): Promise<void> {
  await tx.selectFrom('platform_administrator').select('user_id').orderBy('user_id').forUpdate().execute();
}

/**
 * Platform administrators who can sign in without this site: by password or passkey, on another site that accepts them.
 */
export async function listIndependentPlatformAdministrators(db: Db, siteId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select a.user_id as id from platform_administrator join account a using (user_id)
    where (a.password_hash is not null or exists (select 1 from passkey k where k.user_id = a.user_id))
      and exists (
        select 1 from membership m join site s using (site_id)
        where m.user_id = a.user_id and s.site_id <> ${siteId} and s.identity_mode = 'password'
          and ${CAN_ACT} and m.expires_at is null
          and (not m.ip_restrictions_enabled
            or exists (select 1 from approved_address p where p.site_id = m.site_id)))`.execute(db);
  return rows.map(({ id }) => id);
}
