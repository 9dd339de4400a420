import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Erasure } from '../../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../../kernel/db/database.ts';
import { eraseFromJobs } from './erase-from-jobs.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Counts {
  changedItems: number;
  removedItems: number;
  removedRelationships: number;
  remaining: number;
}

/**
 * Removes an address from all items and relationships of a site, the items that relate nobody else, and what jobs hold of it. Items keep their place in the
 * order of addresses, so that the first remains the sender. @returns the id of the proof
 */
export async function eraseAddress(
  tx: Tx,
  { siteId, userId }: { siteId: number; userId: number },
  address: string,
): Promise<number> {
  const { rows: changed } = await sql<{ kind: number; key: string }>`
    update ri_item set addresses = array_replace(addresses, ${address}, ''), modified_at = 'infinity'
    where site_id = ${siteId} and addresses @> array[${address}::text] returning kind, item_key as key`.execute(
    tx,
  );
  const [kinds, keys] = [changed.map(({ kind }) => kind), changed.map(({ key }) => key)];
  await sql`update ri_item_user l set counterparts = array_remove(counterparts, ${address})
    from unnest(${kinds}::smallint[], ${keys}::uuid[]) as c(kind, item_key)
    where l.site_id = ${siteId} and l.kind = c.kind and l.item_key = c.item_key`.execute(tx);
  const { numAffectedRows: removedItems = 0n } = await sql`
    delete from ri_item i using unnest(${kinds}::smallint[], ${keys}::uuid[]) as c(kind, item_key)
    where i.site_id = ${siteId} and i.kind = c.kind and i.item_key = c.item_key and not exists (
      select from ri_item_user l where l.site_id = i.site_id and l.kind = i.kind and l.item_key = i.item_key
        and cardinality(l.counterparts) > 0)`.execute(tx);
  await sql`delete from ri_item_user l using unnest(${kinds}::smallint[], ${keys}::uuid[]) as c(kind, item_key)
    where l.site_id = ${siteId} and l.kind = c.kind and l.item_key = c.item_key and not exists (
      select from ri_item i where i.site_id = l.site_id and i.kind = l.kind and i.item_key = l.item_key)`.execute(
    tx,
  );
  const { numAffectedRows: removedRelationships = 0n } = await sql`
    delete from ri_relation where site_id = ${siteId} and address = ${address}`.execute(tx);
  // Programs write an address as the name of a person, also of another one.
  await sql`update ri_relation set name = null where site_id = ${siteId} and lower(name) = ${address}`.execute(
    tx,
  );
  const leftInJobs = await eraseFromJobs(tx, siteId, address);
  const { rows: left } = await sql<{ n: number }>`
    select (select count(*) from ri_item where site_id = ${siteId} and addresses @> array[${address}::text])::int
      + (select count(*) from ri_item_user where site_id = ${siteId} and counterparts @> array[${address}::text])::int
      + (select count(*) from ri_relation where site_id = ${siteId} and address = ${address})::int as n`.execute(
    tx,
  );
  const counts: Counts = {
    changedItems: changed.length - Number(removedItems),
    removedItems: Number(removedItems),
    removedRelationships: Number(removedRelationships),
    remaining: (left[0]?.n ?? 0) + leftInJobs,
  };
  if (counts.remaining > 0) throw new Error('The address was not removed everywhere');
  return insertErasure(tx, { siteId, userId, addressSha256: sha256(address), counts });
}

async function insertErasure(
  tx: Tx,
  erasure: { siteId: number; userId: number; addressSha256: string; counts: Counts },
): Promise<number> {
  const { siteId, userId, addressSha256, counts } = erasure;
  const { rows } = await sql<{ id: number; at: Date }>`
    insert into ri_erasure (site_id, address_sha256, erased_at, erased_by, changed_items, removed_items, removed_relationships,
      remaining, proof)
    values (${siteId}, ${addressSha256}, now(), ${userId}, ${counts.changedItems}, ${counts.removedItems},
      ${counts.removedRelationships}, ${counts.remaining}, '') returning erasure_id as id, erased_at as at`.execute(
    tx,
  );
  const [row] = rows;
  if (!row) throw new Error('The erasure was not stored');
  const proof = sha256(
    JSON.stringify({
      id: row.id,
      addressSha256,
      erasedDate: row.at.toISOString(),
      erasedById: userId,
      ...counts,
    }),
  );
  await sql`update ri_erasure set proof = ${proof} where site_id = ${siteId} and erasure_id = ${row.id}`.execute(
    tx,
  );
  return row.id;
}

const MAX_LISTED = 1_000;

/** Proofs of erasures, the latest first. */
export async function listErasures(db: Db | Tx, siteId: number): Promise<Erasure[]> {
  const { rows } = await sql<Omit<Erasure, 'erasedDate'> & { erasedDate: Date }>`
    select e.erasure_id as id, e.address_sha256 as "addressSha256", e.erased_at as "erasedDate", e.erased_by as "erasedById",
      case when m.user_id is not null then a.first_name || ' ' || a.last_name end as "erasedByName",
      e.changed_items as "changedItems", e.removed_items as "removedItems", e.removed_relationships as "removedRelationships",
      e.remaining, e.proof
    from ri_erasure e left join account a on a.user_id = e.erased_by
    left join membership m on m.site_id = e.site_id and m.user_id = e.erased_by
    where e.site_id = ${siteId} order by e.erasure_id desc limit ${MAX_LISTED}`.execute(db);
  return rows.map(({ erasedDate, ...erasure }) => ({ ...erasure, erasedDate: erasedDate.toISOString() }));
}
