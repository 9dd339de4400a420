/** Storage quotas: bytes of files that a site uses and may use (docs/decisions/0038). */
import { sql } from 'kysely';
import { ApiError } from '../api-error.ts';
import type { Db, Tx } from '../db/database.ts';
import { formatNumber } from '../numbers.ts';

export interface StorageUse {
  usedBytes: number;
  /** Limit set for the site; null for the default of the host. */
  quotaBytes: number | null;
}

/**
 * Locks the storage of a site until the transaction ends. A transaction that stores or deletes files calls it before it
 * touches their rows: of two uploads at once the second sees what the first has used, and the two cannot deadlock.
 * @returns the bytes that its files use
 */
export async function lockStorage(tx: Tx, siteId: number): Promise<number> {
  const { rows } = await sql<{ usedBytes: number }>`
    insert into site_storage (site_id, used_bytes) values (${siteId}, 0)
    on conflict (site_id) do update set used_bytes = site_storage.used_bytes
    returning used_bytes as "usedBytes"`.execute(tx);
  return rows[0]?.usedBytes ?? 0;
}

export async function readStorageUse(db: Db, siteId: number): Promise<StorageUse> {
  const { rows } = await sql<StorageUse>`
    select coalesce(u.used_bytes, 0)::bigint as "usedBytes", s.storage_quota as "quotaBytes"
    from site s left join site_storage u using (site_id) where s.site_id = ${siteId}`.execute(db);
  return rows[0] ?? { usedBytes: 0, quotaBytes: null };
}

/**
 * Requires that the files of a site, with those that this transaction has added, are within the limit. A site that is over
 * its limit, because the limit was lowered, keeps its files and can do everything that needs no further storage.
 * @param usedBefore bytes returned by `lockStorage`
 * @param defaultQuota limit of the host for sites without their own; null: none
 * @throws ApiError 507 with the bytes used, allowed and needed
 */
export async function requireStorage(
  tx: Tx,
  siteId: number,
  { usedBefore, defaultQuota, path }: { usedBefore: number; defaultQuota: number | null; path: string },
): Promise<void> {
  const { usedBytes, quotaBytes } = await readStorageUse(tx, siteId);
  const limit = quotaBytes ?? defaultQuota;
  if (limit === null || usedBytes <= limit || usedBytes <= usedBefore) return;
  const message =
    `The files of this site use ${formatNumber(usedBefore)} of ${formatNumber(limit)} bytes, and this request needs ` +
    `${formatNumber(usedBytes - usedBefore)} more. Platform administrators can raise the limit.`;
  throw new ApiError(507, message, [{ path, message }]);
}
