import { ApiError, conflict, forbidden, notFound } from '../../kernel/api-error.ts';
import { ACTIVITY_SOURCE } from '../../kernel/audit/activity.store.ts';
import { getActor, change, type Actor } from '../../kernel/audit/change.ts';
import { authorize, requireCapabilities } from '../../kernel/auth/authorize.ts';
import type { FileResponse } from '../../kernel/http/file-response.ts';
import type { Call, Handlers } from '../../kernel/http/handler.ts';
import type { JobDownload } from '../../kernel/jobs/job-kind.ts';
import { JobStopped, loadOwner } from '../../kernel/jobs/job-owner.ts';
import { getJobFileName, getJobFolder } from '../../kernel/jobs/produce-file.ts';
import { createSecret, hashSecret } from '../../kernel/secret.ts';
import * as store from './files.store.ts';
import { getKind } from './start.ts';

const LINKS_PATH = '/api/rest/v1/management/jobs/files';

type Operations = 'createJobFileLink' | 'downloadJobFile' | 'downloadJobFileByLink';

export const jobFileHandlers: Handlers<Operations> = {
  async createJobFileLink(call) {
    const { db, caller, origin } = call;
    const file = await requireOwnFile(call);
    const secret = createSecret();
    const expires = await change(db, getActor(call), async (tx, record) => {
      const requester = { userId: caller.userId, ip: origin.ip };
      record({ action: 'job.download-link', subject: ['job', file.jobId], changes: {} });
      return store.insertLink(tx, file, requester, secret.hash);
    });
    return {
      status: 200,
      body: {
        url: `${LINKS_PATH}/${secret.plain}`,
        expiresDate: expires.toISOString(),
        ipAddress: origin.ip,
      },
    };
  },

  async downloadJobFile(call) {
    const file = await requireOwnFile(call);
    if (!(await continuesDownload(call, file)))
      await change(call.db, getActor(call), async (tx, record) => {
        record({
          action: 'job.download',
          subject: ['job', file.jobId],
          changes: { file: [null, file.name] },
        });
        await call.services.jobKinds.get(file.kind)?.recordDownload?.(tx, toDownload(call, file));
      });
    return toFileResponse(call, file);
  },

  async downloadJobFileByLink({ db, params, origin, range, services, operations }) {
    const tokenHash = hashSecret(params.downloadToken);
    const link = await db.transaction().execute((tx) => store.lockLink(tx, tokenHash, origin.ip));
    if (!link) throw createLinkExpiredError();
    const { siteId, jobId, owner } = link;
    const actor: Actor = { siteId, userId: owner.userId, email: link.email, origin };
    const refusal = await findRefusal({ db, operations, services }, link, origin.ip);
    if (refusal !== undefined) {
      await change(db, actor, async (_tx, record) => {
        record({
          action: 'job.download-refused',
          subject: ['job', jobId],
          changes: { reason: [null, refusal] },
        });
      });
      throw forbidden(refusal);
    }
    requireNotRemoved(link);
    await change(db, actor, async (tx, record) => {
      const lockedLink = await store.lockLink(tx, tokenHash, origin.ip);
      if (!lockedLink || (lockedLink.isStarted && !isContinuation(range))) throw createLinkExpiredError();
      if (lockedLink.isStarted) return;
      await store.markLinkStarted(tx, tokenHash);
      record({
        action: 'job.download',
        subject: ['job', jobId],
        changes: { file: [null, link.name], by: [null, 'link'] },
      });
      await services.jobKinds.get(link.kind)?.recordDownload?.(tx, {
        siteId,
        jobId,
        userId: owner.userId,
        ip: origin.ip,
        source: owner.scopes ? ACTIVITY_SOURCE.api : ACTIVITY_SOURCE.web,
      });
    });
    return toFileResponse({ services }, link);
  },
};

const createLinkExpiredError = () =>
  new ApiError(
    404,
    `This link has been used or is older than ${store.LINK_MINUTES} minutes. Save the file again.`,
  );

/** The download of a request. */
export const toDownload = (
  { caller, origin }: Pick<Call, 'caller' | 'origin'>,
  { siteId, jobId }: Pick<store.JobFile, 'siteId' | 'jobId'>,
): JobDownload => ({
  siteId,
  jobId,
  userId: caller.userId,
  ip: origin.ip,
  source: caller.scopes ? ACTIVITY_SOURCE.api : ACTIVITY_SOURCE.web,
  session: caller.tokenHash,
});

/** Whether the request continues an interrupted download: a link starts once, and afterwards serves only the remaining range. */
const isContinuation = (range: string | undefined): boolean => /^bytes=[1-9]\d*-\d*$/.test(range ?? '');

/** A request for the rest of a file belongs to the recorded download of the caller, if there is one: it is no further download. */
export const continuesDownload = async (
  { db, caller, range }: Pick<Call, 'db' | 'caller' | 'range'>,
  file: Pick<store.JobFile, 'siteId' | 'jobId'>,
): Promise<boolean> => isContinuation(range) && (await store.hasDownloaded(db, file, caller.userId));

/**
 * The file of a job of the caller. Jobs of other users are unknown here: what a file contains was read with the rights of its owner,
 * which the caller still needs. The proof of presence was required when the job was started.
 * @throws ApiError 403 without the rights to start the job, 404 for a job of another user, 409 without a file
 */
async function requireOwnFile(call: Call<'createJobFileLink' | 'downloadJobFile'>): Promise<store.JobFile> {
  const { db, caller, params } = call;
  const file = await store.findFile(db, caller.siteId, params.jobId);
  if (file?.owner.userId !== caller.userId) throw notFound(`A file of job ${params.jobId}`);
  const { jobKind, operation } = getKind(call, file.kind);
  authorize({ ...operation, requiresStepUp: false }, caller);
  requireCapabilities(caller, jobKind.capabilities ?? []);
  requireNotRemoved(file);
  return file;
}

function requireNotRemoved({ isRemoved }: store.JobFile): void {
  if (isRemoved) throw conflict('The file was removed, because files of jobs are kept for a limited time.');
}

/** Why a valid link is refused; undefined when it is not. */
async function findRefusal(
  context: Pick<Call, 'db' | 'operations' | 'services'>,
  link: store.FileLink,
  ip: string,
): Promise<string | undefined> {
  if (!link.isFromSameAddress)
    return `This link works only from the IP address that requested it; your address is ${ip}. Save the file again from your current network.`;
  const kind = context.services.jobKinds.get(link.kind);
  if (!kind) throw new Error(`The kind ${link.kind} is not known to this version`);
  try {
    await loadOwner(context, { siteId: link.siteId, ip, owner: link.owner }, kind);
    return undefined;
  } catch (error) {
    if (error instanceof JobStopped)
      return 'The user who requested this link can no longer download this file';
    throw error;
  }
}

export function toFileResponse(
  { services }: Pick<Call, 'services'>,
  file: store.JobFile,
): { status: 200; file: FileResponse } {
  return {
    status: 200,
    file: {
      blob: getJobFolder(services).getBlobName(getJobFileName(file)),
      type: file.mediaType,
      name: file.name,
      inline: false,
      etag: `"${file.sha256.toString('base64url')}"`,
    },
  };
}
