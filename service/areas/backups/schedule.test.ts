import { describe, expect, test } from 'vitest';
import type { BackupSettings } from '../../../contract/generated/types.gen.ts';
import { BACKUPS, listed, makeAll } from '../../testing/backups.ts';
import { as, makePerson, makeSite, onEachApp, services } from '../../testing/site.ts';
import { makeNext } from './make.ts';
import { dropOld, dueDay, queueDue } from './schedule.ts';
import { verifyNext } from './verify.ts';

describe('the last day whose hour has come', () => {
  test.each([
    ['2026-03-01T02:59:00Z', 3, 'UTC', '2026-02-28'],
    ['2026-03-01T03:00:00Z', 3, 'UTC', '2026-03-01'],
    ['2026-03-01T23:30:00Z', 0, 'Asia/Tokyo', '2026-03-02'],
    ['2026-03-01T07:00:00Z', 23, 'America/Los_Angeles', '2026-02-28'],
    // 02:00 does not come on 29 March in Berlin: the clock goes from 01:59 to 03:00.
    ['2026-03-29T00:59:00Z', 2, 'Europe/Berlin', '2026-03-28'],
    ['2026-03-29T01:00:00Z', 2, 'Europe/Berlin', '2026-03-29'],
    // It comes twice on 25 October: at the first one it is due, and at the second it has been.
    ['2026-10-25T00:00:00Z', 2, 'Europe/Berlin', '2026-10-25'],
    ['2026-10-25T01:00:00Z', 2, 'Europe/Berlin', '2026-10-25'],
    ['2026-10-24T23:59:00Z', 2, 'Europe/Berlin', '2026-10-24'],
  ])('%s, %i o’clock in %s: %s', (now, hour, zone, day) => {
    expect(dueDay(new Date(now), hour, zone)).toBe(day);
  });
});

const broken = () => Promise.reject(new Error('spawn EAGAIN'));

