import { sql, type Transaction } from 'kysely';
import { inPieces } from '../../kernel/db/pieces.ts';
import type { Tables } from '../../kernel/db/tables.ts';
import type { SampleActivity } from './activity.ts';
import type { SampleGroup } from './groups.ts';
import type { SampleLicenseChange } from './licenses.ts';
import type { Person } from './people.ts';

type Tx = Transaction<Tables>;

export interface Site {
  siteId: number;
  slug: string;
}

/** Membership as it is written: who, and the differences between the sites of one person. */
export interface SampleMember {
  userId: number;
  person: Person;
  lastActiveAt: Date | null;
}

// One array a column is the quickest way in on both databases; a statement of this many rows stays small.
const ROWS_AT_ONCE = 10_000;

/** A new site; undefined when the slug is in use. */
export async function createSite(tx: Tx, site: { slug: string; name: string; dedicatedDomain: string }) {
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

/** The addresses of these domains that accounts have already. */
export async function readTakenEmails(tx: Tx, domains: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ email_key: string }>`
    select email_key from account where split_part(email_key, '@', 2) = any(${domains}::text[])`.execute(tx);
  return new Set(rows.map((row) => row.email_key));
}

/** The accounts of these people; answers their ids in the same order. */
export async function insertAccounts(tx: Tx, siteId: number, people: readonly Person[]): Promise<number[]> {
  // Ids first: the order in which `returning` gives rows is not promised.
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('account', 'user_id'))::int as id
    from generate_series(1, ${people.length}::int)`.execute(tx);
  const ids = rows.map((row) => row.id);
  await inPieces(people, ROWS_AT_ONCE, async (piece, offset) => {
    await sql`
      insert into account (user_id, email, email_key, first_name, last_name, federation_id, home_site_id,
        failed_count, locked_until, created_at, modified_at)
      overriding system value
      select id, email, lower(email), first, last, federation, ${siteId}, failed, locked, created, modified
      from unnest(${ids.slice(offset, offset + piece.length)}::int[], ${piece.map((p) => p.email)}::text[],
        ${piece.map((p) => p.firstName)}::text[], ${piece.map((p) => p.lastName)}::text[],
        ${piece.map((p) => p.federationId)}::text[], ${piece.map((p) => p.failedCount)}::int[],
        ${piece.map((p) => p.lockedUntil)}::timestamptz[], ${piece.map((p) => p.createdAt)}::timestamptz[],
        ${piece.map((p) => p.modifiedAt)}::timestamptz[])
        as t(id, email, first, last, federation, failed, locked, created, modified)`.execute(tx);
  });
  return ids;
}

export async function insertMembers(tx: Tx, siteId: number, members: readonly SampleMember[]): Promise<void> {
  const author = members[0]?.userId ?? null;
  await inPieces(members, ROWS_AT_ONCE, async (piece) => {
    const people = piece.map((member) => member.person);
    await sql`
      insert into membership (site_id, user_id, is_active, license_type_id, two_factor_enabled,
        ip_restrictions_enabled, user_entry_id, created_at, created_by, modified_at, modified_by, last_active_at)
      select ${siteId}, id, active, license, two_factor, ip, entry, created, ${author}::int, modified, ${author}::int, last
      from unnest(${piece.map((member) => member.userId)}::int[], ${people.map((p) => p.isActive)}::boolean[],
        ${people.map((p) => p.licenseTypeId)}::smallint[], ${people.map((p) => p.twoFactorEnabled)}::boolean[],
        ${people.map((p) => p.ipRestrictionsEnabled)}::boolean[], ${people.map((p) => p.userEntryId)}::int[],
        ${people.map((p) => p.createdAt)}::timestamptz[], ${people.map((p) => p.modifiedAt)}::timestamptz[],
        ${piece.map((member) => member.lastActiveAt)}::timestamptz[])
        as t(id, active, license, two_factor, ip, entry, created, modified, last)`.execute(tx);
  });
}

/** The groups of a site by name in lower case; those it has already are kept as they are. */
export async function insertGroups(tx: Tx, siteId: number, groups: readonly SampleGroup[], at: Date) {
  await tx
    .insertInto('user_group')
    .values(
      groups.map(({ name, description, capabilities }) => ({
        site_id: siteId,
        name,
        description,
        capabilities: [...capabilities],
        created_at: at,
        modified_at: at,
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
  pairs: readonly { groupId: number; userId: number }[],
): Promise<void> {
  await inPieces(pairs, ROWS_AT_ONCE, async (piece) => {
    await sql`
      insert into group_member (site_id, group_id, user_id)
      select ${siteId}, g, u from unnest(${piece.map((pair) => pair.groupId)}::int[],
        ${piece.map((pair) => pair.userId)}::int[]) as t(g, u)
      on conflict do nothing`.execute(tx);
  });
}

export async function insertActivity(
  tx: Tx,
  siteId: number,
  records: readonly SampleActivity[],
  userIds: readonly number[],
): Promise<void> {
  await inPieces(records, ROWS_AT_ONCE, async (piece) => {
    await sql`
      insert into activity (site_id, at, user_id, activity_type_id, source_type_id, ip_address, session_id,
        principal_user_id, export_data_type)
      select ${siteId}, to_timestamp(at / 1000.0), person, type, source, ip, session, principal, export
      from unnest(${piece.map((record) => record.at)}::int8[], ${piece.map((r) => userIds[r.person])}::int[],
        ${piece.map((r) => r.type)}::smallint[], ${piece.map((r) => r.source)}::smallint[],
        ${piece.map((r) => r.ip)}::inet[], ${piece.map((r) => r.sessionId)}::uuid[],
        ${piece.map((r) => (r.principal === null ? null : userIds[r.principal]))}::int[],
        ${piece.map((r) => r.exportDataType)}::smallint[])
        as t(at, person, type, source, ip, session, principal, export)`.execute(tx);
  });
}

/** Writes the license changes of these people into the audit log, as the service would have. */
export async function insertLicenseChanges(
  tx: Tx,
  siteId: number,
  changes: readonly SampleLicenseChange[],
  { people, ids }: { people: readonly Person[]; ids: readonly number[] },
): Promise<void> {
  const said = ({ person, before, after }: SampleLicenseChange) => {
    const { email, firstName, lastName } = people[person] ?? {};
    const came = { email: [null, email], firstName: [null, firstName], lastName: [null, lastName] };
    return JSON.stringify({ ...(before === null && came), licenseTypeId: [before, after] });
  };
  await inPieces(changes, ROWS_AT_ONCE, async (piece) => {
    await sql`
      insert into audit_log (site_id, at, actor_id, action, subject_type, subject_id, request_id, changes)
      select ${siteId}, at, by, case when came then 'user.create' else 'license.change' end, 'user', person::text,
        'sample', changes::jsonb
      from unnest(${piece.map((change) => change.at)}::timestamptz[], ${piece.map((change) => ids[change.by])}::int[],
        ${piece.map((change) => change.before === null)}::boolean[],
        ${piece.map((change) => ids[change.person])}::int[], ${piece.map(said)}::text[])
        as t(at, by, came, person, changes)`.execute(tx);
  });
}
