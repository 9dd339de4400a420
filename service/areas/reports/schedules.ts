/** Reports that are generated regularly. */
import type {
  ReportSchedule,
  ReportScheduleChange,
  NewReportSchedule,
} from '../../../contract/generated/types.gen.ts';
import { ApiError, badRequest, conflict, forbidden, notFound } from '../../kernel/api-error.ts';
import { change, createHostActor, diffProperties, getActor } from '../../kernel/audit/change.ts';
import { requireCapabilities, type OperationRequirements } from '../../kernel/auth/authorize.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { noContent, ok, type Handlers, type Services } from '../../kernel/http/handler.ts';
import { JobStopped, loadOwner } from '../../kernel/jobs/job-owner.ts';
import { insertJob, type JobOwner, setTitle } from '../../kernel/jobs/jobs.store.ts';
import { RUN_JOBS_TASKS } from '../../kernel/jobs/run-jobs.ts';
import { notify } from '../../kernel/notifications.store.ts';
import { createItemTask } from '../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import { getSite } from '../sites/index.ts';
import { requireRecipients } from './deliver.ts';
import { reportJob } from './report-job.ts';
import { checkRequest, describeRequest } from './run-request.ts';
import { isOpen, toStatus } from './run-status.ts';
import { requireSeesAll } from './runs.ts';
import { formatTimeOfDay, getNextTime, parseTimeOfDay, type ScheduleTimes } from './schedule-times.ts';
import * as store from './schedules.store.ts';
import type { StoredSchedule } from './schedules.store.ts';
import { findTemplate } from './templates.store.ts';
import { requireTemplate } from './templates.ts';

const MINUTE_MS = 60_000;
const MAX_SCHEDULES_PER_USER = 50;

/**
 * Requirements of the operation `startReportRun`; a test compares them with the contract. A schedule checks them against its owner before
 * it queues a report.
 */
export const START_REPORT_RUN_REQUIREMENTS: OperationRequirements = {
  id: 'startReportRun',
  scope: 'data',
  capabilities: ['Run Reports'],
  requiresStepUp: false,
};

type Operations =
  | 'listReportSchedules'
  | 'createReportSchedule'
  | 'updateReportSchedule'
  | 'deleteReportSchedule';

