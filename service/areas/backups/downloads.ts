import { ApiError, forbidden } from '../../kernel/api-error.ts';
import { ACTIVITY_TYPE, ACTIVITY_SOURCE, insertActivity } from '../../kernel/audit/activity.store.ts';
import { getActor, change } from '../../kernel/audit/change.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { FileResponse } from '../../kernel/http/file-response.ts';
import { ok, type Handlers, type Services } from '../../kernel/http/handler.ts';
import { hashSecret, createSecret } from '../../kernel/secret.ts';
import type { StoredBackup } from './backups.store.ts';
import * as store from './downloads.store.ts';
import { createNotFoundError, requireBackup, requireReady } from './handlers.ts';
import { getBackupName } from './storage.ts';

/** Maximum number of listed downloads (contract, listBackupDownloads). */
const MAX_LISTED_DOWNLOADS = 1000;
const DOWNLOADS_PATH = '/api/rest/v4/backups/downloads';

/** File response; the bytes sent are saved when the response ends, however it ends. */
const buildFileAnswer = (
  { db, services }: { db: Db; services: Pick<Services, 'dataDir' | 'blobs'> },
  backup: StoredBackup,
  download: { siteId: number; downloadId: number },
): { status: 200; file: FileResponse } => ({
  status: 200,
  file: {
    blob: getBackupName(services, backup.storageId),
    type: 'application/zip',
    name: backup.fileName,
    inline: false,
    etag: `"${backup.sha256?.toString('base64url') ?? ''}"`,
    onSent: (part) => store.addSentBytes(db, download, part),
  },
});

const createLinkExpiredError = () =>
  new ApiError(
    404,
    `This link has been used or is older than ${store.LINK_MINUTES} minutes. Request a new one from the list of backups.`,
  );

type Operations =
  | 'getBackupAddress'
  | 'createBackupDownload'
  | 'downloadBackupByLink'
  | 'downloadBackup'
  | 'listBackupDownloads';

export const downloadHandlers: Handlers<Operations> = {
  async getBackupAddress({ db, caller, origin }) {
    const sessionAddress = await store.findSessionAddress(db, caller.tokenHash);
    return ok({ ipAddress: origin.ip, sessionAddress: sessionAddress ?? null });
  },

  async createBackupDownload(call) {
    const { db, caller, origin, params } = call;
    const { siteId, userId } = caller;
    const backup = await requireBackup(db, siteId, params.fileName);
    requireReady(backup);
    const secret = createSecret();
    const expires = await change(db, getActor(call), async (tx, record) => {
      const requester = { siteId, userId, ip: origin.ip };
      const at = await store.insertLink(tx, backup.id, requester, secret.hash);
      record({ action: 'backup.download-link', subject: ['backup', backup.fileName], changes: {} });
      return at;
    });
    const url = `${DOWNLOADS_PATH}/${secret.plain}`;
    return ok({ url, expiresDate: expires.toISOString(), ipAddress: origin.ip });
  },

  async downloadBackupByLink({ db, params, origin, range, services }) {
    const tokenHash = hashSecret(params.downloadToken);
    const link = await db.transaction().execute((tx) => store.lockLink(tx, tokenHash, origin.ip));
    if (!link) throw createLinkExpiredError();
    const actor = { siteId: link.siteId, userId: link.userId, email: link.email, origin };
    const activity = {
      siteId: link.siteId,
      userId: link.userId,
      kind: ACTIVITY_TYPE.backup,
      ip: origin.ip,
      source: ACTIVITY_SOURCE.web,
    };
    const refusal = getRefusalReason(link, origin.ip);
    if (refusal !== undefined) {
      await change(db, actor, async (tx, record) => {
        record({
          action: 'backup.download-refused',
          subject: ['backup', link.fileName],
          changes: { reason: [null, refusal] },
        });
        await insertActivity(tx, activity);
      });
      throw forbidden(refusal);
    }
    const backup = await requireBackup(db, link.siteId, link.fileName);
    await change(db, actor, async (tx, record) => {
      const lockedLink = await store.lockLink(tx, tokenHash, origin.ip);
      if (!lockedLink || (lockedLink.isStarted && !isContinuation(range))) throw createLinkExpiredError();
      if (lockedLink.isStarted) return;
      await store.markLinkStarted(tx, lockedLink);
      record({
        action: 'backup.download',
        subject: ['backup', link.fileName],
        changes: { by: [null, 'link'] },
      });
      await insertActivity(tx, activity);
    });
    return buildFileAnswer({ db, services }, backup, link);
  },

  async downloadBackup(call) {
    const { db, caller, origin, params, range, services } = call;
    const { siteId, userId, scopes, tokenHash: session } = caller;
    const backup = await requireBackup(db, siteId, params.fileName);
    requireReady(backup);
    const downloadId = await change(db, getActor(call), async (tx, record) => {
      const requester = { siteId, userId, ip: origin.ip };
      const isPart = range !== undefined && !range.startsWith('bytes=0-');
      const download = await store.startDownload(tx, backup.id, requester, isPart);
      if (download.isNew) {
        record({ action: 'backup.download', subject: ['backup', backup.fileName], changes: {} });
        const source = scopes ? ACTIVITY_SOURCE.api : ACTIVITY_SOURCE.web;
        await insertActivity(tx, {
          siteId,
          userId,
          session,
          kind: ACTIVITY_TYPE.backup,
          ip: origin.ip,
          source,
        });
      }
      return download.downloadId;
    });
    return buildFileAnswer({ db, services }, backup, { siteId, downloadId });
  },

  async listBackupDownloads({ db, caller, params }) {
    const downloads = await store.listDownloads(db, caller.siteId, params.fileName, MAX_LISTED_DOWNLOADS);
    if (!downloads) throw createNotFoundError();
    return ok(downloads.map((each) => ({ ...each, startedDate: each.startedDate.toISOString() })));
  },
};

/**
 * Whether the request continues an interrupted download: a link starts once, and afterwards serves only the remaining
 * range. Even a fully sent file may be continued, because its end may have been lost on the way.
 */
const isContinuation = (range: string | undefined): boolean => /^bytes=[1-9]\d*-\d*$/.test(range ?? '');

/** Reason why a valid link is refused, as an error message; undefined when it is not. */
function getRefusalReason(
  { isFromSameAddress: isHere, isAllowed }: store.DownloadLink,
  ip: string,
): string | undefined {
  if (!isHere)
    return (
      `This link works only from the IP address that requested it; your address is ${ip}. ` +
      'Another network, a proxy or a VPN changes your address. Request a new link from your current network.'
    );
  if (!isAllowed) return 'The user who requested this link can no longer download backups of the site';
  return undefined;
}
