import { sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';

export interface StoredLicense {
  userId: number;
  licenseTypeId: number;
  version: number;
}

/** A page of licenses in the order of user ids; `types` undefined: all. */
export async function listLicenses(
  db: Db,
  siteId: number,
  types: readonly number[] | undefined,
  page: { offset: number; limit: number },
): Promise<StoredLicense[]> {
  const { rows } = await sql<StoredLicense>`
    select user_id as "userId", license_type_id as "licenseTypeId", version from membership
    where site_id = ${siteId} ${types ? sql`and license_type_id = any(${[...types]}::smallint[])` : sql``}
    order by user_id limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}

/** The license of one user. */
export async function getLicense(db: Db, siteId: number, userId: number): Promise<StoredLicense | undefined> {
  const { rows } = await sql<StoredLicense>`
    select user_id as "userId", license_type_id as "licenseTypeId", version from membership
    where site_id = ${siteId} and user_id = ${userId}`.execute(db);
  return rows[0];
}

export async function setLicense(
  tx: Tx,
  siteId: number,
  userId: number,
  licenseTypeId: number,
): Promise<void> {
  await tx
    .updateTable('membership')
    .set({ license_type_id: licenseTypeId })
    .where('site_id', '=', siteId)
    .where('user_id', '=', userId)
    .execute();
}