export const scheduleHandlers: Handlers<Operations> = {
  async listReportSchedules({ db, caller, query }) {
    if (query.owner === 'all') requireSeesAll(caller, 'Schedules');
    const ownerId = query.owner === 'all' ? undefined : caller.userId;
    return ok((await store.listSchedules(db, caller.siteId, ownerId)).map(toSchedule));
  },

  async createReportSchedule(call) {
    const { db, caller, body, origin } = call;
    const { siteId, userId } = caller;
    const template = await requireTemplate(db, siteId, body.templateId);
    const {
      selected: _selected,
      query,
      orderBy,
      filterText,
      ...request
    } = await checkRequest(call, template);
    await requireRecipients(db, siteId, body.recipients);
    requireUsedDays(body, body.frequency);
    const times = parseScheduleTimes(body);
    const id = await change(
      db,
      getActor(call),
      async (tx, record) => {
        if ((await store.countSchedules(tx, siteId, userId)) >= MAX_SCHEDULES_PER_USER)
          throw conflict(`You have ${MAX_SCHEDULES_PER_USER} schedules. Delete one first.`);
        const { timeZone } = await getSite(tx, siteId);
        const scheduleId = await store.insertSchedule(tx, {
          siteId,
          templateId: template.id,
          ownerId: userId,
          scopes: caller.scopes ? [...caller.scopes] : null,
          isFederated: caller.isFederated,
          ip: origin.ip,
          request: {
            ...request,
            ...(query !== undefined && { query }),
            ...(orderBy !== undefined && { orderBy }),
            ...(filterText !== undefined && { filterText }),
          },
          selectedIds: body.entryIds ? [...body.entryIds] : null,
          recipientIds: [...body.recipients],
          ...times,
          nextDate: getNextTime(await store.loadTime(tx), times, timeZone),
          timeZone,
        });
        record({
          action: 'report-schedule.create',
          subject: ['report-schedule', scheduleId, template.name],
          changes: {
            template: [null, template.name],
            times: [null, describeTimes(times)],
            recipients: [null, body.recipients],
          },
        });
        return scheduleId;
      },
      { lockSite: true },
    );
    return ok(toSchedule(await requireSchedule(db, siteId, id)));
  },

  async updateReportSchedule(call) {
    const { db, caller, params, body, origin } = call;
    const { siteId, userId } = caller;
    const known = await requireSchedule(db, siteId, params.scheduleId);
    const isOwn = known.ownerId === userId;
    if (!isOwn) requireManager(caller, known);
    if (!isOwn && (body.isPaused !== true || Object.keys(body).length > 1))
      throw forbidden('Only its owner can change or resume a schedule, because it runs with their rights');
    if (body.recipients) await requireRecipients(db, siteId, body.recipients);
    // A resumed schedule continues with the rights of this request.
    const isResumed = body.isPaused === false;
    if (isResumed) requireCapabilities(caller, ['Read Data']);
    await change(db, getActor(call), async (tx, record) => {
      const before = await requireSchedule(tx, siteId, known.id, { lock: true });
      requireUsedDays(body, body.frequency ?? before.frequency);
      const times = parseScheduleTimes({ ...formatScheduleTimes(before), ...body });
      const isActive = body.isPaused === undefined ? before.state === 'active' : !body.isPaused;
      // Pausing what the service stopped keeps the reason.
      const state = isActive ? 'active' : before.state === 'active' ? 'paused' : before.state;
      const after = {
        ...times,
        state,
        recipientIds: body.recipients ? [...body.recipients] : before.recipientIds,
      } as const;
      const changes = diffProperties(
        { times: describeTimes(before), state: before.state, recipients: before.recipientIds },
        { times: describeTimes(after), state, recipients: after.recipientIds },
      );
      if (Object.keys(changes).length === 0) return;
      await store.updateSchedule(tx, before, {
        ...after,
        ...(isResumed && {
          ip: origin.ip,
          scopes: caller.scopes ? [...caller.scopes] : null,
          isFederated: caller.isFederated,
          stopReason: null,
        }),
        // Other changes leave a report due that has not been queued yet.
        ...(isActive &&
          ('times' in changes || 'state' in changes) && {
            nextDate: getNextTime(await store.loadTime(tx), times, before.siteTimeZone),
            timeZone: before.siteTimeZone,
          }),
      });
      record({
        action: 'report-schedule.update',
        subject: toSubject(before),
        changes,
      });
    });
    return ok(toSchedule(await requireSchedule(db, siteId, known.id)));
  },

  async deleteReportSchedule(call) {
    const { db, caller, params } = call;
    await change(db, getActor(call), async (tx, record) => {
      const known = await requireSchedule(tx, caller.siteId, params.scheduleId, { lock: true });
      if (known.ownerId !== caller.userId) requireManager(caller, known);
      await store.deleteSchedule(tx, caller.siteId, known.id);
      record({
        action: 'report-schedule.delete',
        subject: toSubject(known),
        changes: { template: [known.templateName, null] },
      });
    });
    return noContent;
  },
};

/** @throws ApiError 404 for the schedule of another user, without the capability to manage templates */
function requireManager(
  { capabilities }: { capabilities: ReadonlySet<string> },
  { id }: Pick<StoredSchedule, 'id'>,
): void {
  if (!capabilities.has('Manage Report Templates')) throw notFound(`Schedule ${id}`);
}

/** @throws ApiError 404 */
async function requireSchedule(
  db: Db,
  siteId: number,
  id: number,
  options: { lock?: boolean } = {},
): Promise<StoredSchedule> {
  const schedule = await store.findSchedule(db, siteId, id, options);
  if (!schedule) throw notFound(`Schedule ${id}`);
  return schedule;
}

type ScheduleTimesInput = Pick<
  NewReportSchedule & ReportScheduleChange,
  'frequency' | 'time' | 'weekday' | 'dayOfMonth'
>;

