/** The target site of a restore: a new or an empty one. */
import { sql } from 'kysely';
import { type BackupFile, InvalidBackupError } from '../../areas/backups/index.ts';
import { SHEETS } from '../../areas/registry.ts';
import { renewSchemaStamp } from '../../areas/schema/index.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { CommandError } from '../commands/command.ts';
import { readRecords } from './sheets.ts';

interface EmptySite {
  siteId: number;
  name: string;
}

/** The site with this slug, or undefined if there is none. @throws CommandError if the site is not empty */
export async function findEmptySite(db: Db, slug: string): Promise<EmptySite | undefined> {
  const { rows } = await sql<EmptySite & Record<'members' | 'groups' | 'files' | 'invitations', boolean>>`
    select site_id as "siteId", name,
      exists (select from membership m where m.site_id = s.site_id) as members,
      exists (select from user_group g where g.site_id = s.site_id) as groups,
      exists (select from stored_file f where f.site_id = s.site_id) as files,
      exists (select from invitation i where i.site_id = s.site_id) as invitations
    from site s where slug = ${slug}`.execute(db);
  const [found] = rows;
  if (!found) return undefined;
  const { siteId, name, ...others } = found;
  // On a cluster these tables are on another server (docs/scaling.md).
  const { rows: data } = await sql<Record<'entry types' | 'entries', boolean>>`
    select exists (select from entry_type where site_id = ${siteId}) as "entry types",
      exists (select from entry_change where site_id = ${siteId}) as entries`.execute(db);
  const contents = Object.entries({ ...others, ...data[0] }).flatMap(([what, isThere]) =>
    isThere ? [what] : [],
  );
  if (contents.length > 0)
    throw new CommandError(
      `The site ${slug} is not empty: it has ${contents.join(', ')}. Restore the backup to an empty site or to a new one, ` +
        'with a slug that no site has.',
    );
  return { siteId, name };
}

/** Creates or updates the site with the settings in the backup, and locks its row until the end of the transaction. */
export async function prepareSite(
  tx: Tx,
  file: BackupFile,
  slug: string,
): Promise<{ siteId: number; identityMode: string | null }> {
  const [row] = (await Array.fromAsync(readRecords(file, SHEETS.site))).flat();
  if (!row) throw new InvalidBackupError('The file is damaged: it has no settings');
  const {
    name,
    identity_mode: identityMode,
    dedicated_domain: domain,
    time_zone: timeZone,
    may_manage_existing_users: mayManage,
    schema_version: schemaVersion,
    created_at: createdAt,
    has_agent_server: hasAgentServer,
    requires_acting_reason: requiresActingReason,
  } = row;
  const { rows } = await sql<{ siteId: number }>`
    insert into site (slug, name, identity_mode, dedicated_domain, time_zone, may_manage_existing_users,
      schema_version, created_at, has_agent_server, requires_acting_reason)
    values (${slug}, ${name}, ${identityMode}, ${domain}, ${timeZone}, ${mayManage}::boolean,
      ${schemaVersion}::int, ${createdAt}::timestamptz, ${hasAgentServer ?? 'f'}::boolean,
      ${requiresActingReason ?? 't'}::boolean)
    on conflict (slug) do update set name = excluded.name, identity_mode = excluded.identity_mode,
      dedicated_domain = excluded.dedicated_domain, time_zone = excluded.time_zone,
      may_manage_existing_users = excluded.may_manage_existing_users, schema_version = excluded.schema_version,
      has_agent_server = excluded.has_agent_server, requires_acting_reason = excluded.requires_acting_reason
    returning site_id as "siteId"`.execute(tx);
  const [site] = rows;
  if (!site) throw new Error('Inserting the site returned no row');
  renewSchemaStamp(tx, site.siteId);
  // Checked while the row is locked: the second of two restores to one slug finds the data of the first.
  await findEmptySite(tx, slug);
  return { ...site, identityMode: identityMode ?? null };
}

/** Leaves the entry type of contacts open if the backup does not have it: it may hold some entry types only. */
export async function clearMissingContactType(tx: Tx, siteId: number): Promise<void> {
  await sql`update ri_setting s set automated_contact_creation = false, contact_entry_type_id = null,
      contact_email_field_id = null
    where site_id = ${siteId} and not exists (select from field f where f.site_id = s.site_id
      and f.type_id = s.contact_entry_type_id and f.field_id = s.contact_email_field_id)`.execute(tx);
}

const SEQUENCES = [
  ['entry_type', 'type_id'],
  ['field', 'field_id'],
  ['choice_value', 'choice_id'],
  ['saved_view', 'view_id'],
  ['report_template', 'template_id'],
  ['entry', 'entry_id'],
  ['cell_log', 'seq'],
  ['stored_file', 'file_id'],
] as const;

/** Moves all sequences past the restored ids. */
export async function raiseSequences(tx: Tx, siteId: number): Promise<void> {
  for (const [table, column] of SEQUENCES) {
    // Ids of deleted entries exist only in the history.
    const from = table === 'entry' ? 'entry_change' : table;
    const { rows } = await sql<{ maxValue: number | null }>`
      select max(${sql.ref(column)})::bigint as "maxValue" from ${sql.table(from)} where site_id = ${siteId}`.execute(
      tx,
    );
    await raiseSequence(tx, [table, column], rows[0]?.maxValue ?? 0);
  }
}

/** Moves a sequence past a value, never back. */
export async function raiseSequence(
  tx: Tx,
  [table, column]: readonly [string, string],
  maxValue: number,
): Promise<void> {
  await sql`select setval(s, greatest(nextval(s), ${maxValue}::bigint)) from pg_get_serial_sequence(${table}, ${column}) as s`.execute(
    tx,
  );
}
