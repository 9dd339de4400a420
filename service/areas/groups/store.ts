import { type RawBuilder, sql } from 'kysely';
import type { Capability, GroupInfoResponse } from '../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { dbErrorOf } from '../../kernel/db/errors.ts';
import { GROUPS, listPage, MEMBERS_BY_GROUP, type Page } from '../../kernel/db/list-page.ts';
import { LATER } from '../members/index.ts';

export interface StoredGroup extends GroupInfoResponse {
  entryId: number | null;
  capabilities: Capability[];
  /** The moment of the last change as a number: what its entity tag names. */
  version: number;
}

/** One select for every way of reading groups, with their members counted by blocks instead of one by one. */
const readPicked = (siteId: number, picked: RawBuilder<unknown>, lock = false) => sql<StoredGroup>`
  with picked as materialized (${picked}),
  members as (
    select part as group_id, sum(n)::int as n from list_block
    where site_id = ${siteId} and list = ${MEMBERS_BY_GROUP} and part in (select group_id from picked) group by part)
  select g.group_id as id, g.name, g.description, g.entry_id as "entryId", g.capabilities,
    (extract(epoch from g.modified_at) * 1000)::bigint as version, coalesce(members.n, 0) as "userCount"
  from picked join user_group g on g.site_id = ${siteId} and g.group_id = picked.group_id
  left join members on members.group_id = g.group_id
  order by g.group_id ${lock ? sql`for update of g` : sql``}`;

/** A page of groups in the order of their ids. */
export async function listGroups(db: Db, siteId: number, page: Page): Promise<StoredGroup[]> {
  const picked = listPage(
    { siteId, list: GROUPS },
    page,
    (firstId, most) =>
      sql`select group_id from user_group where site_id = ${siteId} and group_id >= ${firstId} order by group_id limit ${most}`,
  );
  const { rows } = await readPicked(siteId, picked).execute(db);
  return rows;
}

export async function getGroup(
  db: Db,
  siteId: number,
  groupId: number,
  lock = false,
): Promise<StoredGroup | undefined> {
  const { rows } = await readPicked(siteId, sql`select ${groupId}::int as group_id`, lock).execute(db);
  return rows[0];
}

export interface GroupFields {
  name: string;
  description?: string | null | undefined;
  capabilities: Capability[];
}

/** Whatever the write returns, or undefined when the name is taken on this site. */
async function unlessTaken<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (dbErrorOf(error)?.code === '23505') return undefined;
    throw error;
  }
}

/** The new group's id; undefined when the name is taken. */
export const insertGroup = (tx: Tx, siteId: number, group: GroupFields): Promise<number | undefined> =>
  unlessTaken(async () => {
    const row = await tx
      .insertInto('user_group')
      .values({
        site_id: siteId,
        ...group,
        entry_id: null,
      })
      .returning('group_id')
      .executeTakeFirstOrThrow();
    return row.group_id;
  });

/** Changes a group; undefined when the new name is taken. */
export const updateGroup = (
  tx: Tx,
  siteId: number,
  groupId: number,
  fields: GroupFields,
): Promise<boolean | undefined> =>
  unlessTaken(async () => {
    await tx
      .updateTable('user_group')
      .set({ ...fields, modified_at: LATER })
      .where('site_id', '=', siteId)
      .where('group_id', '=', groupId)
      .execute();
    return true;
  });

/** Members of a group, by id. */
export async function memberIds(tx: Tx, siteId: number, groupId: number): Promise<number[]> {
  const rows = await tx
    .selectFrom('group_member')
    .select('user_id')
    .where('site_id', '=', siteId)
    .where('group_id', '=', groupId)
    .execute();
  return rows.map((row) => row.user_id);
}

/** Deletes a group; its assignments go with it (cascade). */
export async function deleteGroup(tx: Tx, siteId: number, groupId: number): Promise<void> {
  await tx.deleteFrom('user_group').where('site_id', '=', siteId).where('group_id', '=', groupId).execute();
}
