import type { GetBackupsResponse } from '../../../contract/generated/types.gen.ts';
import type { StoredBackup } from './store.ts';

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

/** A backup as the contract tells it. */
export const shown = (backup: StoredBackup): GetBackupsResponse => ({
  fileName: backup.fileName,
  createdDate: backup.createdAt.toISOString(),
  size: backup.size,
  status: backup.status,
  progress: backup.progress,
  requestedBy: backup.requestedBy,
  sha256: backup.sha256?.toString('hex') ?? null,
  isWholeSite: backup.isWholeSite,
  entryTypes: backup.entryTypes,
  includesFiles: backup.includesFiles,
  isScheduled: backup.isScheduled,
  startedDate: iso(backup.startedAt),
  finishedDate: iso(backup.finishedAt),
  requestedByEmail: backup.requestedByEmail,
  schemaVersion: backup.schemaVersion,
  stage: backup.stage,
  failure:
    backup.failureReason === null
      ? null
      : { reason: backup.failureReason, message: backup.failureMessage ?? '' },
  verified:
    backup.verifyState === null || backup.verifyAt === null
      ? null
      : { state: backup.verifyState, date: backup.verifyAt.toISOString(), message: backup.verifyMessage },
});
