/** SQL of the sample: writes what the other files draw. Persons are indexes into the list of people; `ids` has their user ids. */
import { sql, type Transaction } from 'kysely';
import { INVITATION_TTL_DAYS } from '../../../contract/rules/people/invitations.ts';
import type { EntryType, StoredValue } from '../../areas/schema/index.ts';
import { forEachBatch } from '../../kernel/db/batches.ts';
import { isOfCluster } from '../../kernel/db/cluster.ts';
import type { Tables } from '../../kernel/db/tables/index.ts';
import { createSecret } from '../../kernel/secret.ts';
import { type LoadedEntry, toEntryChangeRows, toEntryRows, toMultiRows, toTextRows } from '../load/rows.ts';
import { insertRecords } from '../load/target.ts';
import type { SampleActivity, SampleProxy, SampleReport } from './activity.ts';
import type { SampleGroup, SampleInvitation } from './data.ts';
import type { Person, SampleLicenseChange } from './people.ts';

type Tx = Transaction<Tables>;

export interface Site {
  siteId: number;
  slug: string;
}

/** A membership: a user, and the properties of the person on this site. */
export interface SampleMember {
  userId: number;
  person: Person;
  lastActiveAt: Date | null;
}

// One array parameter per column is the fastest insert on both databases; a statement with this many rows stays small.
const BATCH_ROWS = 10_000;
const DAY_MS = 24 * 3600_000;

const daysBefore = (asOf: Date, days: number): Date => new Date(asOf.getTime() - days * DAY_MS);

/** Lifts the idle timeout of this transaction: to draw a large sample between two statements takes longer. */
export async function allowIdleTransaction(tx: Tx): Promise<void> {
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
}

/** Without new statistics the first lists would be planned as if the tables were empty. A cluster takes no such command in a transaction. */
export async function analyzeTables(tx: Tx): Promise<void> {
  if (await isOfCluster(tx)) return;
  await sql`analyze account, membership, user_group, group_member, list_block, activity, activity_hour, activity_person,
    activity_from, activity_network, audit_log, entry, entry_change, entry_multi, entry_text, cell_log`.execute(
    tx,
  );
}

/** Returns undefined when the slug is in use. */
export async function insertSite(
  tx: Tx,
  site: { slug: string; name: string; dedicatedDomain: string },
): Promise<Site | undefined> {
  const row = await tx
    .insertInto('site')
    .values({ slug: site.slug, name: site.name, dedicated_domain: site.dedicatedDomain })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning('site_id')
    .executeTakeFirst();
  return row && { siteId: row.site_id, slug: site.slug };
}

export async function readSite(tx: Tx, siteId: number): Promise<Site> {
  const row = await tx
    .selectFrom('site')
    .select('slug')
    .where('site_id', '=', siteId)
    .executeTakeFirstOrThrow();
  return { siteId, slug: row.slug };
}

/** E-mail addresses of existing accounts in these domains. */
export async function readTakenEmails(tx: Tx, domains: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ email_key: string }>`
    select email_key from account where split_part(email_key, '@', 2) = any(${domains}::text[])`.execute(tx);
  return new Set(rows.map((row) => row.email_key));
}

