import { sql } from 'kysely';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Job, JobItem, JobPace, JobReason } from '../../../contract/generated/types.gen.ts';
import type { JobKind } from '../../kernel/jobs/job-kind.ts';
import { claimJob, endAllLeases, endJob } from '../../kernel/jobs/jobs.store.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import { runJobs } from '../../testing/jobs.ts';
import { findSequentialScans } from '../../testing/measures/plans.ts';
import { as, makeGroup, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';
import { registry } from '../registry.ts';

const idsOf = (users: readonly Person[]) => users.map(({ userId }) => userId);

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

  const makeUsers = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () => makePerson(context().db, siteId, { capabilities: ['Read Data'] })),
    );
  /** Runs jobs as one process does; `kinds` replaces kinds. */
  const run = (kinds: readonly JobKind[] = []) => runJobs(context().db, kinds);
  const start = async (path: string, body: object, client = api) => {
    const reply = await client.post<Job>(`jobs/${path}`, body);
    expect(reply.status).toBe(202);
    return reply.body;
  };
  const setTimeZone = (userIds: (number | undefined)[], timeZone: string | null) =>
    start('userUpdates', { userIds, timeZone });
  const listInvalidPaths = async (path: string, body: object) =>
    (await api.post<ErrorBody>(`jobs/${path}`, body)).body.errors?.map((error) => error.path);
  const read = async (id: number) => (await api.get<Job>(`jobs/${id}`)).body;
  const listItems = async (id: number, query = '') =>
    (await api.get<JobItem[]>(`jobs/${id}/items?pageSize=1000${query}`)).body;
  const readActive = async () => {
    const { rows } = await sql<{ id: number }>`select user_id as id from membership
      where site_id = ${siteId} and is_active order by 1`.execute(context().db);
    return rows.map(({ id }) => id);
  };
  const readGroups = async () =>
    (
      await sql`select user_id, group_id from group_member where site_id = ${siteId} order by 1, 2`.execute(
        context().db,
      )
    ).rows;
  const listAudited = async (action: string) => {
    const rows = await context()
      .db.selectFrom('audit_log')
      .select(['subject_id', 'actor_id', 'request_id'])
      .where('site_id', '=', siteId)
      .where('action', '=', action)
      .orderBy('audit_id')
      .execute();
    return rows;
  };

  test('deactivates users with one audit row and one event each, and tells done from unchanged and missing', async () => {
    const users = await makeUsers(120);
    const [first, second] = idsOf(users);
    await api.put('user', { id: first, isActive: false });
    await api.del(`user/${second}`);
    const job = await start('userUpdates', { userIds: idsOf(users), isActive: false });
    expect(job).toMatchObject({
      state: 'waiting',
      total: 120,
      done: 0,
      ownerId: admin.userId,
      undoUntil: null,
    });
    await run();
    const ended = await read(job.id);
    expect(ended).toMatchObject({ state: 'finished', done: 118, unchanged: 1, conflicts: 1, failed: 0 });
    expect(await readActive()).toEqual([admin.userId]);
    const audited = await listAudited('user.update');
    expect(
      audited
        .slice(1)
        .map(({ subject_id }) => Number(subject_id))
        .toSorted((a, b) => a - b),
    ).toEqual(
      idsOf(users)
        .slice(2)
        .toSorted((a, b) => a - b),
    );
    expect(new Set(audited.slice(1).map(({ request_id }) => request_id)).size).toBe(1);
    expect(await listItems(job.id, '&state=conflict')).toMatchObject([
      { number: 2, reason: 'No longer on this site', input: { userId: second } },
    ]);
    expect((await listAudited('job.start')).length + (await listAudited('job.finish')).length).toBe(2);
  });

  test.each(['2100-01-01T10:00:00', '2100-01-01t10:00:00', '2100-01-01t10:00:00z'])(
    'begins at %s in UTC, whatever the zone of the process is',
    async (notBefore) => {
      vi.stubEnv('TZ', 'America/New_York');
      try {
        const body = { userIds: [admin.userId], timeZone: 'UTC', notBefore };
        expect((await start('userUpdates', body)).notBefore).toBe('2100-01-01T10:00:00.000Z');
      } finally {
        vi.unstubAllEnvs();
      }
    },
  );

  test('says what was asked, whom it concerns, and why it was not done', async () => {
    const users = await makeUsers(2);
    const [first] = users;
    const titles = await Promise.all([
      start('userUpdates', { userIds: [first?.userId], isActive: true }),
      start('userUpdates', { userIds: idsOf(users), timeZone: 'europe/lisbon' }),
      start('licenseChanges', { licenses: idsOf(users).map((userId) => ({ userId, licenseTypeId: 4 })) }),
      start('membershipChanges', { memberships: [{ userId: first?.userId, remove: [first?.groupId] }] }),
    ]);
    const { rows } = await sql<{ name: string }>`select name from user_group
      where site_id = ${siteId} and group_id = ${first?.groupId}`.execute(context().db);
    expect(titles.map(({ title }) => title)).toEqual([
      'Activate 1 person',
      'Set the time zone of 2 people to Europe/Lisbon',
      'Set 2 licenses to No License',
      `Remove 1 person from ${rows[0]?.name}`,
    ]);
    const job = await start('userUpdates', { userIds: [...idsOf(users), 2_000_000_000], isActive: false });
    await run();
    const [item] = await listItems(job.id);
    expect(item?.detail).toContain('@');
    expect(
      (await listItems(job.id, `&search=${item?.detail?.toUpperCase()}`)).map(({ number }) => number),
    ).toEqual([1]);
    await sql`update job_item set label = 'Zoë Ökten' where job_id = ${job.id} and item_no = 2`.execute(
      context().db,
    );
    expect(
      (await listItems(job.id, `&search=${encodeURIComponent('ZOË ök')}`)).map(({ number }) => number),
    ).toEqual([2]);
    const [gone] = await listItems(job.id, '&reason=No%20longer%20on%20this%20site');
    expect(gone).toMatchObject({ number: 3, label: null, detail: null });
    expect((await api.get<JobReason[]>(`jobs/${job.id}/reasons`)).body).toEqual([
      { state: 'conflict', reason: 'No longer on this site', count: 1 },
    ]);
  });

  test('counts outcomes over time in at most 60 steps', async () => {
    const [first, second, third] = await makeUsers(3);
    const job = await start('userUpdates', {
      userIds: [first?.userId, second?.userId, third?.userId, 2_000_000_000],
      isActive: false,
    });
    const path = `jobs/${job.id}/pace`;
    expect((await api.get<JobPace>(path)).body).toEqual({ stepSeconds: 1, startDate: null, steps: [] });
    await run();
    await sql`update job_item set ended_at = timestamptz '2026-10-30 12:00Z' + (case item_no when 1 then 0 when 2 then 9 else 600 end)
      * interval '1 second' where job_id = ${job.id}`.execute(context().db);
    expect((await api.get<JobPace>(path)).body).toEqual({
      stepSeconds: 11,
      startDate: '2026-10-30T12:00:00.000Z',
      steps: [
        { step: 0, done: 2, failed: 0 },
        { step: 54, done: 1, failed: 1 },
      ],
    });
  });

  test('leaves users alone who were changed after the review', async () => {
    const users = await makeUsers(3);
    const reviewedAt = new Date().toISOString();
    await sql`update membership set modified_at = now() + interval '1 second' where user_id = ${users[1]?.userId}`.execute(
      context().db,
    );
    const withoutZone = reviewedAt.replace('Z', '');
    const body = { userIds: idsOf(users), isActive: false, reviewedAt: withoutZone };
    const job = await start('userUpdates', body);
    expect(job.parameters).toMatchObject({ reviewedAt });
    await run();
    expect(await read(job.id)).toMatchObject({ done: 2, conflicts: 1 });
    expect(await readActive()).toEqual([admin.userId, users[1]?.userId]);
  });

  test('a user whose change would leave no administrator fails alone', async () => {
    const users = await makeUsers(70);
    const ids = idsOf(users);
    const groupIds = users.map(({ groupId }) => groupId);
    const job = await start('membershipChanges', {
      memberships: [...ids.slice(0, 35), admin.userId, ...ids.slice(35)].map((userId) => ({
        userId,
        remove: [...groupIds, admin.groupId],
      })),
    });
    await run();
    expect(await read(job.id)).toMatchObject({ state: 'finished', done: 70, failed: 1 });
    const [failed] = await listItems(job.id, '&state=failed');
    expect(failed).toMatchObject({ number: 36, input: { userId: admin.userId } });
    expect(failed?.reason).toMatch(/administrator/);
  });

  test('nobody ends the own access, with which the job makes the other changes', async () => {
    await sql`update session set proven_at = now() where site_id = ${siteId}`.execute(context().db);
    await makePerson(context().db, siteId);
    for (const [path, toBody] of [
      ['userUpdates', (userIds: number[]) => ({ userIds, isActive: false })],
      [
        'licenseChanges',
        (ids: number[]) => ({ licenses: ids.map((userId) => ({ userId, licenseTypeId: 4 })) }),
      ],
      ['userRemovals', (userIds: number[]) => ({ userIds })],
    ] as const) {
      const [before, after] = idsOf(await makeUsers(2));
      const job = await start(path, toBody([before ?? 0, admin.userId, after ?? 0]));
      await run();
      expect((await listItems(job.id)).map(({ state, reason }) => [state, reason])).toEqual([
        ['done', null],
        ['failed', 'A job cannot end the access of the person who started it'],
        ['done', null],
      ]);
    }
  });

  test('users over whom the owner has no authority fail with the missing capabilities', async () => {
    const owner = await makePerson(context().db, siteId, { capabilities: ['Manage Users', 'Read Data'] });
    const [user] = await makeUsers(1);
    const client = as(context().app, owner, 'console');
    const job = await start(
      'userUpdates',
      { userIds: [user?.userId, admin.userId], isActive: false },
      client,
    );
    await run();
    expect((await listItems(job.id)).map(({ state, reason }) => [state, reason?.slice(0, 32)])).toEqual([
      ['done', undefined],
      ['failed', 'Changing how this user signs in'.padEnd(32)],
    ]);
  });

  describe('undo', () => {
    test('restores licenses and groups, and leaves users alone whom someone else changed since', async () => {
      const users = await makeUsers(4);
      const [a = 0, b = 0, c = 0, d = 0] = idsOf(users);
      await api.put('userLicense', { userId: b, licenseTypeId: 2 });
      const job = await start('licenseChanges', {
        licenses: [a, b, c, d].map((userId) => ({ userId, licenseTypeId: 3 })),
      });
      await run();
      const other = await makePerson(context().db, siteId);
      await as(context().app, other).put('userLicense', { userId: c, licenseTypeId: 2 });
      expect((await read(job.id)).undoUntil).not.toBeNull();
      const inverse = (await api.post<Job>(`jobs/${job.id}/inverse`)).body;
      await run();
      expect(await read(inverse.id)).toMatchObject({ inverseOf: job.id, done: 3, conflicts: 1 });
      const licenses = await Promise.all(
        [a, b, c, d].map(async (id) => (await api.get<{ licenseTypeId: number }>(`userLicense/${id}`)).body),
      );
      expect(licenses.map(({ licenseTypeId }) => licenseTypeId)).toEqual([1, 2, 2, 1]);
      expect(await read(job.id)).toMatchObject({ undoUntil: null, inverseJobId: inverse.id });
      expect((await api.post(`jobs/${job.id}/inverse`)).status).toBe(409);
    });

    test('activates the users that the job has deactivated', async () => {
      const [one, other] = idsOf(await makeUsers(2));
      await api.put('user', { id: other, isActive: false });
      const job = await start('userUpdates', { userIds: [one, other], isActive: false });
      await run();
      expect(await readActive()).toEqual([admin.userId]);
      const inverse = (await api.post<Job>(`jobs/${job.id}/inverse`)).body;
      await run();
      expect(await read(inverse.id)).toMatchObject({ title: 'Activate 1 person', done: 1 });
      expect(await readActive()).toEqual([admin.userId, one]);
    });

    test('restores the time zone of each user', async () => {
      const users = await makeUsers(3);
      const [a, b, c] = idsOf(users);
      await setTimeZone([a], 'Asia/Tokyo');
      await run();
      const job = await setTimeZone([a, b, c], 'Europe/Lisbon');
      await run();
      const inverse = (await api.post<Job>(`jobs/${job.id}/inverse`)).body;
      await run();
      expect(await read(inverse.id)).toMatchObject({ done: 3 });
      const zones = await Promise.all(
        [a, b, c].map(async (id) => (await api.get<{ timeZone: string | null }>(`user/${id}`)).body.timeZone),
      );
      expect(zones).toEqual(['Asia/Tokyo', null, null]);
    });

    test('restores the status only of the users whose status the job changed', async () => {
      const [one, other, same] = idsOf(await makeUsers(3));
      await api.put('user', { id: other, isActive: false });
      await api.put('user', { id: same, isActive: false, timeZone: 'Europe/Lisbon' });
      const userIds = [one, other, same];
      const job = await start('userUpdates', { userIds, isActive: false, timeZone: 'Europe/Lisbon' });
      await run();
      expect(await read(job.id)).toMatchObject({ done: 2, unchanged: 1 });
      const inverse = (await api.post<Job>(`jobs/${job.id}/inverse`)).body;
      await run();
      expect(await read(inverse.id)).toMatchObject({ done: 2 });
      expect(await readActive()).toEqual([admin.userId, one]);
      const again = (await api.post<Job>(`jobs/${inverse.id}/inverse`)).body;
      await run();
      expect(await read(again.id)).toMatchObject({ done: 2 });
      expect(await readActive()).toEqual([admin.userId]);
      const zones = await Promise.all(
        userIds.map(async (id) => (await api.get<{ timeZone: string | null }>(`user/${id}`)).body.timeZone),
      );
      expect(zones).toEqual(['Europe/Lisbon', 'Europe/Lisbon', 'Europe/Lisbon']);
    });

    test('restores exactly the memberships that the job changed', async () => {
      const [one, two] = [await makeGroup(context().db, siteId), await makeGroup(context().db, siteId)];
      const [a, b] = await makeUsers(2);
      const before = await readGroups();
      await api.put('user/group', [{ userIds: [a?.userId], groupIds: [one] }]);
      const withOne = await readGroups();
      const job = await start('membershipChanges', {
        memberships: [
          { userId: a?.userId, add: [one, two], remove: [a?.groupId] },
          { userId: b?.userId, add: [one] },
        ],
      });
      await run();
      expect(await read(job.id)).toMatchObject({ done: 2 });
      expect((await readGroups()).length).toBe(withOne.length + 1);
      await api.post(`jobs/${job.id}/inverse`);
      await run();
      expect(await readGroups()).toEqual(withOne);
      expect(withOne.length).toBe(before.length + 1);
    });

    test('is refused for switches that cannot be turned off, and for removed users', async () => {
      await sql`update session set proven_at = now() where site_id = ${siteId}`.execute(context().db);
      const [user] = await makeUsers(1);
      const job = await start('userUpdates', { userIds: [user?.userId], twoFactorEnabled: true });
      const removal = await start('userRemovals', { userIds: [user?.userId] });
      await run();
      expect(await read(removal.id)).toMatchObject({ done: 1, undoUntil: null });
      expect((await api.post(`jobs/${job.id}/inverse`)).status).toBe(409);
      expect((await api.post(`jobs/${removal.id}/inverse`)).status).toBe(409);
    });
  });

  describe('a job stops with the reason when its owner', () => {
    test.each([
      ['may no longer act on the site', 'update membership set is_active = false', 'no longer act'],
      ['has no license', 'update membership set license_type_id = 4', 'no longer act'],
      ['lost the capability', "update user_group set capabilities = '{}'", 'Manage Users'],
      [
        'is away from the approved addresses',
        'update membership set ip_restrictions_enabled = true',
        'approved',
      ],
    ])('%s', async (_name, statement, reason) => {
      const owner = await makePerson(context().db, siteId);
      const [user] = await makeUsers(1);
      const job = await start(
        'userUpdates',
        { userIds: [user?.userId], isActive: false },
        as(context().app, owner, 'console'),
      );
      const where = statement.includes('user_group')
        ? sql`where site_id = ${siteId} and group_id = ${owner.groupId}`
        : sql`where site_id = ${siteId} and user_id = ${owner.userId}`;
      await sql`${sql.raw(statement)} ${where}`.execute(context().db);
      await run();
      const stopped = await read(job.id);
      expect(stopped).toMatchObject({ state: 'stopped', done: 0 });
      expect(stopped.stopReason).toContain(reason);
      expect(await readActive()).toContain(user?.userId);
    });
  });

  describe('pause, resume, cancel and retry', () => {
    test('take effect between two batches, and a retry starts with the failed items only', async () => {
      const users = await makeUsers(3);
      const job = await start('userUpdates', { userIds: idsOf(users), isActive: false });
      expect((await api.post<Job>(`jobs/${job.id}/pause`)).body.state).toBe('paused');
      await run();
      expect(await read(job.id)).toMatchObject({ state: 'paused', done: 0 });
      expect((await api.post(`jobs/${job.id}/pause`)).status).toBe(409);
      await api.post(`jobs/${job.id}/resume`);
      await run();
      expect(await read(job.id)).toMatchObject({ state: 'finished', done: 3 });
      expect((await api.post(`jobs/${job.id}/cancel`)).status).toBe(409);
      expect((await api.post<ErrorBody>(`jobs/${job.id}/retry`)).status).toBe(409);
      const refused = await start('licenseChanges', {
        licenses: [...idsOf(users), admin.userId].map((userId) => ({ userId, licenseTypeId: 4 })),
      });
      await run();
      const retried = (await api.post<Job>(`jobs/${refused.id}/retry`)).body;
      expect(retried).toMatchObject({ total: 1, kind: 'licenses.change' });
      await api.post(`jobs/${retried.id}/cancel`);
      await run();
      expect(await read(retried.id)).toMatchObject({ state: 'cancelled', done: 0, failed: 0 });
    });

    test('other users see jobs with View Activity only, and cancel them with Manage Settings only', async () => {
      const job = await start('userUpdates', { userIds: [1], isActive: false });
      const [viewer, stranger] = await Promise.all([
        makePerson(context().db, siteId, { capabilities: ['View Activity'] }),
        makePerson(context().db, siteId, { capabilities: ['Manage Users'] }),
      ]);
      const see = (who: Person) => as(context().app, who, 'console');
      const ids = async (owner: string) =>
        (await see(viewer).get<Job[]>(`jobs?owner=${owner}`)).body.map(({ id }) => id);
      expect(await ids('others')).toEqual([job.id]);
      expect(await ids('all')).toEqual([job.id]);
      expect(await ids('own')).toEqual([]);
      expect((await api.get<Job[]>('jobs?state=waiting')).body.map(({ id }) => id)).toEqual([job.id]);
      expect((await api.get<Job[]>('jobs?state=finished')).body).toEqual([]);
      expect((await see(viewer).post(`jobs/${job.id}/cancel`)).status).toBe(403);
      expect((await see(stranger).get(`jobs/${job.id}`)).status).toBe(404);
      expect((await see(stranger).get('jobs?owner=others')).status).toBe(403);
      expect((await see(stranger).get('jobs?owner=all')).status).toBe(403);
      expect((await see(stranger).get<Job[]>('jobs')).body).toEqual([]);
    });
  });

  test('jobs begun while acting are apart from those of oneself', async () => {
    const principal = await makePerson(context().db, siteId, { capabilities: ['Access Web Service'] });
    await api.post('user/proxy', { proxyUserId: admin.userId, users: [principal.userId] });
    const own = await start('userUpdates', { userIds: [1], isActive: true });
    const begun = await start('userUpdates', { userIds: [1], isActive: true });
    // Acting delegates no capability that starts a job on users.
    await sql`update job set principal_id = ${principal.userId} where job_id = ${begun.id}`.execute(
      context().db,
    );
    const calls = as(context().app, admin);
    const acting = { headers: { 'as-user': String(principal.userId) } };
    const list = async (path: string, options?: typeof acting) =>
      (await calls.get<Job[]>(path, options)).body.map(({ id }) => id);
    expect(await list('jobs')).toEqual([own.id]);
    expect(await list('jobs?owner=others')).toEqual([begun.id]);
    expect(await list('jobs?owner=all')).toEqual([begun.id, own.id]);
    expect(await list('jobs?owner=all&kinds=users.update&kinds=report')).toEqual([begun.id, own.id]);
    expect(await list('jobs?owner=all&kinds=users.remove')).toEqual([]);
    expect(await list('jobs', acting)).toEqual([begun.id]);
    expect((await calls.get(`jobs/${own.id}`, acting)).status).toBe(404);
    expect((await calls.get(`jobs/${begun.id}`, acting)).body).not.toHaveProperty('principalId');
    await calls.post(`jobs/${begun.id}/pause`, undefined, acting);
    expect((await calls.post(`jobs/${begun.id}/resume`)).status).toBe(403);
    expect((await calls.post(`jobs/${begun.id}/resume`, undefined, acting)).status).toBe(200);
  });

  describe('the order of jobs', () => {
    test('a job waits for its time and for the job before it, and stops when that did not finish', async () => {
      const [user] = await makeUsers(1);
      const body = { userIds: [user?.userId], isActive: false };
      const later = await start('userUpdates', {
        ...body,
        notBefore: new Date(Date.now() + 60_000).toISOString(),
      });
      const after = await start('userUpdates', { ...body, isActive: true, afterJobId: later.id });
      await run();
      expect([(await read(later.id)).state, (await read(after.id)).state]).toEqual(['waiting', 'waiting']);
      await api.post(`jobs/${later.id}/cancel`);
      await run();
      expect(await read(after.id)).toMatchObject({ state: 'stopped' });
      expect(
        (await api.post<ErrorBody>('jobs/userUpdates', { ...body, afterJobId: 2_000_000_000 })).body.errors,
      ).toMatchObject([{ path: 'afterJobId' }]);
    });

    test('a person has at most 22 jobs, of which two run', async () => {
      const bodies = Array.from({ length: 23 }, () => ({ userIds: [1], isActive: true }));
      const replies = [];
      for (const body of bodies) replies.push((await api.post('jobs/userUpdates', body)).status);
      expect(replies).toEqual([...Array.from({ length: 22 }, () => 202), 429]);
      const claims = [];
      for (let count = 0; count < 3; count += 1) claims.push(await claimJob(context().db, ['users.update']));
      expect(claims.map((claim) => claim !== undefined)).toEqual([true, true, false]);
    });

    test('the site whose last turn is longest ago has the next one', async () => {
      const elsewhere = await makePerson(context().db, await makeSite(context().db));
      await start('userUpdates', { userIds: [1], isActive: true });
      await start('userUpdates', { userIds: [1], isActive: true });
      await start('userUpdates', { userIds: [1], isActive: true }, as(context().app, elsewhere, 'console'));
      const sites = [];
      for (let count = 0; count < 3; count += 1)
        sites.push((await claimJob(context().db, ['users.update']))?.siteId);
      expect(sites).toEqual([siteId, elsewhere.siteId, siteId]);
    });

    test('a site with many jobs has every second turn, also when each job ends with its first', async () => {
      const { app, db } = context();
      const elsewhere = await makePerson(db, await makeSite(db));
      const calls = as(app, elsewhere, 'console');
      for (let count = 0; count < 6; count += 1)
        await start('userUpdates', { userIds: [1], isActive: true }, count < 4 ? api : calls);
      const sites = [];
      for (let count = 0; count < 6; count += 1) {
        const job = await claimJob(db, ['users.update']);
        if (!job) throw new Error('No job is due');
        sites.push(job.siteId);
        await db.transaction().execute((tx) => endJob(tx, job));
      }
      expect(sites).toEqual([siteId, elsewhere.siteId, siteId, elsewhere.siteId, siteId, siteId]);
    });

    test('a claim reads open and recently ended jobs only', async () => {
      const scans = await findSequentialScans(context().db, (db) => claimJob(db, ['users.update']));
      expect(scans.map(({ statement, tables }) => [statement.split(' ')[0], tables])).toEqual([
        ['select', []],
        ['update', []],
      ]);
    });
  });

  describe('failures of the service', () => {
    const usersKind = registry.jobKinds.get('users.update');
    const failing = (fail: (call: number) => Error | undefined): JobKind[] => {
      let calls = 0;
      if (!usersKind) throw new Error('The kind does not exist');
      return [
        {
          ...usersKind,
          async run(batch) {
            calls += 1;
            const outcomes = await usersKind.run(batch);
            const error = fail(calls);
            if (error) throw error;
            return outcomes;
          },
        },
      ];
    };

    test('an item that always fails is set aside, and all others are changed once', async () => {
      const users = await makeUsers(60);
      const poison = users[40]?.userId;
      const kinds = failing(() => undefined);
      const [kind] = kinds;
      if (!kind) throw new Error('There is no kind');
      const poisoned: JobKind = {
        ...kind,
        run: (batch) =>
          batch.items.some((item) => 'userId' in item && item.userId === poison)
            ? Promise.reject(new Error('The item is poison'))
            : kind.run(batch),
      };
      const job = await start('userUpdates', { userIds: idsOf(users), isActive: false });
      await run([poisoned]);
      expect(await read(job.id)).toMatchObject({ state: 'finished', done: 59, failed: 1 });
      expect(await listItems(job.id, '&state=failed')).toMatchObject([
        { number: 41, reason: 'The service could not make this change' },
      ]);
      expect((await listAudited('user.update')).length).toBe(59);
    });

    test('a process that lost its claim writes nothing', async () => {
      const users = await makeUsers(4);
      const job = await start('userUpdates', { userIds: idsOf(users), isActive: false });
      const kinds = failing(() => undefined);
      const [kind] = kinds;
      if (!kind) throw new Error('There is no kind');
      const frozen = await claimJob(context().db, ['users.update']);
      await sql`update job set lease_until = now() - interval '1 second' where job_id = ${job.id}`.execute(
        context().db,
      );
      await run();
      expect(frozen?.fence).toBe(1);
      expect(await read(job.id)).toMatchObject({ state: 'finished', done: 4 });
      const { rows } =
        await sql`update job set total = total where job_id = ${job.id} and fence = ${frozen?.fence}
        and state = 'running' returning 1`.execute(context().db);
      expect(rows).toEqual([]);
    });

    test('the job of a process that died goes on at once where no other process uses the database', async () => {
      const job = await start('userUpdates', { userIds: [1], isActive: true });
      expect((await claimJob(context().db, ['users.update']))?.jobId).toBe(job.id);
      expect(await claimJob(context().db, ['users.update'])).toBeUndefined();
      await endAllLeases(context().db);
      expect(await claimJob(context().db, ['users.update'])).toMatchObject({ jobId: job.id, fence: 2 });
    });

    test('a job whose kind this version does not know stays for one that does', async () => {
      const job = await start('userUpdates', { userIds: [1], isActive: true });
      await sql`update job set kind = 'unknown' where job_id = ${job.id}`.execute(context().db);
      await run();
      await sql`update job set kind = 'users.update' where job_id = ${job.id}`.execute(context().db);
      expect(await read(job.id)).toMatchObject({ state: 'waiting' });
    });
  });

  test('invalid requests name the path', async () => {
    const [user] = await makeUsers(1);
    expect(await listInvalidPaths('userUpdates', { userIds: [user?.userId] })).toEqual(['isActive']);
    expect(await listInvalidPaths('userUpdates', { userIds: [], isActive: true })).toEqual(['userIds']);
    const zone = { userIds: [user?.userId], isActive: true, timeZone: 'Moon' };
    expect(await listInvalidPaths('userUpdates', zone)).toEqual(['timeZone']);
    const yearZero = { userIds: [user?.userId], isActive: true, reviewedAt: '0000-01-01T00:00:00Z' };
    expect(await listInvalidPaths('userUpdates', yearZero)).toEqual(['reviewedAt']);
    const license = { userId: user?.userId, licenseTypeId: 1 };
    expect(await listInvalidPaths('licenseChanges', { licenses: [license, license] })).toEqual([
      'licenses.1.userId',
    ]);
  });
});
