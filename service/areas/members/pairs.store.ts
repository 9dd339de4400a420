import { sql } from 'kysely';
import type { Capability } from '../../../contract/generated/types.gen.ts';
import { capabilities } from '../../../contract/rules/capabilities.ts';
import type { Tx } from '../../kernel/db/database.ts';

/** A user in a group. */
export type Pair = readonly [userId: number, groupId: number];

/**
 * The capabilities of each of the groups, by id; groups of other sites are absent. The groups are held until the
 * transaction ends: what they can do must not grow, nor they vanish, between the check and the gift.
 */
export async function lockGroups(
  tx: Tx,
  siteId: number,
  groupIds: readonly number[],
): Promise<Map<number, Capability[]>> {
  const rows = await tx
    .selectFrom('user_group')
    .select(['group_id', 'capabilities'])
    .where('site_id', '=', siteId)
    .where('group_id', '=', sql<number>`any(${[...groupIds]}::int[])`)
    .orderBy('group_id')
    .forNoKeyUpdate()
    .execute();
  return new Map(rows.map((row) => [row.group_id, row.capabilities as Capability[]]));
}

interface PairRow {
  user_id: number;
  group_id: number;
}
const toPairs = (rows: readonly PairRow[]): Pair[] => rows.map((row) => [row.user_id, row.group_id]);

/** Adds pairs of users and groups; pairs that exist stay as they are. Returns those that are new. */
export async function addToGroups(tx: Tx, siteId: number, pairs: readonly Pair[]): Promise<Pair[]> {
  const { rows } = await sql<PairRow>`
    insert into group_member (site_id, user_id, group_id)
    select ${siteId}, u, g from unnest(${pairs.map(([userId]) => userId)}::int[], ${pairs.map(([, groupId]) => groupId)}::int[]) as pair(u, g)
    on conflict do nothing returning user_id, group_id`.execute(tx);
  return toPairs(rows);
}

/** Removes pairs; those that do not exist are no fault. Returns those that are gone. */
export async function removeFromGroups(tx: Tx, siteId: number, pairs: readonly Pair[]): Promise<Pair[]> {
  const { rows } = await sql<PairRow>`
    delete from group_member using unnest(${pairs.map(([userId]) => userId)}::int[], ${pairs.map(([, groupId]) => groupId)}::int[]) as pair(u, g)
    where site_id = ${siteId} and user_id = pair.u and group_id = pair.g returning user_id, group_id`.execute(
    tx,
  );
  return toPairs(rows);
}

/** A moment later than the last change of a group: two changes within a millisecond must not share an entity tag. */
export const LATER = sql<Date>`greatest(clock_timestamp(), user_group.modified_at + interval '1 millisecond')`;

/** Marks groups as changed: their count of users is part of what they show. */
export async function touchGroups(tx: Tx, siteId: number, groupIds: readonly number[]): Promise<void> {
  await tx
    .updateTable('user_group')
    .set({ modified_at: LATER })
    .where('site_id', '=', siteId)
    .where('group_id', '=', sql<number>`any(${[...groupIds]}::int[])`)
    .execute();
}

/** The name of the group that can do everything; it is made with the site and given back its rights when needed. */
export const ADMINISTRATORS = 'Administrators';

/** The group Administrators of a site as it is, held until the transaction ends. */
export async function findAdministrators(
  tx: Tx,
  siteId: number,
): Promise<{ id: number; capabilities: Capability[] } | undefined> {
  const { rows } = await sql<{ id: number; capabilities: Capability[] }>`
    select group_id as id, capabilities from user_group
    where site_id = ${siteId} and lower(name) = lower(${ADMINISTRATORS}) for update`.execute(tx);
  return rows[0];
}

/** Makes the group Administrators, or gives it back all capabilities. */
export async function writeAdministrators(
  tx: Tx,
  siteId: number,
): Promise<{ id: number; name: string; description: string | null; capabilities: Capability[] }> {
  const { rows } = await sql<{
    id: number;
    name: string;
    description: string | null;
    capabilities: Capability[];
  }>`
    insert into user_group (site_id, name, description, capabilities)
    values (${siteId}, ${ADMINISTRATORS}, 'Everything on this site', ${capabilities.map(({ name }) => name)}::text[])
    on conflict (site_id, lower(name)) do update set capabilities = excluded.capabilities, modified_at = ${LATER}
    returning group_id as id, name, description, capabilities`.execute(tx);
  const [group] = rows;
  if (!group) throw new Error('An upsert answers its row');
  return group;
}
