import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
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
import { up as configurationLog } from './migrations/0036_configuration_log.ts';
import { up as backupJobs } from './migrations/0035_backup_jobs.ts';
import { up as tableViews } from './migrations/0037_table_views.ts';
import { up as auditChain } from './migrations/0040_audit_chain.ts';
import type { Tables } from './tables/index.ts';

/** All migrations in order. Listed explicitly: scanning the folder would run any file in it. */
const migrations: Record<string, Migration> = {
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
  '0027_relationship_intelligence': { up: relationshipIntelligence },
  '0032_agents': { up: agents },
  '0040_audit_chain': { up: auditChain },
};

/**
 * Runs all pending migrations in one transaction, under the advisory lock of Kysely: if two processes start at the same time, the second
 * waits and has nothing to run.
 */
export async function migrate(db: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
