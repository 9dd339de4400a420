import { type Kysely, sql } from 'kysely';

interface Home {
  userId: number;
  siteId: number;
}

/**
 * Corrects the homes of accounts: earlier versions moved the home of an account without the federation id by which its new home knows it,
 * and left the home of an account that had belonged to no site when it joined another. The statements do not join memberships of different
 * sites, which lie on different servers of a cluster (docs/scaling.md).
 */
export async function up(db: Kysely<never>): Promise<void> {
  const { rows: guests } = await sql<Home>`
    select m.user_id as "userId", m.site_id as "siteId" from membership m join account a using (user_id)
    where m.site_id <> a.home_site_id order by m.created_at, m.site_id`.execute(db);
  const { rows: members } = await sql<Home>`
    select m.user_id as "userId", m.site_id as "siteId" from membership m join account a using (user_id)
    where m.site_id = a.home_site_id and m.user_id = any(${guests.map(({ userId }) => userId)}::int[])`.execute(
    db,
  );
  const atHome = new Set(members.map(({ userId }) => userId));
  const oldest = new Map<number, Home>();
  for (const guest of guests)
    if (!atHome.has(guest.userId) && !oldest.has(guest.userId)) oldest.set(guest.userId, guest);
  const moved = [...oldest.values()];
  await sql`update account a set home_site_id = h.site_id, federation_id = null
    from unnest(${moved.map(({ userId }) => userId)}::int[], ${moved.map(({ siteId }) => siteId)}::int[]) as h (user_id, site_id)
    where a.user_id = h.user_id`.execute(db);
  const { rows: links } = await sql<Home & { federationId: string }>`
    select l.user_id as "userId", l.site_id as "siteId", l.federation_id as "federationId"
    from identity_link l join account a using (user_id) where l.site_id = a.home_site_id`.execute(db);
  const userIds = links.map(({ userId }) => userId);
  await sql`update account a set federation_id = l.federation_id
    from unnest(${userIds}::int[], ${links.map(({ federationId }) => federationId)}::text[]) as l (user_id, federation_id)
    where a.user_id = l.user_id`.execute(db);
  await sql`delete from identity_link l using unnest(${userIds}::int[], ${links.map(({ siteId }) => siteId)}::int[]) as h (user_id, site_id)
    where l.user_id = h.user_id and l.site_id = h.site_id`.execute(db);
}
