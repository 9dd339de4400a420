import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { ReportRun } from '../../../contract/generated/types.gen.ts';
import { conflict, forbidden, notFound } from '../../kernel/api-error.ts';
import { ACTIVITY_SOURCE, ACTIVITY_TYPE, insertActivity } from '../../kernel/audit/activity.store.ts';
import { change, getActor } from '../../kernel/audit/change.ts';
import { requireCapabilities } from '../../kernel/auth/authorize.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import {
  parsePage,
  parsePastTimestamp,
  parseTimestamp,
  UNVERSIONED_ETAG,
} from '../../kernel/http/parameters.ts';
import {
  cancelJob,
  continuesDownload,
  findFile,
  startJob,
  toDownload,
  toFileResponse,
} from '../jobs/index.ts';
import { parseTimeZone } from '../sites/index.ts';
import { requireRecipients } from './deliver.ts';
import { compareValues } from './difference.ts';
import { withTemplateOfRequest } from './documents/renderer.ts';
import { buildReportName } from './file-names.ts';
import { generateReport, type ReportValues } from './generate.ts';
import { MEDIA_TYPES, reportJob, toExportDetail } from './report-job.ts';
import { checkRequest, describeRequest, requireFormat } from './run-request.ts';
import { toJobStates, toStatus } from './run-status.ts';
import { findRun, listRuns, readPackedValues, type StoredRun } from './runs.store.ts';
import { findVersionFile } from './templates.store.ts';
import { requireTemplate, toChunks } from './templates.ts';

type Operations =
  | 'previewReport'
  | 'startReportRun'
  | 'listReportRuns'
  | 'getReportRun'
  | 'cancelReportRun'
  | 'downloadReport'
  | 'compareReportRuns';

const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

export const runHandlers: Handlers<Operations> = {
  async previewReport(call) {
    const { db, caller, body, params, services, signal } = call;
    const { siteId } = caller;
    requireCapabilities(caller, ['Read Data']);
    const template = await requireTemplate(db, siteId, params.templateId);
    const format = body.format ?? template.format;
    requireFormat(template, format, services.officeProgram);
    const timeZone = parseTimeZone(body.timeZone ?? 'UTC');
    if (body.asOf !== undefined) parsePastTimestamp('asOf', body.asOf);
    const file = await findVersionFile(db, siteId, template.id, template.version);
    if (!file?.bytes) throw notFound(`The file of template ${template.id}`);
    const documents: Uint8Array[] = [];
    const report = await generateReport(
      {
        db,
        caller,
        blobs: services.blobs,
        officeProgram: services.officeProgram,
        signal,
        open: withTemplateOfRequest,
      },
      {
        template: { ...file, bytes: file.bytes, name: template.name, version: template.version },
        entryTypeId: template.typeId,
        selection: { entryIds: [body.entryId], asOf: body.asOf },
        isPdf: format === 'pdf',
        document: 'one',
        timeZone,
      },
      async ({ bytes }) => {
        documents.push(bytes);
      },
    );
    const [bytes] = documents;
    if (!bytes || report.entryCount === 0) throw notFound(`Entry ${body.entryId}`);
    const parameters = await describeRequest(call, template, {
      format,
      document: 'one',
      asOf: body.asOf,
      timeZone,
      selected: 1,
    });
    await change(db, getActor(call), async (tx, record) => {
      record({
        action: 'report.preview',
        subject: ['report-template', template.id],
        changes: { entry: [null, body.entryId] },
      });
      await insertActivity(tx, {
        siteId,
        userId: caller.userId,
        kind: ACTIVITY_TYPE.exported,
        ip: call.origin.ip,
        source: caller.scopes ? ACTIVITY_SOURCE.api : ACTIVITY_SOURCE.web,
        session: caller.tokenHash,
        exportDataType: 4,
        exportDetail: { subject: 'report', rows: 1, ...toExportDetail(parameters, [body.entryId]) },
      });
    });
    return {
      status: 200,
      download: {
        type: MEDIA_TYPES[format],
        name: buildReportName(
          { template: template.name, entry: report.onlyEntry },
          { at: report.at, timeZone },
          format,
        ),
        chunks: toChunks(bytes),
      },
    };
  },

  async startReportRun(call) {
    const { db, caller, body, params } = call;
    if (body.asOf !== undefined) parsePastTimestamp('asOf', body.asOf);
    const template = await requireTemplate(db, caller.siteId, params.templateId);
    const request = await checkRequest(call, template);
    await requireRecipients(db, caller.siteId, body.recipients ?? []);
    const parameters = await describeRequest(call, template, {
      ...request,
      asOf: body.asOf,
      recipients: body.recipients,
    });
    const started = await startJob(call, {
      kind: reportJob.kind,
      parameters,
      items: [],
      selectedIds: body.entryIds,
    });
    return { status: 202, body: { runId: started.body.id, jobId: started.body.id, status: 'Queued' } };
  },

  async listReportRuns({ db, caller, query }) {
    if (query.owner === 'all') requireSeesAll(caller, 'Reports');
    const runs = await listRuns(
      db,
      caller.siteId,
      {
        owner: query.owner === 'all' ? undefined : getIdentity(caller),
        templateId: query.templateId,
        states: query.status && toJobStates(query.status),
      },
      parsePage(query),
    );
    return ok(runs.map(toRun));
  },

  async getReportRun(call) {
    const run = await requireRun(call, call.params.runId);
    return ok(
      { ...toRun(run), ...(isOwn(call.caller, run) && { request: toRequest(run) }) },
      { etag: UNVERSIONED_ETAG },
    );
  },

  async cancelReportRun(call) {
    const { db, caller, origin, operations, services } = call;
    const { runId } = call.params;
    await requireRun(call, runId);
    await cancelJob({ db, caller, origin, operations, services, params: { jobId: runId } });
    return ok(toRun(await requireRun(call, runId)));
  },

  async downloadReport(call) {
    const { db, caller, params } = call;
    const run = await requireRun(call, params.runId);
    if (!isDelivered(caller, run)) requireOwn(caller, run);
    requireCapabilities(caller, ['Read Data']);
    if (toStatus(run.state) !== 'Ready') throw conflict(`The report is ${toStatus(run.state)}`);
    const file = await findFile(db, caller.siteId, run.runId);
    if (!file || file.isRemoved)
      throw conflict('The file of this report was removed. Generate the report again.');
    if (!(await continuesDownload(call, file)))
      await change(db, getActor(call), async (tx, record) => {
        record({
          action: 'report.download',
          subject: ['job', run.runId],
          changes: { file: [null, file.name] },
        });
        await reportJob.recordDownload?.(tx, toDownload(call, file));
      });
    return toFileResponse(call, file);
  },

  async compareReportRuns(call) {
    const { db, caller, params, query } = call;
    const runs = [await requireRun(call, params.runId), await requireRun(call, query.with)] as const;
    requireCapabilities(caller, ['Read Data']);
    for (const run of runs) {
      requireOwn(caller, run);
      if (run.isRemoved || toStatus(run.state) !== 'Ready')
        throw conflict(`The values of report ${run.runId} are not kept`);
    }
    if (runs[0].parameters.templateId !== runs[1].parameters.templateId)
      throw conflict('The two reports have different templates');
    const [before, after] = await Promise.all(
      runs.map(async ({ runId }) => unpackValues(runId, await readPackedValues(db, caller.siteId, runId))),
    );
    return ok({
      runId: params.runId,
      otherRunId: query.with,
      ...compareValues(before ?? [], after ?? []),
    });
  },
};

