import type { ImportKind, ImportResult, ImportRun } from '../../../../contract/generated/types.gen.ts';
import { badRequest, notFound } from '../../../kernel/api-error.ts';
import { getActor } from '../../../kernel/audit/change.ts';
import { type Call, type Handlers, ok } from '../../../kernel/http/handler.ts';
import { parsePage, UNVERSIONED_ETAG } from '../../../kernel/http/parameters.ts';
import { getListedItems, startJob } from '../../jobs/index.ts';
import { getSite } from '../../sites/index.ts';
import { CONTACTS_TASK } from '../relations/contacts.ts';
import { countEnabledUsers, loadSettings } from '../settings/settings.store.ts';
import { admit, readBudget, REQUESTS_PER_WINDOW, WINDOW_SECONDS } from './gate.store.ts';
import { findMissingList, getJobLimits } from './import-job.ts';
import { IMPORT_LIMITS } from './item-reader.ts';
import { getNextClose } from './period.ts';
import { listPreconditions } from './preconditions.ts';
import { requireAdmission, runImport } from './run-import.ts';
import { findRun, listRuns, type StoredRun } from './runs.store.ts';
import { listSyncStatus } from './status.store.ts';

type Operations =
  | 'importEmails'
  | 'importMeetings'
  | 'getImportStatus'
  | 'getImportSettings'
  | 'getImportBudget'
  | 'listImportRuns'
  | 'getImportRun'
  | 'startRelationshipImport';

/** Reads of programs count to the five requests a minute; those of the console do not (shapes 6). */
async function countRead({ db, caller }: Pick<Call, 'db' | 'caller'>): Promise<void> {
  if (!caller.scopes) return;
  const { siteId, userId } = caller;
  requireAdmission(await admit(db, { siteId, userId, takesLease: false }));
}

const importItems = async (
  call: Call<'importEmails'> | Call<'importMeetings'>,
  kind: ImportKind,
): Promise<{ status: 200; body: ImportResult[] }> => {
  const results = await runImport(call, {
    kind,
    isDryRun: call.query.dryRun === true,
    body: call.bodyStream,
    caller: call.caller,
    actor: getActor(call),
    jobId: null,
  });
  call.services.wakeTask(CONTACTS_TASK);
  return ok(results);
};

const toRun = ({ id, startedDate, ...run }: StoredRun): ImportRun => ({
  id,
  ...run,
  startedDate: startedDate.toISOString(),
});

export const importHandlers: Handlers<Operations> = {
  importEmails: (call) => importItems(call, 'emails'),
  importMeetings: (call) => importItems(call, 'meetings'),

  async getImportStatus(call) {
    await countRead(call);
    return ok(await listSyncStatus(call.db, call.caller.siteId, call.query.userIds));
  },

  async getImportSettings(call) {
    await countRead(call);
    const { db, caller } = call;
    const { siteId } = caller;
    const [settings, users, site] = await Promise.all([
      loadSettings(db, siteId),
      countEnabledUsers(db, siteId),
      getSite(db, siteId),
    ]);
    return ok({
      preconditions: listPreconditions(settings, caller.capabilities, users.enabled),
      limits: {
        emailsPerUser: IMPORT_LIMITS.emails.perUser,
        emailsPerRequest: IMPORT_LIMITS.emails.perRequest,
        meetingsPerUser: IMPORT_LIMITS.meetings.perUser,
        meetingsPerRequest: IMPORT_LIMITS.meetings.perRequest,
        emailsPerJobRequest: getJobLimits(db, 'emails').perRequest,
        meetingsPerJobRequest: getJobLimits(db, 'meetings').perRequest,
        requestsPerMinute: REQUESTS_PER_WINDOW,
        concurrentRequests: 1,
      },
      historicalSyncPeriodDays: settings.historicalSyncPeriodDays,
      isHistoricalUploadComplete: users.enabled > 0 && users.completed === users.enabled,
      timeZone: site.timeZone,
      monthCloseDate: new Date(getNextClose(Date.now(), site.timeZone)).toISOString(),
    });
  },

  async startRelationshipImport(call) {
    const { kind, fileName } = call.body;
    const items = getListedItems(call.body, 'items');
    const errors = (items ?? []).flatMap((item, index) => findMissingList(item, kind, `items.${index}.`));
    if (errors.length > 0) throw badRequest(errors);
    return startJob(call, { kind: 'relationships.import', parameters: { kind, fileName }, items });
  },

  async getImportBudget({ db, caller }) {
    const budget = await readBudget(db, caller.siteId);
    return ok({ limit: REQUESTS_PER_WINDOW, windowSeconds: WINDOW_SECONDS, ...budget });
  },

  async listImportRuns({ db, caller, query }) {
    return ok((await listRuns(db, caller.siteId, query.kind, parsePage(query))).map(toRun));
  },

  async getImportRun({ db, caller, params }) {
    const run = await findRun(db, caller.siteId, params.runId);
    if (!run) throw notFound(`Import ${params.runId}`);
    const { results, ...rest } = run;
    return ok(
      { run: toRun(rest), results: JSON.parse(results) as ImportResult[] },
      { etag: UNVERSIONED_ETAG },
    );
  },
};
