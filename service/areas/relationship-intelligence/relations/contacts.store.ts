import { sql } from 'kysely';
import type { Db, Tx } from '../../../kernel/db/database.ts';

/** First key of the advisory locks under which contacts of a site are looked for and created. */
const CONTACT_LOCK_KEY = 7_409;

/** Excludes other transactions that look for contacts of the site, which would create the same ones. */
export async function lockContacts(tx: Tx, siteId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${CONTACT_LOCK_KEY}::int, ${siteId}::int)`.execute(tx);
}

/** The oldest entry for each of the addresses, which are in lower case. */
export async function findContacts(
  tx: Tx,
  siteId: number,
  { typeId, textFieldId }: { typeId: number; textFieldId: number },
  addresses: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ address: string; entryId: number }>`
    select lower(vals ->> ${String(textFieldId)}::text) as address, min(entry_id) as "entryId" from entry
    where site_id = ${siteId} and type_id = ${typeId} and lower(vals ->> ${String(textFieldId)}::text) = any(${[...addresses]}::text[])
    group by 1`.execute(tx);
  return new Map(rows.map(({ address, entryId }) => [address, entryId]));
}

/** The entry to which the relationships with each of the addresses, which are in lower case, were linked last. */
export async function findLinkedIds(
  tx: Tx,
  siteId: number,
  addresses: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ address: string; entryId: number }>`
    select distinct on (address) address, entry_id as "entryId" from ri_relation
    where site_id = ${siteId} and address = any(${[...addresses]}::text[]) and entry_id is not null
    order by address, contact_at desc`.execute(tx);
  return new Map(rows.map(({ address, entryId }) => [address, entryId]));
}

/** Sites with automated contact creation that have addresses to look for. */
export async function listSitesWithDueContacts(db: Db): Promise<{ siteId: number; item: string }[]> {
  const { rows } = await sql<{ siteId: number }>`
    select site_id as "siteId" from ri_setting s where automated_contact_creation and is_enabled and contact_entry_type_id is not null
      and modified_by is not null
      and exists (select from ri_relation r where r.site_id = s.site_id and r.contact_at is null)`.execute(
    db,
  );
  return rows.map(({ siteId }) => ({ siteId, item: '' }));
}

/** An outside address without a contact. */
export interface DueContact {
  address: string;
  name: string | null;
  /** Whether a user wrote to the address or met the person. */
  isMutual: boolean;
  /** The relationships that are due had a contact, which was deleted or merged. */
  hadContact: boolean;
}

/** The next addresses for which a contact is to be looked for. */
export async function listDueContacts(tx: Tx, siteId: number, limit: number): Promise<DueContact[]> {
  const { rows } = await sql<DueContact>`
    with due as (select distinct address from ri_relation where site_id = ${siteId} and contact_at is null limit ${limit})
    select address, (array_agg(r.name order by r.last_at desc) filter (where r.name is not null))[1] as name,
      bool_or(r.sent > 0 or r.meetings > 0) as "isMutual",
      bool_and(r.entry_id is not null) filter (where r.contact_at is null) as "hadContact"
    from due join ri_relation r using (address) where r.site_id = ${siteId} group by address order by address`.execute(
    tx,
  );
  return rows;
}

/** Stores the contacts of addresses, or that there is none; the link to a deleted contact is kept, which may be restored. */
export async function setContacts(
  tx: Tx,
  siteId: number,
  addresses: readonly string[],
  entryIds: readonly (number | null)[],
): Promise<void> {
  await sql`update ri_relation r set entry_id = coalesce(c.entry_id, r.entry_id), contact_at = now()
    from unnest(${[...addresses]}::text[], ${[...entryIds]}::int[]) as c(address, entry_id)
    where r.site_id = ${siteId} and r.address = c.address`.execute(tx);
}

/** The e-mail address of an account; null if it no longer exists. */
export async function getEmail(db: Db, userId: number): Promise<string | null> {
  const { rows } = await sql<{ email: string }>`select email from account where user_id = ${userId}`.execute(
    db,
  );
  return rows[0]?.email ?? null;
}
