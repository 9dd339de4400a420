import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { buildIndexes, type IndexDefinition } from './concurrent-indexes.ts';
import { CREATE_UTF8_DATABASE } from './inspect.ts';
import { up as foundation } from './migrations/0001_foundation.ts';
import { up as listBlocks } from './migrations/0002_list_blocks.ts';
import { up as links } from './migrations/0003_links.ts';
import { up as data } from './migrations/0004_data.ts';
import { up as activity } from './migrations/0005_activity.ts';
import { up as proxies } from './migrations/0006_proxies.ts';
import { up as invitations } from './migrations/0007_invitations.ts';
import { up as memberCounts } from './migrations/0008_member_counts.ts';
import { up as views } from './migrations/0009_views.ts';
import { up as backups } from './migrations/0010_backups.ts';
import { up as access } from './migrations/0011_access.ts';
import { up as lineage } from './migrations/0013_lineage.ts';
import { up as platform } from './migrations/0014_platform.ts';
import { up as vouched } from './migrations/0015_vouched.ts';
import { up as keyExpiry } from './migrations/0016_key_expiry.ts';
import { up as typeVersions } from './migrations/0017_type_versions.ts';
import { up as failures } from './migrations/0018_failures.ts';
import { up as storage } from './migrations/0019_storage.ts';
import { up as jobs } from './migrations/0020_jobs.ts';
import { up as exports } from './migrations/0021_exports.ts';
import { up as notifications } from './migrations/0022_notifications.ts';
import { up as jobInput } from './migrations/0024_job_input.ts';
import { up as upkeep } from './migrations/0026_upkeep.ts';
import { up as relationshipIntelligence } from './migrations/0027_relationship_intelligence.ts';
import { up as publications } from './migrations/0028_publications.ts';
import { up as openJobs } from './migrations/0029_open-jobs.ts';
import { up as destinations } from './migrations/0030_destinations.ts';
import { up as jetStreamDestinations } from './migrations/0031_jetstream_destinations.ts';
import { up as subscriberLimits } from './migrations/0031_subscriber_limits.ts';
import { up as agents } from './migrations/0032_agents.ts';
import { up as reports } from './migrations/0034_reports.ts';
import { up as backupJobs } from './migrations/0035_backup_jobs.ts';
import { up as configurationLog } from './migrations/0036_configuration_log.ts';
import { up as tableViews } from './migrations/0037_table_views.ts';
import { up as siteBrand } from './migrations/0038_site_brand.ts';
import { up as operations } from './migrations/0039_operations.ts';
import { up as auditChain } from './migrations/0040_audit_chain.ts';
import { up as publicationStorage } from './migrations/0042_publication_storage.ts';
import { up as agentClients } from './migrations/0044_agent_clients.ts';
import { up as reportSchedules } from './migrations/0045_report_schedules.ts';
import {
  up as actingReasonAndSeats,
  indexes as seatIndexes,
} from './migrations/0046_acting_reason_and_seats.ts';
import { up as pinnedFilters } from './migrations/0047_pinned_filters.ts';
import { up as typeIcons } from './migrations/0049_type_icons.ts';
import { up as agentKeyPause } from './migrations/0050_agent_key_pause.ts';
import { up as processes } from './migrations/0051_processes.ts';
import { up as jobItems } from './migrations/0052_job_items.ts';
import { up as standbyReads } from './migrations/0053_standby_reads.ts';
import { up as leases } from './migrations/0054_leases.ts';
import { up as siteFigures } from './migrations/0055_site_figures.ts';
import { up as sealTime } from './migrations/0056_seal_time.ts';
import { up as agentForbiddenFields } from './migrations/0057_agent_forbidden_fields.ts';
import { up as entryBlocks } from './migrations/0058_entry_blocks.ts';
import { up as schemaStamp } from './migrations/0059_schema_stamp.ts';
import { up as jobsOfKinds } from './migrations/0063_jobs_of_kinds.ts';
import { up as formulaMaxLength } from './migrations/0064_formula_max_length.ts';
import { largestCountIndexes, up as largestCounts } from './migrations/0065_largest_counts.ts';
import { up as attemptAddress } from './migrations/0066_attempt_address.ts';
import { up as accountEmail } from './migrations/0067_account_email.ts';
import { up as topicBatches } from './migrations/0068_topic_batches.ts';
import { up as calculatedSlots } from './migrations/0069_calculated_slots.ts';
import { up as homeSites } from './migrations/0070_home_sites.ts';
import { up as destinationLosses } from './migrations/0071_destination_losses.ts';
import { partitionTables } from './partitions.ts';
import type { Tables } from './tables/index.ts';

