import { type RawBuilder, sql } from 'kysely';
import type { UserInfoResponse } from '../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { defineStatement } from '../../kernel/db/driver/dialect.ts';
import { equalsAny } from '../../kernel/db/ids.ts';
import { buildListPage, MEMBERS_BY_GROUP, MEMBERS_BY_LICENSE, type Page } from '../../kernel/db/list-page.ts';

/** A user with the version from which the entity tag is built. */
export interface StoredUser extends UserInfoResponse {
  version: number;
  homeSiteId: number;
  licenseTypeId: number;
}

interface UserRow {
  site_id: number;
  id: number;
  email: string;
  first_name: string;
  last_name: string;
  is_active: boolean;
  is_locked: boolean;
  groups: number[];
  created_at: Date;
  modified_at: Date;
  created_by: number | null;
  modified_by: number | null;
  federation_id: string | null;
  two_factor_enabled: boolean;
  second_factor: boolean;
  ip_restrictions_enabled: boolean;
  user_entry_id: number | null;
  time_zone: string | null;
  version: number;
  home_site_id: number;
  license_type_id: number;
}

const toUser = (row: UserRow): StoredUser => ({
  id: row.id,
  email: row.email,
  firstName: row.first_name,
  lastName: row.last_name,
  isActive: row.is_active,
  isLocked: row.is_locked,
  groups: row.groups,
  createdDate: row.created_at.toISOString(),
  modifiedDate: row.modified_at.toISOString(),
  createdBy: row.created_by,
  modifiedBy: row.modified_by,
  federationId: row.federation_id,
  twoFactorEnabled: row.two_factor_enabled,
  secondFactorSetUp: row.second_factor,
  ipRestrictionsEnabled: row.ip_restrictions_enabled,
  userEntryId: row.user_entry_id,
  timeZone: row.time_zone,
  version: row.version,
  homeSiteId: row.home_site_id,
  licenseTypeId: row.license_type_id,
});

/** The columns of the member `m` with the account `a`. */
const USER_COLUMNS = sql`m.site_id, m.user_id as id, a.email, a.first_name, a.last_name, m.is_active,
  coalesce(a.locked_until > now(), false) as is_locked,
  coalesce((select array_agg(gm.group_id order by gm.group_id) from group_member gm
            where gm.site_id = m.site_id and gm.user_id = m.user_id), '{}') as groups,
  m.created_at, m.modified_at, m.created_by, m.modified_by, a.federation_id, m.two_factor_enabled, a.second_factor,
  m.ip_restrictions_enabled, m.user_entry_id, m.time_zone, m.version, a.home_site_id, m.license_type_id`;

/** Reads the members `m` that fulfil a condition. */
const selectMembers = (condition: RawBuilder<unknown>) => sql<UserRow>`
  select ${USER_COLUMNS} from membership m join account a on a.user_id = m.user_id where ${condition}`;

/** Reads the users of a selection of (site_id, user_id), ordered by id. */
const selectUsers = (memberships: ReturnType<typeof sql>) => sql<UserRow>`
  with picked as materialized (${memberships})
  select ${USER_COLUMNS} from picked join membership m using (site_id, user_id) join account a on a.user_id = m.user_id
  order by m.user_id`;

interface UserFilter {
  modifiedSince: Date | undefined;
  emailKey: string | undefined;
  groupId: number | undefined;
}

/** A page of users, ordered by id. The page is selected on indexes alone and joined afterwards. */
export async function listUsers(
  db: Db,
  siteId: number,
  filter: UserFilter,
  page: Page,
): Promise<StoredUser[]> {
  // Pages of all users and of one group are located by block counts.
  const needsScan = filter.modifiedSince !== undefined || filter.emailKey !== undefined;
  const memberships = needsScan
    ? selectFilteredPage(siteId, filter, page)
    : selectCountedPage(siteId, filter.groupId, page);
  const { rows } = await selectUsers(memberships).execute(db);
  return rows.map(toUser);
}