/** Returns the user ids in the order of the people. */
export async function insertAccounts(tx: Tx, siteId: number, people: readonly Person[]): Promise<number[]> {
  // Ids first: `returning` does not guarantee the order of its rows.
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('account', 'user_id'))::int as id
    from generate_series(1, ${people.length}::int)`.execute(tx);
  const ids = rows.map((row) => row.id);
  await forEachBatch(people, BATCH_ROWS, async (batch, offset) => {
    await sql`
      insert into account (user_id, email, email_key, first_name, last_name, federation_id, home_site_id,
        failed_count, locked_until, created_at, modified_at)
      overriding system value
      select id, email, lower(email), first, last, federation, ${siteId}, failed, locked, created, modified
      from unnest(${ids.slice(offset, offset + batch.length)}::int[], ${batch.map((p) => p.email)}::text[],
        ${batch.map((p) => p.firstName)}::text[], ${batch.map((p) => p.lastName)}::text[],
        ${batch.map((p) => p.federationId)}::text[], ${batch.map((p) => p.failedCount)}::int[],
        ${batch.map((p) => p.lockedUntil)}::timestamptz[], ${batch.map((p) => p.createdAt)}::timestamptz[],
        ${batch.map((p) => p.modifiedAt)}::timestamptz[])
        as t(id, email, first, last, federation, failed, locked, created, modified)`.execute(tx);
  });
  return ids;
}

export async function insertMembers(tx: Tx, siteId: number, members: readonly SampleMember[]): Promise<void> {
  const authorId = members[0]?.userId ?? null;
  await forEachBatch(members, BATCH_ROWS, async (batch) => {
    const people = batch.map(({ person }) => person);
    await sql`
      insert into membership (site_id, user_id, is_active, license_type_id, two_factor_enabled,
        ip_restrictions_enabled, user_entry_id, created_at, created_by, modified_at, modified_by, last_active_at)
      select ${siteId}, id, active, license, two_factor, ip, entry, created, ${authorId}::int, modified, ${authorId}::int, last
      from unnest(${batch.map((member) => member.userId)}::int[], ${people.map((p) => p.isActive)}::boolean[],
        ${people.map((p) => p.licenseTypeId)}::smallint[], ${people.map((p) => p.twoFactorEnabled)}::boolean[],
        ${people.map((p) => p.ipRestrictionsEnabled)}::boolean[], ${people.map((p) => p.userEntryId)}::int[],
        ${people.map((p) => p.createdAt)}::timestamptz[], ${people.map((p) => p.modifiedAt)}::timestamptz[],
        ${batch.map((member) => member.lastActiveAt)}::timestamptz[])
        as t(id, active, license, two_factor, ip, entry, created, modified, last)`.execute(tx);
  });
}

/** Inserts the groups that the site does not have yet. Returns the ids of all its groups by lower-case name. */
export async function insertGroups(
  tx: Tx,
  siteId: number,
  groups: readonly SampleGroup[],
  createdAt: Date,
): Promise<Map<string, number>> {
  await tx
    .insertInto('user_group')
    .values(
      groups.map(({ name, description, capabilities }) => ({
        site_id: siteId,
        name,
        description,
        capabilities: [...capabilities],
        created_at: createdAt,
        modified_at: createdAt,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const rows = await tx
    .selectFrom('user_group')
    .select(['group_id', 'name'])
    .where('site_id', '=', siteId)
    .execute();
  return new Map(rows.map((row) => [row.name.toLowerCase(), row.group_id]));
}

export async function insertGroupMembers(
  tx: Tx,
  siteId: number,
  groupMembers: readonly { groupId: number; userId: number }[],
): Promise<void> {
  await forEachBatch(groupMembers, BATCH_ROWS, async (batch) => {
    await sql`
      insert into group_member (site_id, group_id, user_id)
      select ${siteId}, g, u from unnest(${batch.map(({ groupId }) => groupId)}::int[],
        ${batch.map(({ userId }) => userId)}::int[]) as t(g, u)
      on conflict do nothing`.execute(tx);
  });
}

export async function insertActivity(
  tx: Tx,
  siteId: number,
  records: readonly SampleActivity[],
  ids: readonly number[],
): Promise<void> {
  await forEachBatch(records, BATCH_ROWS, async (batch) => {
    await sql`
      insert into activity (site_id, at, user_id, activity_type_id, source_type_id, ip_address, session_id,
        principal_user_id, export_data_type)
      select ${siteId}, to_timestamp(at / 1000.0), person, type, source, ip, session, principal, export
      from unnest(${batch.map((record) => record.at)}::int8[], ${batch.map((r) => ids[r.person])}::int[],
        ${batch.map((r) => r.type)}::smallint[], ${batch.map((r) => r.source)}::smallint[],
        ${batch.map((r) => r.ip)}::inet[], ${batch.map((r) => r.sessionId)}::uuid[],
        ${batch.map((r) => (r.principal === null ? null : ids[r.principal]))}::int[],
        ${batch.map((r) => r.exportDataType)}::smallint[])
        as t(at, person, type, source, ip, session, principal, export)`.execute(tx);
  });
}

/** Writes license changes to the audit log in the format of the service. */
export async function insertLicenseChanges(
  tx: Tx,
  siteId: number,
  changes: readonly SampleLicenseChange[],
  { people, ids }: { people: readonly Person[]; ids: readonly number[] },
): Promise<void> {
  const toAuditChanges = ({ person, before, after }: SampleLicenseChange) => {
    const { email, firstName, lastName } = people[person] ?? {};
    const created = { email: [null, email], firstName: [null, firstName], lastName: [null, lastName] };
    return JSON.stringify({ ...(before === null && created), licenseTypeId: [before, after] });
  };
  await forEachBatch(changes, BATCH_ROWS, async (batch) => {
    await sql`
      insert into audit_log (site_id, at, actor_id, action, subject_type, subject_id, request_id, changes)
      select ${siteId}, at, by, case when created then 'user.create' else 'license.change' end, 'user', person::text,
        'sample', changes::jsonb
      from unnest(${batch.map((change) => change.at)}::timestamptz[], ${batch.map((change) => ids[change.by])}::int[],
        ${batch.map((change) => change.before === null)}::boolean[],
        ${batch.map((change) => ids[change.person])}::int[], ${batch.map(toAuditChanges)}::text[])
        as t(at, by, created, person, changes)`.execute(tx);
  });
}

/** Inserts proxy assignments, made by the first of the people. */
export async function insertProxies(
  tx: Tx,
  siteId: number,
  proxies: readonly SampleProxy[],
  ids: readonly number[],
): Promise<void> {
  await sql`insert into proxy_assignment (site_id, proxy_id, user_id, created_by)
    select ${siteId}, p, u, ${ids[0] ?? null}::int
    from unnest(${proxies.map(({ proxy }) => ids[proxy])}::int[],
      ${proxies.map(({ principal }) => ids[principal])}::int[]) as t(p, u)`.execute(tx);
}

export async function insertReports(
  tx: Tx,
  siteId: number,
  reports: readonly SampleReport[],
  ids: readonly number[],
): Promise<void> {
  for (const report of reports) {
    const { steps } = report;
    await sql`with report as (
        insert into acting_report (site_id, proxy_id, principal_id, source, reason, started_at, last_step_at, ended_at, steps)
        values (${siteId}, ${ids[report.proxy] ?? 0}, ${ids[report.principal] ?? 0}, 'console', ${report.reason},
          to_timestamp(${report.startedAt}::float8 / 1000), to_timestamp(${report.endedAt}::float8 / 1000),
          to_timestamp(${report.endedAt}::float8 / 1000), ${steps.length})
        returning report_id)
      insert into acting_step (site_id, report_id, at, operation_id, summary, subject, is_write, status)
      select ${siteId}, report_id, to_timestamp(at / 1000), operation, summary, subject, false, 200
      from report, unnest(${steps.map((step) => step.at)}::float8[], ${steps.map((step) => step.operationId)}::text[],
        ${steps.map((step) => step.summary)}::text[], ${steps.map((step) => step.subject)}::text[])
        as t(at, operation, summary, subject)`.execute(tx);
  }
}

/** Reserves ids for new entries. */
export async function takeEntryIds(tx: Tx, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('entry', 'entry_id'))::int as id
    from generate_series(1, ${count}::int)`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function insertEntries(tx: Tx, type: EntryType, entries: readonly LoadedEntry[]): Promise<void> {
  await insertRecords(tx, toEntryRows(type, entries));
  await insertRecords(tx, toEntryChangeRows(type, entries));
  await insertRecords(tx, toMultiRows(type, entries));
  await insertRecords(tx, toTextRows(type, entries));
}