/**
 * What a migration does to processes of the version before, which run while it is applied and after it. `expand` only adds: columns
 * with defaults, tables, indexes; they go on working. `contract` removes what only they use, or changes its meaning.
 */
export type MigrationPhase = 'expand' | 'contract';

export interface SchemaMigration {
  up: Migration['up'];
  /** Without it older processes refuse the database, as for `contract`. */
  phase?: MigrationPhase;
  /** Indexes of large tables, built after the migration and on PostgreSQL without blocking writes. */
  indexes?: readonly IndexDefinition[];
}

export type SchemaMigrations = Readonly<Record<string, SchemaMigration>>;

/** All migrations. Listed explicitly: scanning the folder would run any file in it. */
const allMigrations: SchemaMigrations = {
  '0001_foundation': { up: foundation },
  '0002_list_blocks': { up: listBlocks },
  '0003_links': { up: links },
  '0004_data': { up: data },
  '0005_activity': { up: activity },
  '0006_proxies': { up: proxies },
  '0007_invitations': { up: invitations },
  '0008_member_counts': { up: memberCounts },
  '0009_views': { up: views },
  '0010_backups': { up: backups },
  '0011_access': { up: access },
  '0013_lineage': { up: lineage },
  '0014_platform': { up: platform },
  '0015_vouched': { up: vouched },
  '0016_key_expiry': { up: keyExpiry },
  '0017_type_versions': { up: typeVersions },
  '0018_failures': { up: failures },
  '0019_storage': { up: storage },
  '0020_jobs': { up: jobs },
  '0021_exports': { up: exports },
  '0022_notifications': { up: notifications },
  '0026_upkeep': { up: upkeep },
  '0029_open-jobs': { up: openJobs },
  '0024_job_input': { up: jobInput },
  '0028_publications': { up: publications },
  '0030_destinations': { up: destinations },
  '0031_jetstream_destinations': { up: jetStreamDestinations },
  '0031_subscriber_limits': { up: subscriberLimits },
  '0034_reports': { up: reports },
  '0036_configuration_log': { up: configurationLog },
  '0035_backup_jobs': { up: backupJobs },
  '0037_table_views': { up: tableViews },
  '0038_site_brand': { up: siteBrand },
  '0027_relationship_intelligence': { up: relationshipIntelligence },
  '0032_agents': { up: agents },
  '0040_audit_chain': { up: auditChain },
  '0042_publication_storage': { up: publicationStorage },
  '0044_agent_clients': { up: agentClients, phase: 'expand' },
  '0039_operations': { up: operations, phase: 'expand' },
  '0045_report_schedules': { up: reportSchedules, phase: 'expand' },
  '0046_acting_reason_and_seats': { up: actingReasonAndSeats, phase: 'expand', indexes: seatIndexes },
  '0047_pinned_filters': { up: pinnedFilters, phase: 'expand' },
  '0049_type_icons': { up: typeIcons, phase: 'expand' },
  '0050_agent_key_pause': { up: agentKeyPause, phase: 'expand' },
  '0051_processes': { up: processes, phase: 'expand' },
  '0053_standby_reads': { up: standbyReads, phase: 'expand' },
  '0054_leases': { up: leases, phase: 'expand' },
  '0057_agent_forbidden_fields': { up: agentForbiddenFields, phase: 'expand' },
  '0052_job_items': { up: jobItems },
  '0055_site_figures': { up: siteFigures, phase: 'expand' },
  '0056_seal_time': { up: sealTime, phase: 'expand' },
  '0058_entry_blocks': { up: entryBlocks },
  '0059_schema_stamp': { up: schemaStamp },
  '0063_jobs_of_kinds': { up: jobsOfKinds, phase: 'expand' },
  '0064_formula_max_length': { up: formulaMaxLength, phase: 'expand' },
  '0065_largest_counts': { up: largestCounts, phase: 'expand', indexes: largestCountIndexes },
  '0066_attempt_address': { up: attemptAddress, phase: 'expand' },
  '0067_account_email': { up: accountEmail, phase: 'expand' },
  '0068_topic_batches': { up: topicBatches, phase: 'contract' },
  '0069_calculated_slots': { up: calculatedSlots, phase: 'expand' },
  '0070_home_sites': { up: homeSites, phase: 'expand' },
  '0071_destination_losses': { up: destinationLosses, phase: 'expand' },
};

/** A migration with its phase; null: not marked, so that older processes refuse it. */
interface NamedMigration {
  name: string;
  phase: MigrationPhase | null;
}