/** Selects a page of all users of the site or of a group, lists whose members are counted by block. */
function selectCountedPage(siteId: number, groupId: number | undefined, page: Page) {
  const list =
    groupId === undefined
      ? { siteId, list: MEMBERS_BY_LICENSE }
      : { siteId, list: MEMBERS_BY_GROUP, parts: [groupId] };
  const rows =
    groupId === undefined
      ? sql`membership where site_id = ${siteId}`
      : sql`group_member where site_id = ${siteId} and group_id = ${groupId}`;
  return buildListPage(
    list,
    page,
    (firstId, maxRows) =>
      sql`select user_id, site_id from ${rows} and user_id >= ${firstId} order by user_id limit ${maxRows}`,
  );
}

/**
 * Selects a page of the users that match a filter. The statement is planned for its values: if few users match, all of them are found and
 * sorted, otherwise users are read in the order of ids up to the end of the page.
 */
const selectFilteredPage = (
  siteId: number,
  { modifiedSince, emailKey, groupId }: UserFilter,
  page: Page,
) => sql`
  select m.site_id, m.user_id from membership m
  where m.site_id = ${siteId}
    ${modifiedSince ? sql`and m.modified_at >= ${modifiedSince}` : sql``}
    ${emailKey === undefined ? sql`` : sql`and m.user_id = (select user_id from account where email_key = ${emailKey})`}
    ${groupId === undefined ? sql`` : sql`and exists (select 1 from group_member gm where gm.site_id = m.site_id and gm.group_id = ${groupId} and gm.user_id = m.user_id)`}
  order by m.user_id limit ${page.limit} offset ${page.offset}`;

/** Reads the users with these ids on one site or on all. */
function selectUsersByIds(ids: readonly number[], siteId: number | undefined) {
  const condition = sql`m.user_id ${equalsAny(ids)} ${siteId === undefined ? sql`` : sql`and m.site_id = ${siteId}`}`;
  return ids.length === 1
    ? selectMembers(condition)
    : selectUsers(sql`select m.site_id, m.user_id from membership m where ${condition}`);
}

/** The users with these ids on all their sites, or on one of them, by site. */
export async function getUsersBySite(
  db: Db,
  ids: readonly number[],
  siteId: number | undefined,
): Promise<Map<number, StoredUser[]>> {
  const { rows } = await selectUsersByIds(ids, siteId).execute(db);
  const rowsBySite = Map.groupBy(rows, (row) => row.site_id);
  return new Map([...rowsBySite].map(([id, siteRows]) => [id, siteRows.map(toUser)]));
}

const selectUser = defineStatement((siteId: RawBuilder<number>, id: RawBuilder<number>) =>
  selectMembers(sql`m.site_id = ${siteId} and m.user_id = ${id}`),
);

/** The users with these ids. Unknown ids are ignored and duplicates are returned once. */
export async function getUsers(db: Db, siteId: number, ids: readonly number[]): Promise<StoredUser[]> {
  const [id] = ids;
  const query =
    ids.length === 1 && id !== undefined ? selectUser(siteId, id) : selectUsersByIds(ids, siteId).compile(db);
  const { rows } = await db.executeQuery(query);
  return rows.map(toUser);
}

/**
 * The users with these ids, ordered by id, with their membership rows locked until the transaction ends, so that
 * concurrent edits of a user wait for each other. Unknown ids are ignored.
 */
export async function lockUsers(tx: Tx, siteId: number, ids: readonly number[]): Promise<StoredUser[]> {
  // A statement of its own: one that locks rows does not see what the transaction wrote that held them.
  const lock = sql`select 1 from membership where site_id = ${siteId} and user_id ${equalsAny(ids)}
    order by user_id for update`;
  const [, users] = await Promise.all([lock.execute(tx), getUsers(tx, siteId, ids)]);
  return users;
}

/** Locks one user, and with `withAccount` the account before it. */
export async function lockUser(
  tx: Tx,
  siteId: number,
  userId: number,
  { withAccount = false } = {},
): Promise<StoredUser | undefined> {
  const [, users] = await Promise.all([
    withAccount && lockAccounts(tx, [userId]),
    lockUsers(tx, siteId, [userId]),
  ]);
  return users[0];
}

/**
 * Locks accounts until the transaction ends. They must be locked before their memberships, to avoid deadlocks. The lock does not block
 * foreign key checks, which come from transactions that hold a membership already.
 */
