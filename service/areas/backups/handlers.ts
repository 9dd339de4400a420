import type { GetBackupsResponse } from '../../../contract/generated/types.gen.ts';
import { conflict, notFound } from '../../kernel/api-error.ts';
import { getActor, change, type Recorder } from '../../kernel/audit/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { ok, type Handlers } from '../../kernel/http/handler.ts';
import { RUN_JOBS_TASKS } from '../../kernel/jobs/run-jobs.ts';
import { cancelJobOf, toOwner } from '../jobs/index.ts';
import { loadSchema } from '../schema/index.ts';
import * as store from './backups.store.ts';
import type { StoredBackup } from './backups.store.ts';
import { readManifest } from './file/read-backup.ts';
import { describeEnd } from './make-backup.ts';
import { queueBackup, resolveEntryTypes } from './queue-backup.ts';
import { getBackupName, deleteBackupFiles } from './storage.ts';
import { queueVerification } from './verify.store.ts';
import { VERIFY_BACKUPS_TASK } from './verify.ts';

/** 404 with the same message for unknown and deleted backups and those of other sites. */
export const createNotFoundError = () => notFound('This backup');

export async function requireBackup(db: Db, siteId: number, fileName: string): Promise<store.StoredBackup> {
  const backup = await store.findBackup(db, siteId, fileName);
  if (!backup) throw createNotFoundError();
  return backup;
}

/** @throws ApiError 409 for a backup that is not ready */
export function requireReady(backup: store.StoredBackup): void {
  if (backup.status === 'Ready') return;
  throw conflict(
    backup.status === 'Failed' ? 'This backup failed and has no file' : 'This backup is not ready yet',
  );
}

/**
 * Locks a backup and cancels it with its job if they have not ended. The job is locked first, as its process does.
 * @returns the backup as it was before @throws ApiError 404
 */
async function lockAndCancel(
  tx: Tx,
  record: Recorder,
  { siteId, fileName }: { siteId: number; fileName: string },
): Promise<StoredBackup> {
  const { jobId } = await requireBackup(tx, siteId, fileName);
  if (jobId !== null) await cancelJobOf(tx, record, { siteId, jobId });
  const backup = await store.lockBackup(tx, siteId, fileName);
  if (!backup) throw createNotFoundError();
  if (jobId !== null) await store.saveFailed(tx, { siteId, jobId }, describeEnd(undefined));
  return backup;
}

const isPending = ({ status }: store.StoredBackup): boolean => status === 'Queued' || status === 'Running';

type Operations =
  | 'requestBackup'
  | 'listBackups'
  | 'deleteBackup'
  | 'cancelBackup'
  | 'verifyBackup'
  | 'readBackupContents';

export const backupHandlers: Handlers<Operations> = {
  async requestBackup(call) {
    const { db, caller, body, origin, services } = call;
    const { siteId, userId } = caller;
    const schema = await loadSchema(db, siteId);
    const types = resolveEntryTypes(schema, body);
    const { ip, requestId } = origin;
    const fileName = await change(db, getActor(call), async (tx, record) => {
      const queued = await queueBackup(
        tx,
        {
          siteId,
          typeIds: types?.map(({ id }) => id) ?? null,
          entryTypes: (types ?? schema.types).map(({ apiName }) => apiName),
          includesFiles: body.includeFiles ?? false,
          notify: body.notify ?? false,
          isScheduled: false,
          requestedBy: userId,
        },
        record,
        { owner: toOwner(caller), ip, requestId },
      );
      if (queued === undefined)
        throw conflict('Another backup of this site is queued or running. Wait for it or cancel it.');
      return queued;
    });
    for (const name of RUN_JOBS_TASKS) services.wakeTask(name);
    return ok({ isSuccess: true, data: toBackupResponse(await requireBackup(db, siteId, fileName)) });
  },

  async listBackups({ db, caller }) {
    return ok({ isSuccess: true, data: (await store.listBackups(db, caller.siteId)).map(toBackupResponse) });
  },

  async cancelBackup(call) {
    const { db, caller, params, services } = call;
    const { siteId } = caller;
    const storageId = await change(db, getActor(call), async (tx, record) => {
      const backup = await lockAndCancel(tx, record, { siteId, fileName: params.fileName });
      if (!isPending(backup)) throw conflict('This backup has already ended');
      record({
        action: 'backup.cancel',
        subject: ['backup', backup.fileName],
        changes: { status: [backup.status, 'Failed'] },
      });
      return backup.storageId;
    });
    await deleteBackupFiles(services, storageId);
    return ok({ isSuccess: true, data: toBackupResponse(await requireBackup(db, siteId, params.fileName)) });
  },

  async deleteBackup(call) {
    const { db, caller, params, services } = call;
    const { siteId } = caller;
    const storageId = await change(db, getActor(call), async (tx, record) => {
      const backup = await lockAndCancel(tx, record, { siteId, fileName: params.fileName });
      await store.markDeleted(tx, siteId, backup.id);
      record({
        action: 'backup.delete',
        subject: ['backup', backup.fileName],
        changes: { status: [backup.status, null] },
      });
      return backup.storageId;
    });
    await deleteBackupFiles(services, storageId);
    return ok({ isSuccess: true });
  },

  async verifyBackup(call) {
    const { db, caller, params, services } = call;
    const { siteId } = caller;
    await change(db, getActor(call), async (tx, record) => {
      const backup = await store.lockBackup(tx, siteId, params.fileName);
      if (!backup) throw createNotFoundError();
      requireReady(backup);
      if (!(await queueVerification(tx, siteId, backup.id))) return;
      record({ action: 'backup.verify', subject: ['backup', backup.fileName], changes: {} });
    });
    services.wakeTask(VERIFY_BACKUPS_TASK);
    return ok({ isSuccess: true, data: toBackupResponse(await requireBackup(db, siteId, params.fileName)) });
  },

  async readBackupContents({ db, caller, params, services }) {
    const backup = await requireBackup(db, caller.siteId, params.fileName);
    requireReady(backup);
    const manifest = await readManifest(services.blobs, getBackupName(services, backup.storageId));
    const { createdDate, schemaVersion, formatVersion, members } = manifest;
    return ok({ fileName: backup.fileName, createdDate, schemaVersion, formatVersion, members });
  },
};

const toIsoString = (at: Date | null): string | null => at?.toISOString() ?? null;

/** Backup as returned by the API. */
const toBackupResponse = (backup: StoredBackup): GetBackupsResponse => ({
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
  startedDate: toIsoString(backup.startedAt),
  finishedDate: toIsoString(backup.finishedAt),
  requestedByEmail: backup.requestedByEmail,
  schemaVersion: backup.schemaVersion,
  stage: backup.stage,
  jobId: backup.jobId,
  failure:
    backup.failureReason === null
      ? null
      : { reason: backup.failureReason, message: backup.failureMessage ?? '' },
  verified:
    backup.verifyState === null || backup.verifyAt === null
      ? null
      : { state: backup.verifyState, date: backup.verifyAt.toISOString(), message: backup.verifyMessage },
});
