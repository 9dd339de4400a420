/** The state of the installation as platform administrators see it (docs/decisions/0079). */
import { statfs } from 'node:fs/promises';
import type { Installation } from '../../../contract/generated/types.gen.ts';
import { type Db, isEmbedded } from '../../kernel/db/database.ts';
import { readMigrationState } from '../../kernel/db/migrate.ts';
import { listCopies } from '../../kernel/db/pglite/copies.ts';
import type { FilePlace } from '../../kernel/files/file-folder.ts';
import type { Services } from '../../kernel/http/handler.ts';
import { loadInstallationMetrics } from '../../kernel/installation/metrics.store.ts';
import { PROCESS_ID } from '../../kernel/tasks/heartbeat-task.ts';
import { listProcesses } from '../../kernel/tasks/processes.store.ts';
import { VERSION } from '../../kernel/version.ts';
import { readDatabaseState, summarizeBackups } from './installation.store.ts';

/** Space of the disk with the folder; null if it cannot be read, of which the checks tell the reason, and in a bucket. */
async function readSpace({
  dataDir,
  blobs,
}: FilePlace): Promise<{ freeBytes: number | null; totalBytes: number | null }> {
  if (blobs.kind !== 'folder') return { freeBytes: null, totalBytes: null };
  try {
    const { bavail, blocks, bsize } = await statfs(dataDir);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return { freeBytes: null, totalBytes: null };
  }
}

async function readCopies({ installation }: Pick<Services, 'installation'>): Promise<Installation['copies']> {
  if (!installation?.copies) return null;
  const { folder, hours } = installation.copies;
  const times = await listCopies(folder);
  return { everyHours: hours, newestDate: times.at(-1)?.toISOString() ?? null, count: times.length };
}

async function readDatabase(db: Db) {
  const [state, migrations, metrics] = await Promise.all([
    readDatabaseState(db),
    readMigrationState(db),
    loadInstallationMetrics(db),
  ]);
  const database: Installation['database'] = {
    kind: isEmbedded(db) ? 'embedded' : 'postgres',
    version: state.version,
    sizeBytes: state.sizeBytes,
    appliedMigrations: migrations.applied.length,
    newestMigration: migrations.applied.at(-1) ?? null,
    pendingMigrations: migrations.pending.map(({ name }) => name),
    newerMigrations: migrations.newer.map(({ name }) => name),
    lockWaits: metrics.lockWaits,
    longestLockWaitSeconds: metrics.longestLockWaitSeconds,
  };
  return { database, metrics, filesBytes: state.filesBytes };
}

async function readProcesses(db: Db): Promise<Installation['processes']> {
  return (await listProcesses(db)).map(({ processId, startedAt, seenAt, ...figures }) => ({
    ...figures,
    startedDate: startedAt.toISOString(),
    seenDate: seenAt.toISOString(),
    isThis: processId === PROCESS_ID,
  }));
}

/** Reads everything; what the database cannot tell comes from the process that answers. */
export async function readInstallation(
  db: Db,
  { dataDir, blobs, installation }: Pick<Services, 'dataDir' | 'blobs' | 'installation'>,
): Promise<Installation> {
  const [{ database, metrics, filesBytes }, processes, backups, copies, space, checks] = await Promise.all([
    readDatabase(db),
    readProcesses(db),
    summarizeBackups(db),
    readCopies({ installation }),
    readSpace({ dataDir, blobs }),
    installation?.readChecks(),
  ]);
  const now = new Date();
  return {
    version: VERSION,
    readDate: now.toISOString(),
    checkedDate: (checks?.checkedAt ?? now).toISOString(),
    checks: [...(checks?.findings ?? [])],
    processes,
    database,
    files: { folder: blobs.place, usedBytes: filesBytes, ...space },
    queues: [...metrics.queues],
    jobs: [...metrics.jobs],
    failedItems: [...metrics.tasks],
    outboxLagSeconds: metrics.outboxLagSeconds,
    backups: {
      newestDate: backups.newestAt?.toISOString() ?? null,
      newestVerification: backups.verification,
      failedLastDay: metrics.failedBackups,
      sites: backups.sites,
      sitesWithoutRecent: backups.sitesWithoutRecent,
    },
    copies,
  };
}
