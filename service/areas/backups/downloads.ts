import { ACTIVITY, SOURCE, writeActivity } from '../../kernel/audit/activity.store.ts';
import { actorOf, change } from '../../kernel/change.ts';
import type { Db } from '../../kernel/db/database.ts';
import { ApiError, forbidden } from '../../kernel/http/errors.ts';
import type { FileAnswer } from '../../kernel/http/files.ts';
import { ok, type Handlers, type Services } from '../../kernel/http/handler.ts';
import { hashSecret, newSecret } from '../../kernel/secret.ts';
import { absent, requireBackup, requireReady } from './handlers.ts';
import { backupPath } from './storage.ts';
import type { StoredBackup } from './store.ts';
import * as store from './downloads.store.ts';

/** So many downloads of a backup are told (contract, listBackupDownloads). */
const MOST_DOWNLOADS = 1000;
const BASE = '/api/rest/v4/backups/downloads';

/** The file; what is sent of it is written down when the answer is over, however it ends. */
const answerOf = (
  { db, services }: { db: Db; services: Pick<Services, 'dataDir'> },
  backup: StoredBackup,
  download: { siteId: number; downloadId: number },
): { status: 200; file: FileAnswer } => ({
  status: 200,
  file: {
    path: backupPath(services.dataDir, backup.storageId),
    type: 'application/zip',
    name: backup.fileName,
    inline: false,
    etag: `"${backup.sha256?.toString('base64url') ?? ''}"`,
    sent: (part) => store.addSent(db, download, part),
  },
});

const gone = () =>
  new ApiError(
    404,
    `This link was used, or its ${store.LINK_MINUTES} minutes are over. Ask for a new one where the backups are listed.`,
  );

type Operations = 'createBackupDownload' | 'downloadBackupByLink' | 'downloadBackup' | 'listBackupDownloads';

export const downloadHandlers: Handlers<Operations> = {
  async createBackupDownload(call) {
    const { db, caller, origin, params } = call;
    const { siteId, userId } = caller;
    const backup = await requireBackup(db, siteId, params.fileName);
    requireReady(backup);
    const secret = newSecret();
    const expires = await change(db, actorOf(call), async (tx, record) => {
      const who = { siteId, userId, ip: origin.ip };
      const at = await store.insertLink(tx, backup.id, who, secret.hash);
      record({ action: 'backup.download-link', subject: ['backup', backup.fileName], changes: {} });
      return at;
    });
    const url = `${BASE}/${secret.plain}`;
    return ok({ url, expiresDate: expires.toISOString(), ipAddress: origin.ip });
  },

  async downloadBackupByLink({ db, params, origin, range, services }) {
    const tokenHash = hashSecret(params.downloadToken);
    const link = await db.transaction().execute((tx) => store.lockLink(tx, tokenHash, origin.ip));
    if (!link) throw gone();
    const actor = { siteId: link.siteId, userId: link.userId, email: link.email, origin };
    const activity = {
      siteId: link.siteId,
      userId: link.userId,
      kind: ACTIVITY.backup,
      ip: origin.ip,
      source: SOURCE.web,
    };
    const refusal = refusalOf(link, origin.ip);
    if (refusal !== undefined) {
      await change(db, actor, async (tx, record) => {
        record({
          action: 'backup.download-refused',
          subject: ['backup', link.fileName],
          changes: { reason: [null, refusal] },
        });
        await writeActivity(tx, activity);
      });
      throw forbidden(refusal);
    }
    const backup = await requireBackup(db, link.siteId, link.fileName);
    await change(db, actor, async (tx, record) => {
      const held = await store.lockLink(tx, tokenHash, origin.ip);
      if (!held || (held.isStarted && !goesOn(range))) throw gone();
      if (held.isStarted) return;
      await store.startLink(tx, held);
      record({
        action: 'backup.download',
        subject: ['backup', link.fileName],
        changes: { by: [null, 'link'] },
      });
      await writeActivity(tx, activity);
    });
    return answerOf({ db, services }, backup, link);
  },

  async downloadBackup(call) {
    const { db, caller, origin, params, range, services } = call;
    const { siteId, userId, scopes, tokenHash: session } = caller;
    const backup = await requireBackup(db, siteId, params.fileName);
    requireReady(backup);
    const downloadId = await change(db, actorOf(call), async (tx, record) => {
      const who = { siteId, userId, ip: origin.ip };
      const isPart = range !== undefined && !range.startsWith('bytes=0-');
      const begun = await store.beginDownload(tx, backup.id, who, isPart);
      if (begun.isNew) {
        record({ action: 'backup.download', subject: ['backup', backup.fileName], changes: {} });
        const source = scopes ? SOURCE.api : SOURCE.web;
        await writeActivity(tx, { siteId, userId, session, kind: ACTIVITY.backup, ip: origin.ip, source });
      }
      return begun.downloadId;
    });
    return answerOf({ db, services }, backup, { siteId, downloadId });
  },

  async listBackupDownloads({ db, caller, params }) {
    const downloads = await store.listDownloads(db, caller.siteId, params.fileName, MOST_DOWNLOADS);
    if (!downloads) throw absent();
    return ok(downloads.map((each) => ({ ...each, startedDate: each.startedDate.toISOString() })));
  },
};

/**
 * Started once; after that what is missing behind a connection that broke. That the last byte was sent says nothing: it
 * may have been lost on the way.
 */
const goesOn = (range: string | undefined): boolean => /^bytes=[1-9]\d*-\d*$/.test(range ?? '');

/** Why a link that lives does not open, in words for whoever holds it; undefined: it does. */
function refusalOf({ isHere, isAllowed }: store.Link, ip: string): string | undefined {
  if (!isHere)
    return (
      `This link works only from the address from which it was asked for, and you come from ${ip}. ` +
      'Another network, a proxy or a VPN gives you another address: ask for a new link from where you are.'
    );
  if (!isAllowed) return 'Whoever asked for this link may no longer download backups of the site';
  return undefined;
}
