import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type {
  Notification,
  NotificationSettings,
  UnreadNotifications,
} from '../../../contract/generated/types.gen.ts';
import { isEmbedded, withTransaction } from '../../kernel/db/database.ts';
import { notify, notifyAboutParkedWork } from '../../kernel/notifications.store.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import { untilSomebodyWaits } from '../../testing/databases.ts';
import { runJobs } from '../../testing/jobs.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';
import { createNotificationRetentionTask } from './area.ts';

const PUBLIC_URL = 'http://steward.test';
const PATH = '/api/session/notifications';

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  let api: ApiClient;
  beforeEach(async () => {
    await sql`delete from job`.execute(context().db);
    siteId = await makeSite(context().db);
    admin = await makePerson(context().db, siteId);
    api = as(context().app, admin, 'console');
  });

  const list = async (query = '', client = api) => (await client.get<Notification[]>(`${PATH}${query}`)).body;
  const count = async (client = api) => (await client.get<UnreadNotifications>(`${PATH}/unread`)).body;
  const send = (userIds: readonly number[], title: string) =>
    withTransaction(context().db, {}, (tx) =>
      notify(tx, PUBLIC_URL, {
        siteId,
        userIds,
        category: 'alert',
        title,
        detail: 'Why',
        path: '/backups',
      }),
    );
  const listMails = async () => {
    const { rows } = await sql<{ recipient: string; subject: string; body_text: string }>`
      select recipient, subject, body_text from mail where site_id = ${siteId} order by mail_id`.execute(
      context().db,
    );
    return rows;
  };
  const run = () => runJobs(context().db);
  const startAll = (userIds: readonly number[]) =>
    api.post<{ id: number }>('jobs/licenseChanges', {
      licenses: userIds.map((userId) => ({ userId, licenseTypeId: 4 })),
    });

  test('the owner learns how a job of several items ended, and gets a mail when something failed', async () => {
    const [first, second] = [await makePerson(context().db, siteId), await makePerson(context().db, siteId)];
    const finished = await startAll([first.userId, second.userId]);
    await run();
    const failed = await startAll([first.userId, admin.userId]);
    await run();
    expect(await list()).toMatchObject([
      {
        category: 'jobFailed',
        title: 'Set 2 licenses to No License',
        detail: '1 unchanged, 1 failed',
        path: `/jobs/${failed.body.id}`,
        readDate: null,
      },
      { category: 'jobFinished', detail: '2 changed', path: `/jobs/${finished.body.id}` },
    ]);
    const mails = await listMails();
    expect(mails).toHaveLength(1);
    expect(mails[0]?.subject).toContain('Set 2 licenses to No License');
    expect(mails[0]?.body_text).toContain(`${PUBLIC_URL}/jobs/${failed.body.id}`);
  });

  test('the success of a job with one item is no news, its failure is', async () => {
    const user = await makePerson(context().db, siteId);
    await startAll([user.userId]);
    await run();
    expect(await list()).toEqual([]);
    await startAll([admin.userId]);
    await run();
    expect(await list()).toMatchObject([{ category: 'jobFailed', detail: '1 failed' }]);
  });

  test('notifications are read by their user only, on all devices at once', async () => {
    const other = await makePerson(context().db, siteId);
    const otherApi = as(context().app, other, 'console');
    await send([admin.userId, other.userId], 'One');
    await send([admin.userId], 'Two');
    await send([admin.userId], 'Three');
    const [three, two, one] = await list();
    expect([three?.title, two?.title, one?.title]).toEqual(['Three', 'Two', 'One']);
    expect(await count()).toEqual({ unread: 3, newestId: three?.id });
    const [foreign] = await list('', otherApi);
    const marked = await api.post<UnreadNotifications>(`${PATH}/read`, { ids: [two?.id, foreign?.id] });
    expect(marked.body.unread).toBe(2);
    expect((await list('?isUnread=true')).map(({ title }) => title)).toEqual(['Three', 'One']);
    expect((await count(otherApi)).unread).toBe(1);
    await api.post(`${PATH}/read`, { upToId: one?.id });
    expect((await list('?isUnread=true')).map(({ title }) => title)).toEqual(['Three']);
    expect((await list('?pageSize=1&pageNumber=2')).map(({ title }) => title)).toEqual(['Two']);
  });

  test('go where the user wants them, and the choice is audited', async () => {
    const settings: NotificationSettings = {
      jobFinished: { inConsole: false, byMail: true, inBrowser: false },
      jobFailed: { inConsole: true, byMail: false, inBrowser: true },
      alert: { inConsole: false, byMail: false, inBrowser: false },
    };
    expect((await api.put(`${PATH}/settings`, settings)).status).toBe(204);
    const alert = { inBrowser: false, byMail: false, inConsole: false };
    expect((await api.put(`${PATH}/settings`, { ...settings, alert })).status).toBe(204);
    expect((await api.get(`${PATH}/settings`)).body).toEqual(settings);
    const { rows } = await sql`select changes from audit_log where site_id = ${siteId}
      and action = 'user.notifications' order by audit_id`.execute(context().db);
    // The second request changed nothing.
    expect(rows).toMatchObject([{ changes: { jobFinished: expect.any(Array) as unknown } }]);
    await send([admin.userId], 'Alert');
    const users = [await makePerson(context().db, siteId), await makePerson(context().db, siteId)];
    await startAll(users.map(({ userId }) => userId));
    await run();
    expect(await list()).toEqual([]);
    expect((await listMails()).map(({ subject }) => subject.includes('Set 2 licenses'))).toEqual([true]);
    const refused = await api.put<ErrorBody>(`${PATH}/settings`, { ...settings, alert: { byMail: 'no' } });
    expect(refused.status).toBe(400);
    expect(refused.body.errors?.map(({ path }) => path)).toContain('alert.byMail');
  });

  test('line breaks in names stay out of titles and mails', async () => {
    await api.put(`${PATH}/settings`, {
      jobFinished: { inConsole: true, byMail: true, inBrowser: false },
      jobFailed: { inConsole: true, byMail: true, inBrowser: false },
      alert: { inConsole: true, byMail: true, inBrowser: false },
    });
    await send([admin.userId], 'One\r\nBcc: mallory@example.com');
    expect((await list())[0]?.title).toBe('One Bcc: mallory@example.com');
    expect((await listMails())[0]?.subject).not.toMatch(/[\r\n]/);
  });

  test('only those who manage the settings learn of parked work, and nobody who may not act', async () => {
    const viewer = await makePerson(context().db, siteId, { capabilities: ['View Activity'] });
    const inactive = await makePerson(context().db, siteId);
    await sql`update membership set is_active = false where site_id = ${siteId} and user_id = ${inactive.userId}`.execute(
      context().db,
    );
    await notifyAboutParkedWork(context().db, PUBLIC_URL, {
      siteId,
      task: 'recalculate',
      reason: 'Out of memory',
    });
    const { rows } = await sql<{ user_id: number; title: string; detail: string }>`
      select user_id, title, detail from notification where site_id = ${siteId}`.execute(context().db);
    expect(rows).toEqual([
      {
        user_id: admin.userId,
        title: 'Background work failed five times: recalculate',
        detail: 'Out of memory',
      },
    ]);
    expect(viewer.userId).not.toBe(admin.userId);
  });

  test('a choice of somebody who is removed at the same time is refused, and nothing is stored', async () => {
    const { db, app } = context();
    const leaver = await makePerson(db, siteId);
    const settings = await as(app, leaver, 'console').get<NotificationSettings>(`${PATH}/settings`);
    let reply: ReturnType<ApiClient['put']> | undefined;
    await db.transaction().execute(async (tx) => {
      await sql`delete from membership where site_id = ${siteId} and user_id = ${leaver.userId}`.execute(tx);
      reply = as(app, leaver, 'console').put(`${PATH}/settings`, settings.body);
      await untilSomebodyWaits(db);
    });
    // On the embedded database the request begins after the transaction.
    expect((await reply)?.status).toBe(isEmbedded(db) ? 401 : 409);
    const { rows } = await sql`select 1 from notification_setting where user_id = ${leaver.userId}`.execute(
      db,
    );
    expect(rows).toEqual([]);
  });

  test('are deleted after 90 days', async () => {
    await send([admin.userId], 'Old');
    await send([admin.userId], 'New');
    const [, old] = await list();
    await sql`update notification set created_at = now() - interval '91 days' where notification_id = ${old?.id}`.execute(
      context().db,
    );
    await createNotificationRetentionTask(context()).run();
    expect((await list()).map(({ title }) => title)).toEqual(['New']);
  });
});