/** Migrations of a database, compared with those that this version knows. */
export interface MigrationState {
  applied: readonly string[];
  /** Known and not applied. */
  pending: readonly NamedMigration[];
  /** Applied by a newer version. */
  newer: readonly NamedMigration[];
}

/** Phases recorded by the version that applied the migrations; empty before the table exists. */
async function readPhases(db: Kysely<Tables>): Promise<Map<string, MigrationPhase>> {
  const { rows: found } = await sql<{ exists: boolean }>`
    select to_regclass('migration_phase') is not null as exists`.execute(db);
  if (!found[0]?.exists) return new Map();
  const { rows } = await sql<{ name: string; phase: MigrationPhase }>`
    select name, phase from migration_phase`.execute(db);
  return new Map(rows.map(({ name, phase }) => [name, phase]));
}

/** Names of the applied migrations; empty for a new database. */
async function readApplied(db: Kysely<Tables>): Promise<string[]> {
  const { rows: found } = await sql<{ exists: boolean }>`
    select to_regclass('kysely_migration') is not null as exists`.execute(db);
  if (!found[0]?.exists) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/** Compares the database with the migrations of this version. Reads only. */
export async function readMigrationState(
  db: Kysely<Tables>,
  migrations: SchemaMigrations = allMigrations,
): Promise<MigrationState> {
  const applied = await readApplied(db);
  const phases = await readPhases(db);
  return {
    applied,
    pending: Object.entries(migrations)
      .filter(([name]) => !applied.includes(name))
      .map(([name, { phase = null }]) => ({ name, phase }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    newer: applied
      .filter((name) => !Object.hasOwn(migrations, name))
      .map((name) => ({ name, phase: phases.get(name) ?? null })),
  };
}

/** Why this version cannot work on the database; undefined if it can. Migrations marked `expand` do not stop it. */
export function explainIncompatibility({ newer }: Pick<MigrationState, 'newer'>): string | undefined {
  const names = newer.filter(({ phase }) => phase !== 'expand').map(({ name }) => name);
  if (names.length === 0) return undefined;
  return (
    `A newer version of Steward has changed the database in a way that this version cannot work with (${names.join(', ')}). ` +
    'Start the newer version, or restore a copy of the database from before the upgrade.'
  );
}

/** Texts have characters of all languages, which the driver sends in UTF-8. @throws Error for a new database of another encoding */
async function requireEncoding(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ encoding: string }>`select getdatabaseencoding() as encoding`.execute(db);
  const encoding = rows[0]?.encoding;
  if (encoding !== 'UTF8')
    throw new Error(
      `The database has the encoding ${encoding}, and Steward needs UTF8. ${CREATE_UTF8_DATABASE}`,
    );
}

/**
 * Runs all pending migrations in one transaction, under the advisory lock of Kysely, builds their indexes, and partitions tables: if two
 * processes start at the same time, the second waits and has nothing to run. Migrations of a newer version that are marked `expand` are accepted.
 * @throws Error for others, and for a new database whose encoding is not UTF8; `steward doctor` names one that is in use
 */
export async function migrate(
  db: Kysely<Tables>,
  kind: 'embedded' | 'postgres',
  migrations: SchemaMigrations = allMigrations,
): Promise<void> {
  const { applied, newer } = await readMigrationState(db, migrations);
  if (applied.length === 0) await requireEncoding(db);
  const reason = explainIncompatibility({ newer });
  if (reason !== undefined) throw new Error(reason);
  const provided: Record<string, Migration> = Object.fromEntries<Migration>([
    ...Object.entries(migrations).map(
      ([name, migration]) => [name, { up: recordPhase(name, migration) }] as const,
    ),
    // Kysely refuses a database with migrations that it does not know. They are applied, so that these never run.
    ...newer.map(
      ({ name }) => [name, { up: () => Promise.reject(new Error(`${name} is not known`)) }] as const,
    ),
  ]);
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => provided },
    // Of two branches, the one with the lower number may be merged later.
    allowUnorderedMigrations: true,
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  await buildIndexes(
    db,
    kind,
    Object.values(migrations).flatMap(({ indexes = [] }) => indexes),
  );
  if (kind === 'postgres') await partitionTables(db);
}

/** The migration, and the record of its phase for processes that do not know it. */
const recordPhase =
  (name: string, { up, phase }: SchemaMigration): Migration['up'] =>
  async (db) => {
    await up(db);
    if (phase !== undefined)
      await sql`insert into migration_phase (name, phase) values (${name}, ${phase})`.execute(db);
  };
