import { fileURLToPath } from 'node:url';
import { type RawBuilder, sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { BackupSettings, Job } from '../../../contract/generated/types.gen.ts';
import { JobStopped } from '../../kernel/jobs/job-owner.ts';
import { BACKUPS, listBackups, makeQueuedBackups } from '../../testing/backups.ts';
import { as, makePerson, makeSite, onEachApp, services } from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { createBackupRetentionTask, createBackupScheduleTask, getDueDay } from './schedule.ts';
import { restoreInChildProcess, verifyNextBackup } from './verify.ts';

describe('getDueDay returns the last day whose hour has passed', () => {
  test.each([
    ['2026-03-01T02:59:00Z', 3, 'UTC', '2026-02-28'],
    ['2026-03-01T03:00:00Z', 3, 'UTC', '2026-03-01'],
    ['2026-03-01T23:30:00Z', 0, 'Asia/Tokyo', '2026-03-02'],
    ['2026-03-01T07:00:00Z', 23, 'America/Los_Angeles', '2026-02-28'],
    // 02:00 is skipped on 29 March in Berlin: the clock moves from 01:59 to 03:00.
    ['2026-03-29T00:59:00Z', 2, 'Europe/Berlin', '2026-03-28'],
    ['2026-03-29T01:00:00Z', 2, 'Europe/Berlin', '2026-03-29'],
    // It occurs twice on 25 October: the backup is due at the first occurrence.
    ['2026-10-25T00:00:00Z', 2, 'Europe/Berlin', '2026-10-25'],
    ['2026-10-25T01:00:00Z', 2, 'Europe/Berlin', '2026-10-25'],
    ['2026-10-24T23:59:00Z', 2, 'Europe/Berlin', '2026-10-24'],
  ])('%s, %i o’clock in %s: %s', (now, hour, zone, day) => {
    expect(getDueDay(new Date(now), hour, zone)).toBe(day);
  });
});

const failToWrite = () => Promise.reject(new JobStopped('A file of the site is damaged on the disk'));
const failToRestore = () => Promise.reject(new Error('spawn EAGAIN'));

onEachApp((context) => {
  const db = () => context().db;
  const DAILY: BackupSettings = { isDaily: true, hour: 3, keepDays: 7, includeFiles: true, verify: true };

  async function createSite() {
    const person = await makePerson(db(), await makeSite(db()));
    const api = as(context().app, person);
    return { api, siteId: person.siteId };
  }
  const setLastDayLongAgo = (siteId: number) =>
    db()
      .updateTable('backup_settings')
      .set({ last_day: '2020-01-01' })
      .where('site_id', '=', siteId)
      .execute();

  /** Runs the schedule. @returns whether it queued a backup */
  const queueDueBackups = async (): Promise<boolean> => {
    const wokenTasks: string[] = [];
    const wakeTask = (name: string) => void wokenTasks.push(name);
    await runTask(createBackupScheduleTask({ db: db(), services: { ...services, wakeTask } }));
    return wokenTasks.length > 0;
  };

  const listMailSubjects = async (siteId: number) =>
    (await db().selectFrom('mail').select('subject').where('site_id', '=', siteId).execute()).map(
      ({ subject }) => subject,
    );

  test('saves settings, and makes no backup for days before they were set', async () => {
    const { api } = await createSite();
    expect((await api.get<BackupSettings>(`${BACKUPS}/settings`)).body).toMatchObject({
      isDaily: false,
      keepDays: 30,
    });
    expect((await api.put(`${BACKUPS}/settings`, DAILY)).body).toEqual(DAILY);
    expect((await api.get(`${BACKUPS}/settings`)).body).toEqual(DAILY);
    expect((await api.put(`${BACKUPS}/settings`, { ...DAILY, hour: 24 })).status).toBe(400);
    await queueDueBackups();
    expect(await listBackups(api)).toEqual([]);
  });

  test('after years of downtime one process makes one backup', async () => {
    const { api, siteId } = await createSite();
    await api.put(`${BACKUPS}/settings`, DAILY);
    await setLastDayLongAgo(siteId);
    await Promise.all([queueDueBackups(), queueDueBackups(), queueDueBackups()]);
    // The service is its owner: it depends on no person, and others see it in the job center.
    expect((await api.get<Job[]>('jobs?owner=others')).body).toMatchObject([
      { kind: 'backup', title: 'Back up the whole site with its files', ownerId: null, ownerName: null },
    ]);
    expect((await api.get('jobs')).body).toEqual([]);
    await makeQueuedBackups(db());
    await queueDueBackups();
    expect(await listBackups(api)).toMatchObject([
      { isScheduled: true, status: 'Ready', includesFiles: true, requestedBy: null },
    ]);
  });

  test('waits while another backup is queued or running', async () => {
    const { api, siteId } = await createSite();
    await api.put(`${BACKUPS}/settings`, DAILY);
    await setLastDayLongAgo(siteId);
    await api.post(`${BACKUPS}/request`, {});
    expect(await queueDueBackups()).toBe(false);
    await makeQueuedBackups(db());
    expect(await queueDueBackups()).toBe(true);
    await makeQueuedBackups(db());
    expect((await listBackups(api)).map(({ isScheduled }) => isScheduled)).toEqual([true, false]);
  });

  test('deletes expired scheduled backups, except the newest ready one and manual ones', async () => {
    const { api, siteId } = await createSite();
    await api.put(`${BACKUPS}/settings`, DAILY);
    for (const scheduled of [true, false, true])
      if (scheduled) {
        await setLastDayLongAgo(siteId);
        await queueDueBackups();
        await makeQueuedBackups(db());
      } else {
        await api.post(`${BACKUPS}/request`, {});
        await makeQueuedBackups(db());
      }
    const names = (await listBackups(api)).map(({ fileName }) => fileName);
    await db()
      .updateTable('backup')
      .set({ created_at: new Date('2020-01-01') })
      .where('site_id', '=', siteId)
      .execute();
    await runTask(createBackupRetentionTask({ db: db(), services }));
    expect((await listBackups(api)).map(({ fileName }) => fileName)).toEqual(names.slice(0, 2));
  });

  test('verifies the newest scheduled backup once, and reports the outcome', async () => {
    const { api, siteId } = await createSite();
    await api.put(`${BACKUPS}/settings`, DAILY);
    await setLastDayLongAgo(siteId);
    await queueDueBackups();
    await makeQueuedBackups(db());
    const verifiedPaths: string[] = [];
    const verifyAll = async (state: 'passed' | 'failed', message: string | null) => {
      const restore = async (path: string) => {
        verifiedPaths.push(path);
        return { state, message };
      };
      while (await verifyNextBackup({ db: db(), services, signal: new AbortController().signal, restore }));
    };
    await verifyAll('passed', null);
    const before = verifiedPaths.length;
    await verifyAll('passed', null);
    expect(verifiedPaths.length).toBe(before);
    const [backup] = await listBackups(api);
    expect(backup?.verified).toMatchObject({ state: 'passed', message: null });
    expect((await api.post(`${BACKUPS}/verify/${backup?.fileName}`)).body).toMatchObject({
      data: { verified: { state: 'queued' } },
    });
    await verifyAll('failed', 'users.csv has other contents');
    expect(await listMailSubjects(siteId)).toEqual([
      expect.stringMatching(/^Verification of a backup of .* failed$/),
    ]);
    expect((await listBackups(api))[0]?.verified).toMatchObject({
      state: 'failed',
      message: 'users.csv has other contents',
    });
  });

  test('mails a failed scheduled backup to users with Manage Backups only', async () => {
    const { api, siteId } = await createSite();
    await makePerson(db(), siteId, { capabilities: ['Read Data'] });
    await api.put(`${BACKUPS}/settings`, DAILY);
    await setLastDayLongAgo(siteId);
    await queueDueBackups();
    await makeQueuedBackups(db(), { write: failToWrite });
    expect((await listBackups(api))[0]).toMatchObject({ status: 'Failed', isWholeSite: true });
    expect(await listMailSubjects(siteId)).toEqual([expect.stringMatching(/^The backup of .* failed$/)]);
  });

  test('a verification that cannot run counts as failed', async () => {
    const { api } = await createSite();
    await api.post(`${BACKUPS}/request`, {});
    await makeQueuedBackups(db());
    const [backup] = await listBackups(api);
    await api.post(`${BACKUPS}/verify/${backup?.fileName}`);
    await verifyNextBackup({
      db: db(),
      services,
      signal: new AbortController().signal,
      restore: failToRestore,
    });
    expect((await listBackups(api))[0]?.verified).toMatchObject({
      state: 'failed',
      message: 'The verification did not finish: spawn EAGAIN',
    });
  });

  test('a process that was frozen while another verified the backup changes nothing', async () => {
    const { api, siteId } = await createSite();
    await api.post(`${BACKUPS}/request`, {});
    await makeQueuedBackups(db());
    const [backup] = await listBackups(api);
    await api.post(`${BACKUPS}/verify/${backup?.fileName}`);
    const verification = { db: db(), services, signal: new AbortController().signal };
    await verifyNextBackup({
      ...verification,
      async restore() {
        await sql`update backup set verify_lease_until = now() - interval '1 second' where site_id = ${siteId}`.execute(
          db(),
        );
        await verifyNextBackup({
          ...verification,
          restore: async () => ({ state: 'passed', message: null }),
        });
        return { state: 'failed', message: 'Too late' };
      },
    });
    expect((await listBackups(api))[0]?.verified).toMatchObject({ state: 'passed', message: null });
  });

  test('a verification keeps its lease while it runs, and ends when another process has it', async () => {
    const { api, siteId } = await createSite();
    await api.post(`${BACKUPS}/request`, {});
    await makeQueuedBackups(db());
    const [backup] = await listBackups(api);
    await api.post(`${BACKUPS}/verify/${backup?.fileName}`);
    const changeLease = (change: RawBuilder<unknown>) =>
      sql`update backup set ${change} where site_id = ${siteId}`.execute(db());
    const isRenewed = async () => {
      const { rows } = await sql<{ renewed: boolean }>`
        select verify_lease_until > now() + interval '30 seconds' as renewed from backup where site_id = ${siteId}`.execute(
        db(),
      );
      return rows[0]?.renewed;
    };
    await verifyNextBackup({
      db: db(),
      services,
      signal: new AbortController().signal,
      leaseRenewalMs: 10,
      async restore(_path, _dataDir, signal) {
        await changeLease(sql`verify_lease_until = now() + interval '1 second'`);
        await expect.poll(isRenewed).toBe(true);
        await changeLease(sql`verify_fence = verify_fence + 1`);
        await expect.poll(() => signal.aborted).toBe(true);
        return { state: 'failed', message: 'Too late' };
      },
    });
    expect((await listBackups(api))[0]?.verified).toMatchObject({ state: 'running' });
  });

  test('a valid backup passes the verification in a child process, also where a standby answers reads', async () => {
    vi.stubEnv('DATABASE_READ_URL', 'postgresql://standby.example/steward');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { api } = await createSite();
    await api.post(`${BACKUPS}/request`, {});
    await makeQueuedBackups(db());
    const [backup] = await listBackups(api);
    await api.post(`${BACKUPS}/verify/${backup?.fileName}`);
    await verifyNextBackup({
      db: db(),
      services,
      signal: new AbortController().signal,
      restore: restoreInChildProcess(fileURLToPath(new URL('../../cli/steward.ts', import.meta.url))),
    });
    expect((await listBackups(api))[0]?.verified).toMatchObject({ state: 'passed', message: null });
  });
});
