/** What jobs do when the database, their owner, their site or another process gets in the way. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Job, JobItem } from '../../../contract/generated/types.gen.ts';
import { DbError, dbErrorCodes } from '../../kernel/db/driver/errors.ts';
import type { JobKind } from '../../kernel/jobs/job-kind.ts';
import { claimJob } from '../../kernel/jobs/jobs.store.ts';
import { createJobTasks, runDueJobs, type JobContext } from '../../kernel/jobs/run-jobs.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import { untilSomebodyWaits } from '../../testing/databases.ts';
import { createJobContext } from '../../testing/jobs.ts';
import { endConnections } from '../../testing/servers/cluster.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { lockUsers } from '../members/index.ts';
import { registry } from '../registry.ts';
import { removeUser } from '../users/index.ts';
import { createJobRetentionTask } from './retention.ts';

/** Users of a job that needs several batches: the first has 50 items, the second at most 100. */
const USERS = 260;

const failure = (code: string) => new DbError('Failed', { code });
const throwTimeout = () => {
  throw failure(dbErrorCodes.statementTimeout);
};
const shiftClock = (minutes: number) => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() + minutes * 60_000);
};

/** The kind `users.update` with something that happens after its `n`-th batch, in the transaction of the batch. */
const withHook = (
  hook: (batch: Parameters<JobKind['run']>[0], n: number) => unknown,
  more: Partial<JobKind> = {},
): JobKind[] => {
  const kind = registry.jobKinds.get('users.update');
  if (!kind) throw new Error('The kind does not exist');
  const changed = { ...kind, ...more };
  let n = 0;
  return [
    {
      ...changed,
      async run(batch) {
        n += 1;
        const outcomes = await changed.run(batch);
        await hook(batch, n);
        return outcomes;
      },
    },
  ];
};

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  let api: ApiClient;
  let userIds: number[] = [];
  beforeEach(async () => {
    await sql`delete from job`.execute(context().db);
    siteId = await makeSite(context().db);
    admin = await makePerson(context().db, siteId);
    api = as(context().app, admin, 'console');
    userIds = await makeMembers(USERS);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Members of the site without groups. */
  const makeMembers = async (count: number): Promise<number[]> => {
    const { rows } = await sql<{ id: number }>`
      with added as (
        insert into account (email, email_key, first_name, last_name, home_site_id)
        select siteless.key, siteless.key, 'P', 'Q', ${siteId}::int
        from generate_series(1, ${count}::int) n, lateral (select n || '@' || gen_random_uuid() as key) siteless
        returning user_id)
      insert into membership (site_id, user_id, license_type_id) select ${siteId}::int, user_id, 1 from added
      returning user_id as id`.execute(context().db);
    return rows.map(({ id }) => id);
  };
  const getContext = (kinds: readonly JobKind[] = []): JobContext => createJobContext(context().db, kinds);
  const run = (kinds: readonly JobKind[] = [], signal?: AbortSignal) => runDueJobs(getContext(kinds), signal);
  const start = async (client = api, body: object = { userIds, isActive: false }) => {
    const reply = await client.post<Job>('jobs/userUpdates', body);
    expect(reply.status).toBe(202);
    return reply.body.id;
  };
  const read = async (id: number) => (await api.get<Job>(`jobs/${id}`)).body;
  const countAudited = async (action = 'user.update') => {
    const { rows } = await sql<{ rows: number; users: number }>`
      select count(*)::int as rows, count(distinct subject_id)::int as users
      from audit_log where site_id = ${siteId} and action = ${action}`.execute(context().db);
    return rows[0];
  };
  const readRow = async (id: number) => {
    const { rows } = await sql<{ fence: number; attempts: number; isLeased: boolean; isDelayed: boolean }>`
      select fence, attempts, lease_until is not null as "isLeased", retry_at is not null as "isDelayed"
      from job where job_id = ${id}`.execute(context().db);
    return rows[0];
  };
  /** Makes a postponed job due. */
  const skipDelay = () => sql`update job set retry_at = null where site_id = ${siteId}`.execute(context().db);

  const restartDatabase = () => endConnections(context().db);

  describe('a job ends with the reason, and what it did stays reported, when in the middle its owner', () => {
    test.each<[string, (batch: Parameters<JobKind['run']>[0], owner: Person) => Promise<unknown>, string]>([
      [
        'is deactivated',
        ({ tx }, { userId }) =>
          sql`update membership set is_active = false where site_id = ${siteId} and user_id = ${userId}`.execute(
            tx,
          ),
        'may no longer act on this site',
      ],
      [
        'loses the capability',
        ({ tx }, { groupId }) =>
          sql`update user_group set capabilities = '{"Read Data"}' where site_id = ${siteId} and group_id = ${groupId}`.execute(
            tx,
          ),
        'Manage Users',
      ],
      [
        'is removed',
        async ({ tx, record }, { userId }) => {
          const [user] = await lockUsers(tx, siteId, [userId]);
          if (user) await removeUser(tx, siteId, user, record);
        },
        'may no longer act on this site',
      ],
    ])('%s', async (_name, act, reason) => {
      const owner = await makePerson(context().db, siteId);
      const id = await start(as(context().app, owner, 'console'));
      await run(withHook((batch, n) => n === 2 && act(batch, owner)));
      const job = await read(id);
      expect(job.state).toBe('stopped');
      expect(job.stopReason).toContain(reason);
      expect(job.done).toBeGreaterThan(50);
      expect(job.done).toBeLessThan(USERS);
      expect(await countAudited()).toEqual({ rows: job.done, users: job.done });
      expect((await countAudited('job.stop'))?.rows).toBe(1);
      const items = (await api.get<JobItem[]>(`jobs/${id}/items?pageSize=1000`)).body;
      expect(items.filter(({ state }) => state === 'done').length).toBe(job.done);
      expect(items.filter(({ state }) => state === 'open').length).toBe(USERS - job.done);
    });

    test('is no longer the proxy of the user on whose behalf the job runs', async () => {
      const principal = await makePerson(context().db, siteId);
      await sql`insert into proxy_assignment (site_id, proxy_id, user_id)
        values (${siteId}, ${admin.userId}, ${principal.userId})`.execute(context().db);
      const id = await start();
      await sql`update job set principal_id = ${principal.userId} where job_id = ${id}`.execute(context().db);
      // An operation that a proxy may call; users cannot be changed on behalf of somebody else.
      const kinds = withHook(
        ({ tx }, n) =>
          n === 2 && sql`delete from proxy_assignment where proxy_id = ${admin.userId}`.execute(tx),
        {
          operation: 'updateEntries',
          run: ({ items }) => Promise.resolve(items.map(() => ({ state: 'done' }) as const)),
        },
      );
      await run(kinds);
      const job = await read(id);
      expect(job.state).toBe('stopped');
      expect(job.stopReason).toContain('on whose behalf');
      expect(job.done).toBeGreaterThan(50);
      expect(job.done).toBeLessThan(USERS);
    });
  });

  describe('every state', () => {
    const STATES = ['waiting', 'running', 'paused', 'finished', 'cancelled', 'stopped'] as const;
    const [OK, STARTED, NO] = [200, 202, 409];
    test.each([
      ['pause', [OK, OK, NO, NO, NO, NO]],
      ['resume', [NO, NO, OK, NO, NO, NO]],
      ['cancel', [OK, OK, OK, NO, NO, NO]],
      ['retry', [NO, NO, NO, STARTED, STARTED, STARTED]],
      ['inverse', [NO, NO, NO, STARTED, STARTED, STARTED]],
    ] as const)(`answers %s in ${STATES.join(', ')} with %j`, async (action, expected) => {
      const statuses: number[] = [];
      for (const state of STATES) {
        const id = await start(api, { userIds: userIds.slice(0, 2), isActive: false });
        // One item failed, one is done, as far as the state has outcomes.
        const hasEnded = state === 'finished' || state === 'cancelled' || state === 'stopped';
        await sql`update job_item set state = case item_no when 1 then 4 else 1 end,
            reason = case item_no when 1 then 'Refused' end where job_id = ${id} and ${hasEnded}`.execute(
          context().db,
        );
        await sql`update job set state = ${state}, done = ${hasEnded ? 1 : 0}, failed = ${hasEnded ? 1 : 0},
          lease_until = case when ${state} = 'running' then now() + interval '1 minute' end,
          finished_at = case when ${hasEnded} then now() end where job_id = ${id}`.execute(context().db);
        const { status } = await api.post(`jobs/${id}/${action}`);
        statuses.push(status);
        const after = await read(id);
        const next = { pause: 'paused', resume: 'waiting', cancel: 'cancelled' };
        expect(after.state).toBe(status === OK && action in next ? next[action as 'pause'] : state);
        await sql`delete from job where site_id = ${siteId}`.execute(context().db);
      }
      expect(statuses).toEqual(expected);
    });

    test.each(['pause', 'cancel'] as const)(
      '%s during a batch takes effect after it, and nothing is done twice',
      async (action) => {
        const id = await start();
        let answer: Promise<{ status: number }> | undefined;
        await run(
          withHook(async (_batch, n) => {
            if (n !== 1) return;
            answer = api.post(`jobs/${id}/${action}`);
            await untilSomebodyWaits(context().db);
          }),
        );
        expect((await answer)?.status).toBe(200);
        const halted = await read(id);
        expect(halted.state).toBe(action === 'pause' ? 'paused' : 'cancelled');
        expect(halted.done).toBeLessThan(USERS);
        expect(await countAudited()).toEqual({ rows: halted.done, users: halted.done });
        if (action === 'cancel') return;
        expect((await api.post(`jobs/${id}/resume`)).status).toBe(200);
        await run();
        expect(await read(id)).toMatchObject({ state: 'finished', done: USERS });
        expect(await countAudited()).toEqual({ rows: USERS, users: USERS });
      },
    );

    test('a job paused and resumed during a batch continues with the next claim', async () => {
      const id = await start();
      await run(
        withHook(({ tx }, n) => {
          if (n === 2)
            return sql`update job set state = 'waiting', lease_until = null where job_id = ${id}`.execute(tx);
          return undefined;
        }),
      );
      expect(await read(id)).toMatchObject({ state: 'finished', done: USERS });
      expect((await readRow(id))?.fence).toBeGreaterThan(1);
      expect(await countAudited()).toEqual({ rows: USERS, users: USERS });
    });

    test('two requests to undo a job start one inverse', async () => {
      const id = await start(api, { userIds: userIds.slice(0, 3), isActive: false });
      await run();
      const replies = await Promise.all([1, 2, 3].map(() => api.post(`jobs/${id}/inverse`)));
      expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409, 409]);
    });
  });

  test('of 50 jobs started at once by one person 22 are accepted and end', async () => {
    const replies = await Promise.all(
      userIds
        .slice(0, 50)
        .map((userId) =>
          api.post<Job & ErrorBody>('jobs/userUpdates', { userIds: [userId], isActive: false }),
        ),
    );
    const accepted = replies.filter(({ status }) => status === 202);
    expect(accepted.length).toBe(22);
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBe(28);
    expect(refused[0]?.body.message).toContain('22 jobs');
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
    const tasks = createJobTasks(getContext());
    await Promise.all(tasks.map((task) => runTask(task)));
    const { body } = await api.get<Job[]>('jobs?pageSize=100');
    expect(body.map(({ state, done }) => [state, done])).toEqual(
      Array.from({ length: 22 }, () => ['finished', 1]),
    );
    expect(await countAudited()).toEqual({ rows: 22, users: 22 });
  });

  describe('the turns', () => {
    test('a waiting job does not wait for the end of two long ones', async () => {
      const other = await makePerson(context().db, siteId);
      const long = [await start(), await start(api, { userIds, isActive: true })];
      const kinds = ['users.update'];
      const claims = [await claimJob(context().db, kinds), await claimJob(context().db, kinds)];
      const short = await start(as(context().app, other, 'console'), {
        userIds: userIds.slice(0, 1),
        isActive: true,
      });
      expect(claims.map((claim) => claim?.jobId)).toEqual(long);
      // The turn of the first one ends.
      await sql`update job set lease_until = null, last_turn_at = clock_timestamp() where job_id = ${long[0]}`.execute(
        context().db,
      );
      expect((await claimJob(context().db, kinds))?.jobId).toBe(short);
    });

    test('jobs of a kind that this version does not know take no place of their owner', async () => {
      for (let count = 0; count < 2; count += 1) {
        const id = await start();
        await sql`update job set kind = 'unknown', state = 'running' where job_id = ${id}`.execute(
          context().db,
        );
      }
      const id = await start();
      await run();
      expect(await read(id)).toMatchObject({ state: 'finished' });
    });

    test('a batch that is refused after a whole turn is halved in the next one', async () => {
      vi.useFakeTimers({ toFake: ['performance'] });
      const ids = userIds.slice(0, 12);
      const id = await start(api, { userIds: ids, isActive: false });
      const sizes: number[] = [];
      await run(
        withHook(({ items }) => {
          sizes.push(items.length);
          if (items.length === 1 || !items.some((item) => 'userId' in item && item.userId === ids[0])) return;
          // Longer than a turn, as a statement that runs into its timeout.
          vi.advanceTimersByTime(3_000);
          throw failure(dbErrorCodes.statementTimeout);
        }),
      );
      expect(await read(id)).toMatchObject({ state: 'finished', done: 12 });
      expect(sizes.slice(0, 4)).toEqual([12, 12, 12, 6]);
    });
  });

  describe('a process that stops', () => {
    test('ends the running batch and releases the job for the next one', async () => {
      const id = await start();
      const stopping = new AbortController();
      await run(
        withHook(() => {
          stopping.abort();
        }),
        stopping.signal,
      );
      expect(await read(id)).toMatchObject({ state: 'running', done: 50 });
      expect(await readRow(id)).toMatchObject({ fence: 1, isLeased: false });
      await run();
      expect(await read(id)).toMatchObject({ state: 'finished', done: USERS });
    });
  });

  describe('the database', () => {
    test('that was away counts against no job, which continues as soon as it is back', async () => {
      const id = await start();
      let failures = 0;
      const [lane] = createJobTasks(
        getContext(
          withHook(async (_batch, n) => {
            if (n === 1 || failures === 6) return;
            failures += 1;
            if (context().database.kind === 'postgres') await restartDatabase();
            throw failure(dbErrorCodes.connectionLost);
          }),
        ),
      );
      if (!lane) throw new Error('There is no lane');
      for (let count = 1; count <= 6; count += 1) {
        await expect(lane.run()).rejects.toThrow(DbError);
        // Connections that the server has ended are replaced as they are found.
        await vi.waitFor(
          async () =>
            expect(await readRow(id)).toMatchObject({ attempts: 0, isDelayed: false, isLeased: true }),
          { timeout: 20_000 },
        );
      }
      await vi.waitFor(() => lane.run(), { timeout: 30_000 });
      expect(await read(id)).toMatchObject({ state: 'finished', done: USERS });
      expect(await countAudited()).toEqual({ rows: USERS, users: USERS });
    });

    test('whose statements time out delays a job but never stops it', async () => {
      const id = await start();
      for (let count = 1; count <= 7; count += 1) {
        // Before any item was read: nothing says that one of them is the cause.
        await run(withHook(() => {}, { locksSite: throwTimeout }));
        expect(await read(id)).toMatchObject({ state: 'running', done: 0 });
        expect(await readRow(id)).toMatchObject({ attempts: count, isDelayed: true, isLeased: false });
        await skipDelay();
      }
      await run();
      expect(await read(id)).toMatchObject({ state: 'finished', done: USERS, failed: 0 });
    });

    test('whose locks an item cannot get is asked again before the item fails', async () => {
      const [first] = userIds;
      const id = await start(api, { userIds: [first], isActive: false });
      let failures = 0;
      const kinds = withHook(() => {
        failures += 1;
        if (failures < 3) throw failure(dbErrorCodes.statementTimeout);
      });
      await run(kinds);
      expect(await read(id)).toMatchObject({ state: 'running', failed: 0 });
      await skipDelay();
      await run(kinds);
      await skipDelay();
      await run(kinds);
      expect(await read(id)).toMatchObject({ state: 'finished', done: 1, failed: 0 });
      const again = await start(api, { userIds: [first], isActive: true });
      const hopeless = withHook(throwTimeout);
      for (let count = 0; count < 5; count += 1) {
        await run(hopeless);
        await skipDelay();
      }
      expect(await read(again)).toMatchObject({ state: 'finished', failed: 1 });
    });
  });

  describe('a process whose clock is ten minutes off', () => {
    test.each([10, -10])('(%i) neither takes a held job nor starts one before its time', async (minutes) => {
      const held = await start();
      const claim = await claimJob(context().db, ['users.update']);
      expect(claim?.jobId).toBe(held);
      const later = await start(api, {
        userIds,
        isActive: true,
        notBefore: new Date(Date.now() + 300_000).toISOString(),
      });
      shiftClock(minutes);
      await run();
      expect(await read(held)).toMatchObject({ state: 'running', done: 0 });
      expect(await readRow(held)).toMatchObject({ fence: 1 });
      expect(await read(later)).toMatchObject({ state: 'waiting' });
    });

    test.each([10, -10])('(%i) ends a job at the time of the database', async (minutes) => {
      const realTime = Date.now();
      const id = await start();
      shiftClock(minutes);
      await run();
      const job = await read(id);
      expect(job).toMatchObject({ state: 'finished', done: USERS });
      expect(Math.abs(Date.parse(job.finishedDate ?? '') - realTime)).toBeLessThan(120_000);
    });

    test('undoes a job as long as the database says', async () => {
      const [inTime, tooLate] = [
        await start(api, { userIds: userIds.slice(0, 1), isActive: false }),
        await start(api, { userIds: userIds.slice(1, 2), isActive: false }),
      ];
      await run();
      await sql`update job set finished_at = now() - interval '23 hours 55 minutes' where job_id = ${inTime}`.execute(
        context().db,
      );
      await sql`update job set finished_at = now() - interval '24 hours 5 minutes' where job_id = ${tooLate}`.execute(
        context().db,
      );
      shiftClock(10);
      expect((await api.post(`jobs/${inTime}/inverse`)).status).toBe(202);
      vi.useRealTimers();
      shiftClock(-10);
      expect((await api.post(`jobs/${tooLate}/inverse`)).status).toBe(409);
      expect((await read(tooLate)).undoUntil).toBeNull();
    });
  });

  test('a batch that takes longer than the lease is not taken over', async ({ skip }) => {
    if (context().database.kind === 'embedded') skip('The embedded database has one process');
    const id = await start();
    const claims: unknown[] = [];
    const kinds = withHook(async (_batch, n) => {
      if (n !== 1) return;
      await vi.waitUntil(
        async () => {
          const { rows } = await sql`select 1 from job where job_id = ${id} and lease_until < now()`.execute(
            context().db,
          );
          return rows.length > 0;
        },
        { timeout: 20_000 },
      );
      claims.push(await claimJob(context().db, ['users.update']));
    });
    await runDueJobs({ ...getContext(kinds), leaseSeconds: 0.05 });
    expect(claims).toEqual([undefined]);
    expect(await read(id)).toMatchObject({ state: 'finished', done: USERS });
    expect(await countAudited()).toEqual({ rows: USERS, users: USERS });
  });

  test('retention deletes what was asked after 90 days and ended jobs after a year', async () => {
    const [recent, old, ancient] = [await start(), await start(), await start()];
    await sql`update job_item set state = 4, reason = 'Refused' where site_id = ${siteId}`.execute(
      context().db,
    );
    for (const [id, days] of [
      [recent, 89],
      [old, 91],
      [ancient, 366],
    ] as const)
      await sql`update job set state = 'finished', failed = total, finished_at = now() - make_interval(days => ${days})
        where job_id = ${id}`.execute(context().db);
    await runTask(createJobRetentionTask({ db: context().db }));
    const { rows } = await sql<{ id: number; items: number; asked: number }>`
      select job_id as id, count(*)::int as items, (count(*) filter (where input::text <> '{}'))::int as asked
      from job join job_item i using (site_id, job_id) where site_id = ${siteId} group by job_id order by 1`.execute(
      context().db,
    );
    expect(rows).toEqual([
      { id: recent, items: USERS, asked: USERS },
      { id: old, items: USERS, asked: 0 },
    ]);
    expect((await api.get(`jobs/${ancient}`)).status).toBe(404);
    expect((await api.post(`jobs/${recent}/retry`)).status).toBe(202);
    const refused = await api.post<ErrorBody>(`jobs/${old}/retry`);
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('90 days')]);
  });
});
