import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type {
  NewReportSchedule,
  ReportRecipient,
  ReportRun,
  ReportSchedule,
  ReportTemplateDetail,
} from '../../../contract/generated/types.gen.ts';
import { runDueJobs } from '../../kernel/jobs/run-jobs.ts';
import { type ErrorBody, sendForm } from '../../testing/calls.ts';
import { makeThings } from '../../testing/entries/entries.ts';
import { makeDocx, paragraph } from '../../testing/files/documents.ts';
import { createJobContext } from '../../testing/jobs.ts';
import { as, contract, makePerson, onEachApp, services, type Person } from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { createReportScheduleTask, START_REPORT_RUN_REQUIREMENTS } from './schedules.ts';

const REPORTS = '/api/rest/v4/templatereports';
const SCHEDULES = `${REPORTS}/schedules`;
const wakeTask = () => undefined;
const RUNNER = ['Access Web Service', 'Run Reports', 'Read Data'] as const;

test('a schedule requires what starting a report requires', () => {
  const start = contract.operations.find(({ id }) => id === START_REPORT_RUN_REQUIREMENTS.id);
  expect(start).toMatchObject(START_REPORT_RUN_REQUIREMENTS);
});

onEachApp((context) => {
  test('a schedule delivers its report once, moves with the zone, and stops when its owner loses a right', async () => {
    const { db, app } = context();
    await sql`delete from job`.execute(db);
    const things = await makeThings(context());
    const { siteId, typeId, api: admin } = things;
    await things.create({ Name: 'Acme' });
    const content = await makeDocx(paragraph('{Name}'));
    const created = await sendForm<ReportTemplateDetail>(app, {
      url: REPORTS,
      token: things.person.token,
      model: { name: 'Profile', entryTypeId: typeId },
      files: [{ part: 'file', name: 'profile.docx', content }],
    });
    const { id: templateId } = created.body;
    const makeRunner = () => makePerson(db, siteId, { capabilities: [...RUNNER] });
    const [owner, reader, outsider] = [await makeRunner(), await makeRunner(), await makeRunner()];
    await sql`update account set last_name = 'Öberg' where user_id = ${outsider.userId}`.execute(db);
    const clerk = await makePerson(db, siteId, { capabilities: ['Access Web Service', 'Run Reports'] });
    const api = as(app, owner);
    const times = (iso: string) =>
      sql`update report_schedule set next_at = ${iso}::timestamptz where site_id = ${siteId}`.execute(db);
    const makeDue = () =>
      sql`update report_schedule set next_at = now() - interval '1 second' where site_id = ${siteId}`.execute(
        db,
      );
    const runDue = async () => {
      const task = () => runTask(createReportScheduleTask({ db, services: { ...services, wakeTask } }));
      // Two processes at once.
      await Promise.all([task(), task()]);
      await runDueJobs({
        ...createJobContext(db),
        files: { ...services, leaseRenewalMs: 10 },
      });
    };
    const list = async () => (await api.get<ReportSchedule[]>(SCHEDULES)).body;
    const listRuns = async (person: Person) =>
      (await as(app, person).get<ReportRun[]>(`${REPORTS}/runs`)).body;
    const download = (runId: number, person: Person) =>
      app.inject({
        url: `${REPORTS}/runs/${runId}/file`,
        headers: { authorization: `Bearer ${person.token}` },
      });

    const people = (await api.get<ReportRecipient[]>(`${REPORTS}/recipients`)).body.map(({ id }) => id);
    expect([owner, reader, clerk].map(({ userId }) => people.includes(userId))).toEqual([true, true, false]);
    const found = await api.get<ReportRecipient[]>(
      `${REPORTS}/recipients?search=${encodeURIComponent('öBERG')}`,
    );
    expect(found.body).toEqual([{ id: outsider.userId, name: 'Ada Öberg', email: outsider.email }]);

    const request: NewReportSchedule = {
      templateId,
      query: {},
      format: 'docx',
      frequency: 'weekly',
      time: '07:30',
      recipients: [reader.userId, outsider.userId],
      filterText: 'All Things',
    };
    const refusals = [
      await api.post<ErrorBody>(SCHEDULES, request),
      await api.post<ErrorBody>(SCHEDULES, { ...request, frequency: 'daily', weekday: 1 }),
      await api.post<ErrorBody>(SCHEDULES, { ...request, weekday: 1, dayOfMonth: 1 }),
      await api.post<ErrorBody>(SCHEDULES, { ...request, weekday: 1, recipients: [clerk.userId] }),
      await as(app, clerk).post<ErrorBody>(SCHEDULES, { ...request, weekday: 1, recipients: [] }),
    ].map(({ status, body }) => [status, body.errors?.[0]?.path]);
    expect(refusals).toEqual([
      [400, 'weekday'],
      [400, 'weekday'],
      [400, 'dayOfMonth'],
      [400, 'recipients.0'],
      [403, undefined],
    ]);
    const { body: schedule } = await api.post<ReportSchedule>(SCHEDULES, { ...request, weekday: 1 });
    expect(schedule).toMatchObject({ state: 'Active', ownerId: owner.userId, weekday: 1, timeZone: 'UTC' });
    expect(new Date(schedule.nextDate ?? 0).getUTCDay()).toBe(1);
    expect(schedule.nextDate).toContain('T07:30:00.000Z');

    // Not due; then the site moves, and the next moment with it.
    await runDue();
    await sql`update site set time_zone = 'Asia/Tokyo' where site_id = ${siteId}`.execute(db);
    await runDue();
    expect((await list())[0]).toMatchObject({ timeZone: 'Asia/Tokyo', lastRun: null });
    expect((await list())[0]?.nextDate).toContain('T22:30:00.000Z');

    // A recipient who loses the right meanwhile gets no mail. After years of downtime one report is made.
    await sql`delete from group_member where site_id = ${siteId} and user_id = ${outsider.userId}`.execute(
      db,
    );
    await times('2020-01-01T00:00:00Z');
    await runDue();
    const [run] = await listRuns(reader);
    expect(await listRuns(reader)).toHaveLength(1);
    expect(run).toMatchObject({
      status: 'Ready',
      requestedBy: owner.userId,
      scheduleId: schedule.id,
      recipients: [{ id: reader.userId }, { id: outsider.userId }],
    });
    expect((await list())[0]).toMatchObject({
      state: 'Active',
      lastRun: { runId: run?.runId, status: 'Ready' },
    });
    const mails = await db
      .selectFrom('mail')
      .select(['recipient', 'subject', 'body_text as text'])
      .where('site_id', '=', siteId)
      .execute();
    expect(mails).toMatchObject([{ recipient: reader.email, subject: 'The report Profile is ready' }]);
    expect(mails[0]?.text).toContain(`${services.publicUrl}/reports/runs?run=${run?.runId}\n`);
    expect((await download(run?.runId ?? 0, reader)).statusCode).toBe(200);
    expect((await download(run?.runId ?? 0, outsider)).statusCode).toBe(403);
    // Managers of templates see the report, but not what its owner may read.
    expect((await download(run?.runId ?? 0, things.person)).statusCode).toBe(403);
    expect((await as(app, clerk).get(`${REPORTS}/runs/${run?.runId}`)).status).toBe(404);

    // Others can neither change nor see it; managers can pause it, but not let it run with the rights of its owner.
    const url = `${SCHEDULES}/${schedule.id}`;
    expect((await as(app, reader).put(url, { isPaused: true })).status).toBe(404);
    expect((await as(app, reader).get(`${SCHEDULES}?owner=all`)).status).toBe(403);
    expect((await admin.put(url, { recipients: [things.person.userId] })).status).toBe(403);
    expect((await admin.put<ReportSchedule>(url, { isPaused: true })).body.state).toBe('Paused');
    expect((await admin.put(url, { isPaused: false })).status).toBe(403);
    await makeDue();
    await runDue();
    expect(await listRuns(reader)).toHaveLength(1);
    const resumed = await api.put<ReportSchedule>(url, {
      isPaused: false,
      frequency: 'monthly',
      dayOfMonth: 31,
    });
    expect(resumed.body).toMatchObject({ state: 'Active', dayOfMonth: 31, weekday: null });
    const unused = await api.put<ErrorBody>(url, { weekday: 2 });
    expect([unused.status, unused.body.errors?.[0]?.path]).toEqual([400, 'weekday']);

    // Other recipients leave a due report due; another time does not.
    await makeDue();
    const isDue = async () => Date.parse((await list())[0]?.nextDate ?? '') < Date.now();
    expect((await api.put(url, { recipients: [reader.userId] })).status).toBe(200);
    expect(await isDue()).toBe(true);
    expect((await api.put(url, { time: '08:00' })).status).toBe(200);
    expect(await isDue()).toBe(false);

    await sql`update user_group set capabilities = array_remove(capabilities, 'Read Data')
      where site_id = ${siteId} and group_id = ${owner.groupId}`.execute(db);
    await makeDue();
    await runDue();
    expect((await list())[0]).toMatchObject({
      state: 'Stopped',
      stopReason: 'User capabilities are required: Read Data',
      nextDate: null,
    });
    const notified = await db
      .selectFrom('notification')
      .select(['user_id as userId', 'path'])
      .where('site_id', '=', siteId)
      .where('category', '=', 'jobFailed')
      .execute();
    expect(notified).toEqual([{ userId: owner.userId, path: '/reports/schedules' }]);
    expect((await api.put<ErrorBody>(url, { isPaused: false })).status).toBe(403);
    expect((await api.del(url)).status).toBe(204);
    expect(await list()).toEqual([]);
    const { rows } = await sql<{
      action: string;
      kind: string | null;
      name: string | null;
    }>`select action, configuration_kind as kind, subject_name as name from audit_log
      where site_id = ${siteId} and (subject_type = 'report-schedule' or action = 'report.deliver')
      order by audit_id`.execute(db);
    expect(rows.map(({ action }) => action)).toEqual([
      'report-schedule.create',
      'report.deliver',
      ...Array.from({ length: 4 }, () => 'report-schedule.update'),
      'report-schedule.stop',
      'report-schedule.delete',
    ]);
    // The configuration log lists them under the name of the template.
    const changes = rows.filter(({ action }) => action.startsWith('report-schedule.'));
    expect(new Set(changes.map(({ kind, name }) => `${kind} ${name}`))).toEqual(
      new Set(['schedule Profile']),
    );
  });
});