/** A past change of one value of an entry. */
export interface SampleCellChange {
  typeId: number;
  entryId: number;
  fieldId: number;
  at: Date;
  old: StoredValue | null;
  new: StoredValue;
  userId: number;
}

/** Inserts the history of values and sets the last modification of the entries to their last change. */
export async function insertCellChanges(
  tx: Tx,
  siteId: number,
  changes: readonly SampleCellChange[],
): Promise<void> {
  await insertRecords(tx, {
    table: 'cell_log',
    columns: ['site_id', 'entry_id', 'field_id', 'at', 'type_id', 'old', 'new', 'user_id', 'cause'],
    rows: changes.map((change) => [
      siteId,
      change.entryId,
      change.fieldId,
      change.at,
      change.typeId,
      change.old,
      change.new,
      change.userId,
      0,
    ]),
  });
  await sql`
    update entry_change c set direct_at = l.at, any_at = l.at, modified_by = l.user_id
    from (select distinct on (entry_id) entry_id, at, user_id from cell_log
      where site_id = ${siteId} order by entry_id, at desc, seq desc) l
    where c.site_id = ${siteId} and c.entry_id = l.entry_id`.execute(tx);
}

/** Sets the next value of a counter field. */
export async function setFieldCounter(tx: Tx, siteId: number, fieldId: number, next: number): Promise<void> {
  await tx
    .updateTable('field_counter')
    .set({ next })
    .where('site_id', '=', siteId)
    .where('field_id', '=', fieldId)
    .execute();
}