async function unpackValues(runId: number, packed: Buffer | undefined): Promise<ReportValues> {
  if (!packed) throw conflict(`The values of report ${runId} were too large to be kept`);
  const text = await promisify(gunzip)(packed, { maxOutputLength: MAX_UNPACKED_BYTES });
  return JSON.parse(text.toString('utf8')) as ReportValues;
}

/** Whether the caller sees reports of other users; the files stay with their owners. */
const seesAll = ({ capabilities }: Caller): boolean =>
  capabilities.has('View Activity') || capabilities.has('Manage Report Templates');

/** @throws ApiError 403 */
export function requireSeesAll(caller: Caller, what: string): void {
  if (!seesAll(caller))
    throw forbidden(`${what} of other users require the capability View Activity or Manage Report Templates`);
}

const getIdentity = ({ userId, acting }: Caller) => ({ userId, principalId: acting?.principalId ?? null });

const isOwn = (caller: Caller, run: StoredRun): boolean => {
  const { userId, principalId } = getIdentity(caller);
  return run.ownerId === userId && run.principalId === principalId;
};

/** Whether a report that is ready was delivered to the caller, who does not act for another user. */
const isDelivered = ({ userId, acting }: Caller, { parameters, state }: StoredRun): boolean =>
  !acting && state === 'finished' && parameters.recipients?.includes(userId) === true;

/** @throws ApiError 404 for a report that the caller does not see */
async function requireRun({ db, caller }: Pick<Call, 'db' | 'caller'>, runId: number): Promise<StoredRun> {
  const run = await findRun(db, caller.siteId, runId);
  if (!run || (!isOwn(caller, run) && !isDelivered(caller, run) && !seesAll(caller)))
    throw notFound(`Report ${runId}`);
  return run;
}

/** @throws ApiError 403 */
function requireOwn(caller: Caller, run: StoredRun): void {
  if (!isOwn(caller, run))
    throw forbidden(
      'Only who generated a report and its recipients can read it, because it has what its owner may read',
    );
}

/** What a report selected. */
const toRequest = ({ parameters, selectedIds }: StoredRun): NonNullable<ReportRun['request']> => {
  const { query, orderBy, asOf, timeZone } = parameters;
  return {
    ...(selectedIds ? { entryIds: [...selectedIds] } : { query: query ?? {} }),
    ...(orderBy !== undefined && { orderBy }),
    ...(asOf !== undefined && { asOf }),
    timeZone,
  };
};

const toIso = (date: Date | null): string | null => date?.toISOString() ?? null;

function toRun(run: StoredRun): ReportRun {
  const { parameters, state, done, total } = run;
  const status = toStatus(state);
  return {
    runId: run.runId,
    jobId: run.runId,
    templateId: parameters.templateId,
    templateName: parameters.templateName,
    templateVersion: parameters.version,
    entryTypeId: parameters.entryTypeId,
    format: parameters.format,
    document: parameters.document,
    status,
    progress: status === 'Ready' ? 100 : Math.min(99, total > 0 ? Math.floor((100 * done) / total) : 0),
    createdDate: run.createdDate.toISOString(),
    finishedDate: toIso(run.finishedDate),
    notBefore: toIso(run.notBefore),
    requestedBy: run.ownerId,
    requestedByName: run.ownerName,
    entryCount: run.entryCount ?? parameters.selected,
    filterText: parameters.filterText ?? null,
    recipients: run.recipients,
    scheduleId: parameters.scheduleId ?? null,
    asOf: parameters.asOf === undefined ? null : parseTimestamp('asOf', parameters.asOf).toISOString(),
    dataDate: toIso(run.dataDate),
    dataHash: run.dataHash,
    readerCount: run.readerCount,
    fileName: run.fileName,
    size: run.size,
    sha256: run.sha256,
    expiresDate: toIso(run.expiresDate),
    isRemoved: run.isRemoved,
    message: state === 'cancelled' ? 'Cancelled' : run.stopReason,
  };
}
