/** Where a restore goes: a site that is made for it, or one that has nothing in it. */
import { sql } from 'kysely';
import { type BackupFile, RefusedFile, SHEETS } from '../../areas/backups/index.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { CommandError } from '../commands/command.ts';
import { recordsOf } from './sheets.ts';

interface Found {
  siteId: number;
  name: string;
}

/** The site with this slug, when it is empty; undefined: there is none. @throws CommandError when it is not */
export async function findEmptySite(db: Db, slug: string): Promise<Found | undefined> {
  const { rows } = await sql<Found & { things: string | null }>`
    select site_id as "siteId", name, concat_ws(', ',
      case when exists (select from membership m where m.site_id = s.site_id) then 'members' end,
      case when exists (select from user_group g where g.site_id = s.site_id) then 'groups' end,
      case when exists (select from entry_type t where t.site_id = s.site_id) then 'entry types' end,
      case when exists (select from entry_change c where c.site_id = s.site_id) then 'entries' end,
      case when exists (select from stored_file f where f.site_id = s.site_id) then 'files' end,
      case when exists (select from invitation i where i.site_id = s.site_id) then 'invitations' end) as things
    from site s where slug = ${slug}`.execute(db);
  const [site] = rows;
  if (site?.things)
    throw new CommandError(
      `The site ${slug} is not empty: it has ${site.things}. A backup is restored to an empty site or to a new one: ` +
        'give a name that no site has.',
    );
  return site;
}

/** Makes or takes the site, sets it up as the backup has it, and holds it until the transaction ends. */
export async function takeSite(
  tx: Tx,
  file: BackupFile,
  slug: string,
): Promise<{ siteId: number; identityMode: string | null }> {
  const [row] = (await Array.fromAsync(recordsOf(file, SHEETS.site))).flat();
  if (!row) throw new RefusedFile('The file is damaged: it has no settings');
  const {
    name,
    identity_mode: identityMode,
    dedicated_domain: domain,
    time_zone: timeZone,
    may_manage_existing_users: mayManage,
    schema_version: schemaVersion,
    created_at: createdAt,
    has_agent_server: hasAgentServer,
  } = row;
  const { rows } = await sql<{ siteId: number }>`
    insert into site (slug, name, identity_mode, dedicated_domain, time_zone, may_manage_existing_users,
      schema_version, created_at, has_agent_server)
    values (${slug}, ${name}, ${identityMode}, ${domain}, ${timeZone}, ${mayManage}::boolean,
      ${schemaVersion}::int, ${createdAt}::timestamptz, ${hasAgentServer ?? 'f'}::boolean)
    on conflict (slug) do update set name = excluded.name, identity_mode = excluded.identity_mode,
      dedicated_domain = excluded.dedicated_domain, time_zone = excluded.time_zone,
      may_manage_existing_users = excluded.may_manage_existing_users, schema_version = excluded.schema_version,
      has_agent_server = excluded.has_agent_server, schema_stamp = gen_random_uuid()
    returning site_id as "siteId"`.execute(tx);
  const [site] = rows;
  if (!site) throw new Error('The site is there');
  // Looked at once its row is held: of two restores to one name the second finds what the first has put there.
  await findEmptySite(tx, slug);
  return { ...site, identityMode: identityMode ?? null };
}

const SEQUENCES = [
  ['entry_type', 'type_id'],
  ['field', 'field_id'],
  ['choice_value', 'choice_id'],
  ['saved_view', 'view_id'],
  ['entry', 'entry_id'],
  ['cell_log', 'seq'],
  ['stored_file', 'file_id'],
] as const;

/** What is made from now on gets numbers behind those that came with the backup. */
export async function raiseSequences(tx: Tx, siteId: number): Promise<void> {
  for (const [table, column] of SEQUENCES) {
    // An entry that is deleted keeps its number, and only its history knows that.
    const from = table === 'entry' ? 'entry_change' : table;
    // oxlint-disable-next-line no-await-in-loop -- one connection, a handful
    const { rows } = await sql<{ most: number | null }>`
      select max(${sql.ref(column)})::bigint as most from ${sql.table(from)} where site_id = ${siteId}`.execute(
      tx,
    );
    // oxlint-disable-next-line no-await-in-loop
    await raise(tx, [table, column], rows[0]?.most ?? 0);
  }
}

/** Moves a sequence behind a number, and never back. */
export async function raise(tx: Tx, [table, column]: readonly [string, string], most: number): Promise<void> {
  await sql`select setval(s, greatest(nextval(s), ${most}::bigint)) from pg_get_serial_sequence(${table}, ${column}) as s`.execute(
    tx,
  );
}