/** Days of a request that its schedule would ignore are refused. @throws ApiError 400 */
function requireUsedDays(
  { weekday, dayOfMonth }: Pick<ScheduleTimesInput, 'weekday' | 'dayOfMonth'>,
  frequency: ScheduleTimes['frequency'],
): void {
  if (weekday !== undefined && frequency !== 'weekly')
    throw badRequest([{ path: 'weekday', message: 'is only for a weekly schedule' }]);
  if (dayOfMonth !== undefined && frequency !== 'monthly')
    throw badRequest([{ path: 'dayOfMonth', message: 'is only for a monthly schedule' }]);
}

/** @throws ApiError 400 for a schedule without its day */
function parseScheduleTimes({ frequency, time, weekday, dayOfMonth }: ScheduleTimesInput): ScheduleTimes {
  const minute = parseTimeOfDay(time);
  if (frequency === 'daily') return { frequency, minute, day: null };
  const [path, day] = frequency === 'weekly' ? ['weekday', weekday] : ['dayOfMonth', dayOfMonth];
  if (day === undefined) throw badRequest([{ path, message: `is required for a ${frequency} schedule` }]);
  return { frequency, minute, day };
}

const formatScheduleTimes = ({ frequency, minute, day }: ScheduleTimes): ScheduleTimesInput => ({
  frequency,
  time: formatTimeOfDay(minute),
  ...(frequency === 'weekly' && day !== null && { weekday: day }),
  ...(frequency === 'monthly' && day !== null && { dayOfMonth: day }),
});

const describeTimes = (times: ScheduleTimes): string => {
  const { frequency, time, weekday, dayOfMonth } = formatScheduleTimes(times);
  return [frequency, weekday ?? dayOfMonth, time].filter((part) => part !== undefined).join(' ');
};

const STATES = { active: 'Active', paused: 'Paused', stopped: 'Stopped' } as const;

/** A schedule in the audit log, named by its template. */
const toSubject = ({ id, templateName }: StoredSchedule) =>
  ['report-schedule', id, templateName ?? 'with a deleted template'] as const;

function toSchedule(schedule: StoredSchedule): ReportSchedule {
  const { request, lastRunId, lastRunDate, lastRunState } = schedule;
  return {
    id: schedule.id,
    templateId: schedule.templateId,
    templateName: schedule.templateName,
    frequency: schedule.frequency,
    time: formatTimeOfDay(schedule.minute),
    weekday: schedule.frequency === 'weekly' ? schedule.day : null,
    dayOfMonth: schedule.frequency === 'monthly' ? schedule.day : null,
    timeZone: schedule.siteTimeZone,
    format: request.format,
    document: request.document,
    filterText: request.filterText ?? null,
    selectedCount: schedule.selectedIds?.length ?? null,
    ownerId: schedule.ownerId,
    ownerName: schedule.ownerName,
    recipients: schedule.recipients,
    state: STATES[schedule.state],
    stopReason: schedule.stopReason,
    nextDate: schedule.state === 'active' ? schedule.nextDate.toISOString() : null,
    lastRun:
      lastRunId === null || lastRunDate === null || lastRunState === null
        ? null
        : { runId: lastRunId, createdDate: lastRunDate.toISOString(), status: toStatus(lastRunState) },
    createdDate: schedule.createdDate.toISOString(),
  };
}

const toOwner = ({ ownerId, scopes, isFederated }: StoredSchedule): JobOwner => ({
  userId: ownerId,
  principalId: null,
  reportId: null,
  scopes,
  isProven: false,
  isFederated,
});

/** The owner with the rights of now. @throws JobStopped with the reason in words */
const loadScheduleOwner = (db: Db, schedule: StoredSchedule) =>
  loadOwner(
    { db, operations: [START_REPORT_RUN_REQUIREMENTS] },
    { siteId: schedule.siteId, ip: schedule.ip, owner: toOwner(schedule) },
    reportJob,
  );

interface ScheduleContext {
  db: Db;
  services: Pick<Services, 'wakeTask' | 'publicUrl' | 'officeProgram'>;
}

