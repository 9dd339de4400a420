import { actorOf, change } from '../../kernel/change.ts';
import type { Db } from '../../kernel/db/database.ts';
import { conflict, notFound } from '../../kernel/http/errors.ts';
import { ok, type Handlers } from '../../kernel/http/handler.ts';
import { loadSchema } from '../schema/index.ts';
import { MAKING } from './chores.ts';
import { endLostOf } from './lost.ts';
import { readManifest } from './read.ts';
import { queueBackup, typesAskedFor } from './request.ts';
import { backupPath, discard } from './storage.ts';
import * as store from './store.ts';
import { VERIFYING } from './verify.ts';
import { queueVerification } from './verify.store.ts';
import type { GetBackupsResponse } from '../../../contract/generated/types.gen.ts';
import type { StoredBackup } from './store.ts';

/** 404 in the same words for what never was, what is deleted, and what is another site's. */
export const absent = () => notFound('This backup');

export async function requireBackup(db: Db, siteId: number, fileName: string): Promise<store.StoredBackup> {
  const backup = await store.findBackup(db, siteId, fileName);
  if (!backup) throw absent();
  return backup;
}

/** @throws ApiError 409 for one that is not Ready */
export function requireReady(backup: store.StoredBackup): void {
  if (backup.status === 'Ready') return;
  throw conflict(
    backup.status === 'Failed' ? 'This backup failed: it has no file' : 'This backup is not ready yet',
  );
}

const isUnderWay = ({ status }: store.StoredBackup): boolean => status === 'Queued' || status === 'Running';

type Operations =
  | 'requestBackup'
  | 'listBackups'
  | 'deleteBackup'
  | 'cancelBackup'
  | 'verifyBackup'
  | 'readBackupContents';

export const backupHandlers: Handlers<Operations> = {
  async requestBackup(call) {
    const { db, caller, body, services } = call;
    const { siteId, userId } = caller;
    const schema = await loadSchema(db, siteId);
    const types = typesAskedFor(schema, body);
    const { fileName, dead } = await change(db, actorOf(call), async (tx, record) => {
      // One whose maker has died holds nobody up.
      const remains = await endLostOf(tx, siteId, record, services);
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
      );
      if (queued === undefined)
        throw conflict('Another backup of this site is queued or running. Wait for it, or cancel it.');
      return { fileName: queued, dead: remains };
    });
    for (const storageId of dead)
      // oxlint-disable-next-line no-await-in-loop -- hardly ever one
      await discard(services.dataDir, storageId);
    services.wakeChore(MAKING);
    return ok({ isSuccess: true, data: shown(await requireBackup(db, siteId, fileName)) });
  },

  async listBackups({ db, caller }) {
    return ok({ isSuccess: true, data: (await store.listBackups(db, caller.siteId)).map(shown) });
  },

  async cancelBackup(call) {
    const { db, caller, params } = call;
    const { siteId } = caller;
    await change(db, actorOf(call), async (tx, record) => {
      const backup = await store.lockBackup(tx, siteId, params.fileName);
      if (!backup) throw absent();
      if (!isUnderWay(backup)) throw conflict('This backup is over: there is nothing to cancel');
      await store.cancel(tx, siteId, backup.id);
      record({
        action: 'backup.cancel',
        subject: ['backup', backup.fileName],
        changes: { status: [backup.status, 'Failed'] },
      });
    });
    return ok({ isSuccess: true, data: shown(await requireBackup(db, siteId, params.fileName)) });
  },

  async deleteBackup(call) {
    const { db, caller, params, services } = call;
    const { siteId } = caller;
    const storageId = await change(db, actorOf(call), async (tx, record) => {
      const backup = await store.lockBackup(tx, siteId, params.fileName);
      if (!backup) throw absent();
      await store.cancel(tx, siteId, backup.id);
      await store.markDeleted(tx, siteId, backup.id);
      record({
        action: 'backup.delete',
        subject: ['backup', backup.fileName],
        changes: { status: [backup.status, null] },
      });
      return backup.storageId;
    });
    await discard(services.dataDir, storageId);
    return ok({ isSuccess: true });
  },

  async verifyBackup(call) {
    const { db, caller, params, services } = call;
    const { siteId } = caller;
    await change(db, actorOf(call), async (tx, record) => {
      const backup = await store.lockBackup(tx, siteId, params.fileName);
      if (!backup) throw absent();
      requireReady(backup);
      if (!(await queueVerification(tx, siteId, backup.id))) return;
      record({ action: 'backup.verify', subject: ['backup', backup.fileName], changes: {} });
    });
    services.wakeChore(VERIFYING);
    return ok({ isSuccess: true, data: shown(await requireBackup(db, siteId, params.fileName)) });
  },

  async readBackupContents({ db, caller, params, services }) {
    const backup = await requireBackup(db, caller.siteId, params.fileName);
    requireReady(backup);
    const manifest = await readManifest(backupPath(services.dataDir, backup.storageId));
    const { createdDate, schemaVersion, formatVersion, members } = manifest;
    return ok({ fileName: backup.fileName, createdDate, schemaVersion, formatVersion, members });
  },
};

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

/** A backup as the contract tells it. */
const shown = (backup: StoredBackup): GetBackupsResponse => ({
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