export async function lockAccounts(tx: Tx, userIds: readonly number[]): Promise<void> {
  await sql`select 1 from account where user_id ${equalsAny(userIds)} order by user_id for no key update`.execute(
    tx,
  );
}

export async function isMemberOfOtherSite(tx: Tx, siteId: number, userId: number): Promise<boolean> {
  const row = await tx
    .selectFrom('membership')
    .select('site_id')
    .where('user_id', '=', userId)
    .where('site_id', '!=', siteId)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Makes a site the home of an account. The federation id becomes the one by which the provider of that site knows the user: that of the
 * former home would let its provider choose who signs in there (docs/decisions/0024).
 */
export async function setHomeSite(tx: Tx, siteId: number, userId: number): Promise<void> {
  const link = await tx
    .deleteFrom('identity_link')
    .where('site_id', '=', siteId)
    .where('user_id', '=', userId)
    .returning('federation_id')
    .executeTakeFirst();
  await tx
    .updateTable('account')
    .set({ home_site_id: siteId, federation_id: link?.federation_id ?? null })
    .where('user_id', '=', userId)
    .execute();
}

/**
 * Makes a site the home of an account that is a member of no other site: nobody could change its name or address otherwise.
 * @returns whether it is the home now
 */
export async function adoptAccount(tx: Tx, siteId: number, userId: number): Promise<boolean> {
  if (await isMemberOfOtherSite(tx, siteId, userId)) return false;
  await setHomeSite(tx, siteId, userId);
  return true;
}

/**
 * Gives users a new version and `modifiedDate`: on this site, or on all their sites if the account itself changed.
 * Returns the affected sites in ascending order. `modifiedDate` never decreases: of two transactions that wait for each
 * other the later one may have started first, and clients that compare times would take its change for the older one.
 */
export async function touchUsers(
  tx: Tx,
  actor: { siteId: number; userId: number | null },
  userIds: readonly number[],
  onAllSites: boolean,
): Promise<number[]> {
  const { rows } = await sql<{ site_id: number }>`
    update membership set version = version + 1, modified_at = greatest(clock_timestamp(), modified_at),
      modified_by = case when site_id = ${actor.siteId} then ${actor.userId}::int else modified_by end
    where user_id ${equalsAny(userIds)} ${onAllSites ? sql`` : sql`and site_id = ${actor.siteId}`}
    returning site_id`.execute(tx);
  return [...new Set(rows.map((row) => row.site_id))].toSorted((a, b) => a - b);
}

/** Fields of a membership that are set for many users alike. */
export interface MembershipFields {
  isActive?: boolean | undefined;
  twoFactorEnabled?: boolean | undefined;
  ipRestrictionsEnabled?: boolean | undefined;
  /** Null: the site's. */
  timeZone?: string | null | undefined;
}

/**
 * Sets the defined fields of memberships and gives the users a new version as `touchUsers` does, in one statement: each version of a
 * row costs an entry in every index. Returns the new versions by user id.
 */
export async function updateAndTouchUsers(
  tx: Tx,
  actor: { siteId: number; userId: number | null },
  userIds: readonly number[],
  fields: MembershipFields,
): Promise<Map<number, { version: number; modifiedAt: Date }>> {
  const { rows } = await sql<{ id: number; version: number; modifiedAt: Date }>`
    update membership set version = version + 1, modified_at = greatest(clock_timestamp(), modified_at), modified_by = ${actor.userId}::int
      ${setIfDefined('is_active', fields.isActive)} ${setIfDefined('two_factor_enabled', fields.twoFactorEnabled)}
      ${setIfDefined('ip_restrictions_enabled', fields.ipRestrictionsEnabled)} ${setIfDefined('time_zone', fields.timeZone)}
    where site_id = ${actor.siteId} and user_id = any(${[...userIds]}::int[])
    returning user_id as id, version, modified_at as "modifiedAt"`.execute(tx);
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

const setIfDefined = (column: string, value: boolean | string | null | undefined) =>
  value === undefined ? sql`` : sql`, ${sql.id(column)} = ${value}`;