/** Lets administrators of the site add existing users without their confirmation. */
export async function allowExistingUsers(tx: Tx, siteId: number): Promise<void> {
  await tx
    .updateTable('site')
    .set({ may_manage_existing_users: true })
    .where('site_id', '=', siteId)
    .execute();
}

/** Inserts users of the e-mail domain of `site` whose home site is `homeSite`, in this group of it. */
export async function insertSecondedPeople(
  tx: Tx,
  { site, homeSite, groupName }: { site: Site; homeSite: Site; groupName: string },
  people: readonly { firstName: string; lastName: string }[],
  createdAt: Date,
): Promise<void> {
  const emails = people.map(({ firstName, lastName }) =>
    `${firstName}.${lastName}@${site.slug}.example`.toLowerCase(),
  );
  await sql`
    with new_account as (
      insert into account (email, email_key, first_name, last_name, home_site_id, created_at, modified_at)
      select email, email, first, last, ${homeSite.siteId}, ${createdAt}, ${createdAt}
      from unnest(${emails}::text[], ${people.map(({ firstName }) => firstName)}::text[],
        ${people.map(({ lastName }) => lastName)}::text[])
        with ordinality as person (email, first, last, position) order by position
      on conflict (email_key) do nothing returning user_id),
    new_member as (
      insert into membership (site_id, user_id, license_type_id, created_at, modified_at)
      select ${homeSite.siteId}, user_id, 2, ${createdAt}, ${createdAt} from new_account returning user_id)
    insert into group_member (site_id, group_id, user_id)
    select g.site_id, g.group_id, new_member.user_id from new_member, user_group g
    where g.site_id = ${homeSite.siteId} and g.name = ${groupName}`.execute(tx);
}

export interface InvitedUser {
  userId: number;
  email: string;
  emailKey: string;
}

/** Users of the neighbor who are no members of the site and cannot be added without confirmation. */
export async function findInvitableUsers(
  tx: Tx,
  site: Site,
  neighbor: Site,
  limit: number,
): Promise<InvitedUser[]> {
  const { rows } = await sql<InvitedUser>`
    select user_id as "userId", email, email_key as "emailKey" from account a
    where home_site_id = ${neighbor.siteId} and split_part(email_key, '@', 2) <> ${`${site.slug}.example`}
      and not exists (select 1 from membership m where m.site_id = ${site.siteId} and m.user_id = a.user_id)
    order by user_id limit ${limit}`.execute(tx);
  return rows;
}