onEachApp((house) => {
  const db = () => house().db;
  const DAILY: BackupSettings = { isDaily: true, hour: 3, keepDays: 7, includeFiles: true, verify: true };

  async function site() {
    const person = await makePerson(db(), await makeSite(db()));
    const api = as(house().app, person);
    return { api, siteId: person.siteId };
  }
  const longAgo = (siteId: number) =>
    db()
      .updateTable('backup_settings')
      .set({ last_day: '2020-01-01' })
      .where('site_id', '=', siteId)
      .execute();

  const mailed = async (siteId: number) =>
    (await db().selectFrom('mail').select('subject').where('site_id', '=', siteId).execute()).map(
      ({ subject }) => subject,
    );

  test('settings are kept; what is not wanted yet is not made up for', async () => {
    const { api } = await site();
    expect((await api.get<BackupSettings>(`${BACKUPS}/settings`)).body).toMatchObject({
      isDaily: false,
      keepDays: 30,
    });
    expect((await api.put(`${BACKUPS}/settings`, DAILY)).body).toEqual(DAILY);
    expect((await api.get(`${BACKUPS}/settings`)).body).toEqual(DAILY);
    expect((await api.put(`${BACKUPS}/settings`, { ...DAILY, hour: 24 })).status).toBe(400);
    await queueDue(db());
    expect(await listed(api)).toEqual([]);
  });

  test('after years without a service one is made, by one of the processes, once', async () => {
    const { api, siteId } = await site();
    await api.put(`${BACKUPS}/settings`, DAILY);
    await longAgo(siteId);
    await Promise.all([queueDue(db()), queueDue(db()), queueDue(db())]);
    await makeAll(db());
    await queueDue(db());
    expect(await listed(api)).toMatchObject([
      { isScheduled: true, status: 'Ready', includesFiles: true, requestedBy: null },
    ]);
  });

  test('while another one is on its way the day waits', async () => {
    const { api, siteId } = await site();
    await api.put(`${BACKUPS}/settings`, DAILY);
    await longAgo(siteId);
    await api.post(`${BACKUPS}/request`, {});
    expect(await queueDue(db())).toBe(false);
    await makeAll(db());
    expect(await queueDue(db())).toBe(true);
    await makeAll(db());
    expect((await listed(api)).map(({ isScheduled }) => isScheduled)).toEqual([true, false]);
  });

  test('old scheduled ones go, the newest that is ready stays however old it is, others stay', async () => {
    const { api, siteId } = await site();
    await api.put(`${BACKUPS}/settings`, DAILY);
    for (const scheduled of [true, false, true])
      if (scheduled) {
        // oxlint-disable no-await-in-loop -- one after the other
        await longAgo(siteId);
        await queueDue(db());
        await makeAll(db());
      } else {
        await api.post(`${BACKUPS}/request`, {});
        await makeAll(db());
      }
    const names = (await listed(api)).map(({ fileName }) => fileName);
    await db()
      .updateTable('backup')
      .set({ created_at: new Date('2020-01-01') })
      .where('site_id', '=', siteId)
      .execute();
    await dropOld({ db: db(), services });
    expect((await listed(api)).map(({ fileName }) => fileName)).toEqual(names.slice(0, 2));
  });

  test('the newest scheduled one is verified, once, and the outcome is told', async () => {
    const { api, siteId } = await site();
    await api.put(`${BACKUPS}/settings`, DAILY);
    await longAgo(siteId);
    await queueDue(db());
    await makeAll(db());
    const checked: string[] = [];
    const verifyAll = async (state: 'passed' | 'failed', message: string | null) => {
      const restore = async (path: string) => {
        checked.push(path);
        return { state, message };
      };
      // oxlint-disable-next-line no-await-in-loop
      while (await verifyNext({ db: db(), services, signal: new AbortController().signal, restore }));
    };
    await verifyAll('passed', null);
    const before = checked.length;
    await verifyAll('passed', null);
    expect(checked.length).toBe(before);
    const [backup] = await listed(api);
    expect(backup?.verified).toMatchObject({ state: 'passed', message: null });
    expect((await api.post(`${BACKUPS}/verify/${backup?.fileName}`)).body).toMatchObject({
      data: { verified: { state: 'queued' } },
    });
    await verifyAll('failed', 'users.csv has other contents');
    expect(await mailed(siteId)).toEqual([expect.stringMatching(/^A backup of .* was not proved$/)]);
    expect((await listed(api))[0]?.verified).toMatchObject({
      state: 'failed',
      message: 'users.csv has other contents',
    });
  });

  test('a scheduled one that fails is told to whoever manages backups, by mail, and to nobody else', async () => {
    const { api, siteId } = await site();
    await makePerson(db(), siteId, { capabilities: ['Read Data'] });
    await api.put(`${BACKUPS}/settings`, DAILY);
    await longAgo(siteId);
    await queueDue(db());
    await makeNext({ db: db(), services, signal: new AbortController().signal, write: broken });
    expect((await listed(api))[0]).toMatchObject({ status: 'Failed', isWholeSite: true });
    expect(await mailed(siteId)).toEqual([expect.stringMatching(/^The backup of .* failed$/)]);
  });

  test('a check that breaks down has failed, and does not go on for ever', async () => {
    const { api } = await site();
    await api.post(`${BACKUPS}/request`, {});
    await makeAll(db());
    const [backup] = await listed(api);
    await api.post(`${BACKUPS}/verify/${backup?.fileName}`);
    await verifyNext({ db: db(), services, signal: new AbortController().signal, restore: broken });
    expect((await listed(api))[0]?.verified).toMatchObject({
      state: 'failed',
      message: 'The check could not be made: spawn EAGAIN',
    });
  });

  test('restored in a process of its own a real backup passes', async () => {
    const { api } = await site();
    await api.post(`${BACKUPS}/request`, {});
    await makeAll(db());
    const [backup] = await listed(api);
    await api.post(`${BACKUPS}/verify/${backup?.fileName}`);
    await verifyNext({ db: db(), services, signal: new AbortController().signal });
    expect((await listed(api))[0]?.verified).toMatchObject({ state: 'passed', message: null });
  });
});
