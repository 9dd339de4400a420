import { type RawBuilder, sql } from 'kysely';
import type { Capability, GroupInfoResponse } from '../../../contract/generated/types.gen.ts';
import { capabilities as allCapabilities } from '../../../contract/rules/people/capabilities.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { dbErrorCodes, getDbError } from '../../kernel/db/driver/errors.ts';
import { GROUPS, buildListPage, MEMBERS_BY_GROUP, type Page } from '../../kernel/db/list-page.ts';
import { type ItemLabels, USER_LABELS } from '../../kernel/jobs/item-labels.store.ts';
import { NEXT_MODIFIED_AT } from '../members/index.ts';

export interface StoredGroup extends GroupInfoResponse {
  entryId: number | null;
  capabilities: Capability[];
  /** Time of the last change in milliseconds; the entity tag is built from it. */
  version: number;
}

/** Reads the groups with these ids. Members are counted by block instead of one by one. */
const selectGroups = (siteId: number, groupIds: RawBuilder<unknown>, lock = false) => sql<StoredGroup>`
  with picked as materialized (${groupIds}),
  members as (
    select part as group_id, sum(n)::int as n from list_block
    where site_id = ${siteId} and list = ${MEMBERS_BY_GROUP} and part in (select group_id from picked) group by part)
  select g.group_id as id, g.name, g.description, g.entry_id as "entryId", g.capabilities,
    (extract(epoch from g.modified_at) * 1000)::bigint as version, coalesce(members.n, 0) as "userCount"
  from picked join user_group g on g.site_id = ${siteId} and g.group_id = picked.group_id
  left join members on members.group_id = g.group_id
  order by g.group_id ${lock ? sql`for update of g` : sql``}`;

/** A page of groups, ordered by id. */
export async function listGroups(db: Db, siteId: number, page: Page): Promise<StoredGroup[]> {
  const groupIds = buildListPage(
    { siteId, list: GROUPS },
    page,
    (firstId, limit) =>
      sql`select group_id from user_group where site_id = ${siteId} and group_id >= ${firstId} order by group_id limit ${limit}`,
  );
  const { rows } = await selectGroups(siteId, groupIds).execute(db);
  return rows;
}

export async function getGroup(
  db: Db,
  siteId: number,
  groupId: number,
  lock = false,
): Promise<StoredGroup | undefined> {
  const { rows } = await selectGroups(siteId, sql`select ${groupId}::int as group_id`, lock).execute(db);
  return rows[0];
}

export interface GroupFields {
  name: string;
  description?: string | null | undefined;
  capabilities: Capability[];
}

/** The audited fields of a group. Capabilities are a set, so they are put into the order of the contract. */
export const normalizeGroup = ({ name, description, capabilities }: GroupFields): GroupFields => ({
  name,
  description: description ?? null,
  capabilities: allCapabilities.map((each) => each.name).filter((each) => capabilities.includes(each)),
});

/** Returns the result of the write, or undefined if the name is taken on this site. */
async function undefinedIfNameTaken<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (getDbError(error)?.code === dbErrorCodes.uniqueViolation) return undefined;
    throw error;
  }
}

/** Inserts a group and returns its ids, or undefined if the name is taken. */
export const insertGroup = (
  tx: Tx,
  siteId: number,
  group: GroupFields,
): Promise<{ id: number; entryId: number | null } | undefined> =>
  undefinedIfNameTaken(async () => {
    const row = await tx
      .insertInto('user_group')
      .values({
        site_id: siteId,
        ...group,
      })
      .returning(['group_id', 'entry_id'])
      .executeTakeFirstOrThrow();
    return { id: row.group_id, entryId: row.entry_id };
  });

/** Updates a group. Returns undefined if the new name is taken. */
export const updateGroup = (
  tx: Tx,
  siteId: number,
  groupId: number,
  fields: GroupFields,
): Promise<boolean | undefined> =>
  undefinedIfNameTaken(async () => {
    await tx
      .updateTable('user_group')
      .set({ ...fields, modified_at: NEXT_MODIFIED_AT })
      .where('site_id', '=', siteId)
      .where('group_id', '=', groupId)
      .execute();
    return true;
  });

/** Names the items of jobs that delete groups: a user by full name and e-mail address, or a group by its name. */
export const REMOVAL_LABELS: ItemLabels = {
  label: sql`coalesce(a.first_name || ' ' || a.last_name, g.name)`,
  detail: sql`coalesce(a.email, 'Group')`,
  join: (siteId) => sql`${USER_LABELS.join(siteId)}
    left join user_group g on g.site_id = ${siteId} and g.group_id = (item.value ->> 'groupId')::int`,
};

/** Ids of the members of a group. */
export async function listMemberIds(tx: Tx, siteId: number, groupId: number): Promise<number[]> {
  const rows = await tx
    .selectFrom('group_member')
    .select('user_id')
    .where('site_id', '=', siteId)
    .where('group_id', '=', groupId)
    .execute();
  return rows.map((row) => row.user_id);
}

/** Deletes a group and, by cascade, its memberships. */
export async function deleteGroup(tx: Tx, siteId: number, groupId: number): Promise<void> {
  await tx.deleteFrom('user_group').where('site_id', '=', siteId).where('group_id', '=', groupId).execute();
}