/** A member of both sites who cannot manage users of the site; partners first. */
export async function findTemporaryMember(
  tx: Tx,
  site: Site,
  neighbor: Site,
  partnerDomain: string,
): Promise<InvitedUser | undefined> {
  const { rows } = await sql<InvitedUser>`
    select a.user_id as "userId", a.email, a.email_key as "emailKey" from membership here
    join membership there on there.site_id = ${neighbor.siteId} and there.user_id = here.user_id
    join account a on a.user_id = here.user_id
    where here.site_id = ${site.siteId} and here.is_active and not exists (
      select 1 from group_member gm join user_group g using (site_id, group_id)
      where gm.site_id = here.site_id and gm.user_id = here.user_id and 'Manage Users' = any(g.capabilities))
    order by a.email_key like ${`%@${partnerDomain}`} desc, a.user_id desc limit 1`.execute(tx);
  return rows[0];
}

/** Inserts an invitation by the first user of the site. Returns its id. */
export async function insertInvitation(
  tx: Tx,
  siteId: number,
  user: InvitedUser,
  { sentDaysAgo, acceptedDaysAgo, revokedDaysAgo, durationDays }: SampleInvitation,
  asOf: Date,
): Promise<number> {
  const toTime = (days: number | undefined) => (days === undefined ? null : daysBefore(asOf, days));
  const { rows } = await sql<{ id: number }>`
    insert into invitation (site_id, user_id, email, email_key, type, duration_days, invited_by, token_hash, created_at,
      expires_at, accepted_at, revoked_at)
    values (${siteId}, ${user.userId}, ${user.email}, ${user.emailKey}, ${durationDays === undefined ? 0 : 1}::smallint,
      ${durationDays ?? null}::int, (select min(user_id) from membership where site_id = ${siteId}),
      ${createSecret().hash}, ${daysBefore(asOf, sentDaysAgo)}, ${daysBefore(asOf, sentDaysAgo - INVITATION_TTL_DAYS)},
      ${toTime(acceptedDaysAgo)}::timestamptz, ${toTime(revokedDaysAgo)}::timestamptz)
    returning invitation_id as id`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('The invitation was not inserted');
  return row.id;
}

/** Makes a membership temporary. */
export async function setMembershipExpiry(
  tx: Tx,
  siteId: number,
  userId: number,
  { invitationId, expiresAt }: { invitationId: number; expiresAt: Date },
): Promise<void> {
  await tx
    .updateTable('membership')
    .set({ invitation_id: invitationId, expires_at: expiresAt })
    .where('site_id', '=', siteId)
    .where('user_id', '=', userId)
    .execute();
}

/**
 * Writes the figures that the service would have stored in the days before `asOf` (areas/sites/figures.ts), from the history of the
 * entries: the sample leaves no rows in the audit log.
 */
export async function insertFigures(tx: Tx, siteId: number, asOf: Date, days: number): Promise<void> {
  await sql`
    insert into site_figure (site_id, day, entries, changes, storage_bytes, measured_at)
    select ${siteId}, d.day,
      (select count(*) from entry_change where site_id = ${siteId} and created_at < d.ends and (deleted_at is null or deleted_at >= d.ends)),
      (select count(*) from entry_change where site_id = ${siteId} and created_at >= d.begins and created_at < d.ends)
        + (select count(distinct (entry_id, at)) from cell_log where site_id = ${siteId} and at >= d.begins and at < d.ends),
      coalesce((select used_bytes from site_storage where site_id = ${siteId}), 0), d.ends + interval '1 day'
    from generate_series(1, ${days}::int) as ago(days)
    cross join lateral (select (${asOf}::timestamptz at time zone 'UTC')::date - ago.days as day) as of_day
    cross join lateral (select of_day.day, of_day.day::timestamp at time zone 'UTC' as begins,
      (of_day.day + 1)::timestamp at time zone 'UTC' as ends) d
    on conflict do nothing`.execute(tx);
}
