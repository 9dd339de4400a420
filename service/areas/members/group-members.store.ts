import { sql } from 'kysely';
import type { Capability } from '../../../contract/generated/types.gen.ts';
import { capabilities } from '../../../contract/rules/people/capabilities.ts';
import type { Tx } from '../../kernel/db/database.ts';

/** Membership of a user in a group. */
export type GroupMember = readonly [userId: number, groupId: number];

/**
 * The capabilities of the given groups by id; groups of other sites are absent. Locks the groups until the transaction
 * ends, so that they can neither gain capabilities nor be deleted between a check and the grant.
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

interface GroupMemberRow {
  user_id: number;
  group_id: number;
}
const toGroupMembers = (rows: readonly GroupMemberRow[]): GroupMember[] =>
  rows.map((row) => [row.user_id, row.group_id]);

/** Adds users to groups. Existing memberships stay as they are. Returns the new ones. */
export async function addToGroups(
  tx: Tx,
  siteId: number,
  pairs: readonly GroupMember[],
): Promise<GroupMember[]> {
  const { rows } = await sql<GroupMemberRow>`
    insert into group_member (site_id, user_id, group_id)
    select ${siteId}, u, g from unnest(${pairs.map(([userId]) => userId)}::int[], ${pairs.map(([, groupId]) => groupId)}::int[]) as pair(u, g)
    on conflict do nothing returning user_id, group_id`.execute(tx);
  return toGroupMembers(rows);
}

/** Removes users from groups. Missing memberships are ignored. Returns the removed ones. */
export async function removeFromGroups(
  tx: Tx,
  siteId: number,
  pairs: readonly GroupMember[],
): Promise<GroupMember[]> {
  const { rows } = await sql<GroupMemberRow>`
    delete from group_member using unnest(${pairs.map(([userId]) => userId)}::int[], ${pairs.map(([, groupId]) => groupId)}::int[]) as pair(u, g)
    where site_id = ${siteId} and user_id = pair.u and group_id = pair.g returning user_id, group_id`.execute(
    tx,
  );
  return toGroupMembers(rows);
}

/**
 * SQL expression: a time later than the last change of the group, because two changes within a millisecond must not
 * share an entity tag.
 */
export const NEXT_MODIFIED_AT = sql<Date>`greatest(clock_timestamp(), user_group.modified_at + interval '1 millisecond')`;

/** Gives groups a new modification time; their user count is part of what they show. Returns their entry ids by group id. */
export async function touchGroups(
  tx: Tx,
  siteId: number,
  groupIds: readonly number[],
): Promise<Map<number, number | null>> {
  const rows = await tx
    .updateTable('user_group')
    .set({ modified_at: NEXT_MODIFIED_AT })
    .where('site_id', '=', siteId)
    .where('group_id', '=', sql<number>`any(${[...groupIds]}::int[])`)
    .returning(['group_id', 'entry_id'])
    .execute();
  return new Map(rows.map((row) => [row.group_id, row.entry_id]));
}

/** Name of the group with all capabilities. It is created with the site and restored when needed. */
export const ADMINISTRATORS_GROUP = 'Administrators';

/** The Administrators group of a site; locks it until the transaction ends. */
export async function lockAdministratorsGroup(
  tx: Tx,
  siteId: number,
): Promise<{ id: number; capabilities: Capability[] } | undefined> {
  const { rows } = await sql<{ id: number; capabilities: Capability[] }>`
    select group_id as id, capabilities from user_group
    where site_id = ${siteId} and lower(name) = lower(${ADMINISTRATORS_GROUP}) for update`.execute(tx);
  return rows[0];
}

/** Creates the Administrators group or restores all its capabilities. */
export async function saveAdministratorsGroup(
  tx: Tx,
  siteId: number,
): Promise<{
  id: number;
  entryId: number | null;
  name: string;
  description: string | null;
  capabilities: Capability[];
}> {
  const { rows } = await sql<{
    id: number;
    entryId: number | null;
    name: string;
    description: string | null;
    capabilities: Capability[];
  }>`
    insert into user_group (site_id, name, description, capabilities)
    values (${siteId}, ${ADMINISTRATORS_GROUP}, 'Everything on this site', ${capabilities.map(({ name }) => name)}::text[])
    on conflict (site_id, lower(name)) do update set capabilities = excluded.capabilities, modified_at = ${NEXT_MODIFIED_AT}
    returning group_id as id, entry_id as "entryId", name, description, capabilities`.execute(tx);
  const [group] = rows;
  if (!group) throw new Error('The upsert returned no row');
  return group;
}