/**
 * Scheduled task that queues the reports that are due: each once, whichever process is first, and one only after any downtime. While the
 * report before it has not ended, a schedule stays due.
 */
export const createReportScheduleTask = ({ db, services }: ScheduleContext): ScheduledTask =>
  createItemTask(db, {
    name: 'report schedules',
    intervalMs: MINUTE_MS,
    listItems: async () =>
      (await store.listDueSchedules(db)).map((due) => ({ ...due, item: `schedule ${due.id}` })),
    async runStep({ siteId, id }) {
      const isQueued = await change(db, createHostActor(siteId), async (tx, record) => {
        const schedule = await store.findSchedule(tx, siteId, id, { lock: true });
        if (schedule?.state !== 'active') return false;
        const now = await store.loadTime(tx);
        const { siteTimeZone: timeZone } = schedule;
        const nextDate = getNextTime(now, schedule, timeZone);
        if (schedule.nextDate > now) {
          // Listed only because the time zone of the site changed: the next time is computed again.
          await store.updateSchedule(tx, schedule, { nextDate, timeZone });
          return false;
        }
        if (schedule.lastRunState !== null && isOpen(schedule.lastRunState)) return false;
        try {
          const lastRunId = await queueReport(tx, services, schedule);
          await store.updateSchedule(tx, schedule, { nextDate, timeZone, lastRunId });
          record({
            action: 'job.start',
            subject: ['job', lastRunId],
            changes: { schedule: [null, id], owner: [null, schedule.ownerId] },
          });
          return true;
        } catch (error) {
          if (!(error instanceof JobStopped) && !(error instanceof ApiError && error.status < 500))
            throw error;
          await stopSchedule(tx, services, schedule, error.message);
          record({
            action: 'report-schedule.stop',
            subject: toSubject(schedule),
            changes: { reason: [null, error.message] },
          });
          return false;
        }
      });
      if (isQueued) for (const name of RUN_JOBS_TASKS) services.wakeTask(name);
      return false;
    },
  });

/**
 * Queues the report of a schedule as its owner would start it now. @returns the id of its job
 * @throws JobStopped, ApiError with the reason why the owner could not start it
 */
async function queueReport(
  tx: Tx,
  { officeProgram }: ScheduleContext['services'],
  schedule: StoredSchedule,
): Promise<number> {
  const { siteId, request, selectedIds, ip } = schedule;
  const caller = await loadScheduleOwner(tx, schedule);
  const template = await findTemplate(tx, siteId, schedule.templateId);
  if (!template) throw new JobStopped('The template was deleted');
  if (request.format === 'pdf' && officeProgram === undefined)
    throw new JobStopped('PDF files are no longer available on this installation');
  const parameters = await describeRequest({ db: tx, caller }, template, {
    ...request,
    selected: selectedIds?.length ?? null,
    recipients: schedule.recipientIds,
    scheduleId: schedule.id,
  });
  const title = await reportJob.describe({ db: tx, siteId }, parameters, NO_ITEMS);
  const jobId = await insertJob(tx, {
    siteId,
    kind: reportJob.kind,
    title,
    state: 'waiting',
    parameters,
    selectedIds: selectedIds ?? undefined,
    owner: toOwner(schedule),
    ip,
    requestId: `report schedule ${schedule.id}`,
  });
  await setTitle(tx, { siteId, jobId }, { title, total: 0 });
  return jobId;
}

const NO_ITEMS = { length: 0, listDistinct: async () => [], countWith: async () => 0 };

/** Stops a schedule and notifies its owner. */
async function stopSchedule(
  tx: Tx,
  { publicUrl }: ScheduleContext['services'],
  schedule: StoredSchedule,
  reason: string,
): Promise<void> {
  await store.updateSchedule(tx, schedule, { state: 'stopped', stopReason: reason });
  await notify(tx, publicUrl, {
    siteId: schedule.siteId,
    userIds: [schedule.ownerId],
    category: 'jobFailed',
    title: `The schedule of the report ${schedule.templateName ?? 'of a deleted template'} was stopped`,
    detail: reason,
    path: '/reports/schedules',
  });
}
