/** What goes wrong during an import: nothing is stored in part, and the next import finds the site as it should be. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Email, ImportBudget, ImportResult, Job } from '../../../../contract/generated/types.gen.ts';
import { getActor } from '../../../kernel/audit/change.ts';
import type { Caller } from '../../../kernel/auth/caller.ts';
import { findAccessToken } from '../../../kernel/auth/callers.store.ts';
import { isEmbedded, openDatabase } from '../../../kernel/db/database.ts';
import { DbError } from '../../../kernel/db/driver/errors.ts';
import { hashSecret } from '../../../kernel/secret.ts';
import { countWaiting, createTestDatabase, onEachKind } from '../../../testing/databases.ts';
import { runJobs } from '../../../testing/jobs.ts';
import { startImportProcess } from '../../../testing/processes/import-process.ts';
import { resumeProcess } from '../../../testing/processes/job-process.ts';
import { getKillCount, startKills } from '../../../testing/processes/kills.ts';
import { startService } from '../../../testing/processes/service-process.ts';
import {
  enableRelationships,
  getCounts,
  importEmails,
  makeEmails,
  resetGate,
  RI_PATH,
} from '../../../testing/relationships.ts';
import { endConnections } from '../../../testing/servers/cluster.ts';
import { as, contract, makePerson, makeSite, onEachApp, type Person } from '../../../testing/site.ts';
import { admit, renewLease, REQUESTS_PER_WINDOW, WINDOW_SECONDS } from './gate.store.ts';
import { runImport } from './run-import.ts';

onEachApp((context) => {
  let person: Person;
  let caller: Caller;
  let siteId = 0;
  beforeEach(async () => {
    const { db } = context();
    siteId = await makeSite(db);
    person = await makePerson(db, siteId);
    await enableRelationships(db, siteId, [person.userId]);
    caller = await loadCaller(person);
  });
  const loadCaller = async ({ token }: Person): Promise<Caller> => {
    const found = await findAccessToken(context().db, hashSecret(token), '127.0.0.1', undefined);
    if (!found) throw new Error('The token is not valid');
    return found.caller;
  };
  afterEach(() => void vi.useRealTimers());

  /** Imports three e-mails; `happen` runs when the import reads its body, before the last piece of it. */
  const importWith = (
    happen: () => Promise<unknown>,
    first = '',
    importer: Caller = caller,
  ): Promise<ImportResult[]> => {
    const body = JSON.stringify([{ userId: importer.userId, handlerType: 1, emails: makeEmails(3) }]);
    async function* arrive() {
      if (first !== '') yield Buffer.from(first);
      await happen();
      yield Buffer.from(body);
    }
    const origin = { requestId: randomUUID(), ip: '127.0.0.1', userAgent: undefined };
    return runImport(
      { db: context().db, contract },
      {
        kind: 'emails',
        isDryRun: false,
        body: { stream: Readable.from(arrive()), isPacked: false },
        caller: importer,
        actor: getActor({ caller: importer, origin }),
        jobId: null,
      },
    );
  };
  /** A further site whose import waits for the rest of its body until `resume`. */
  const importElsewhere = async () => {
    const { db } = context();
    const otherSite = await makeSite(db);
    const other = await makePerson(db, otherSite);
    await enableRelationships(db, otherSite, [other.userId]);
    const [arriving, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const wait = () => {
      arriving.resolve();
      return rest.promise;
    };
    const done = importWith(wait, '', await loadCaller(other));
    await arriving.promise;
    return { done, resume: () => rest.resolve() };
  };
  const countRows = async () => {
    const { rows } = await sql<{ items: number; links: number; relations: number; audits: number }>`
      select (select count(*)::int from ri_item where site_id = ${siteId}) as items,
        (select count(*)::int from ri_item_user where site_id = ${siteId}) as links,
        (select count(*)::int from ri_relation where site_id = ${siteId}) as relations,
        (select count(*)::int from audit_log where site_id = ${siteId} and action = 'relationships.import') as audits`.execute(
      context().db,
    );
    return rows[0];
  };
  const NOTHING = { items: 0, links: 0, relations: 0, audits: 0 };

  test.each([
    [
      'another process takes over after the lease has lapsed',
      409,
      () => sql`update ri_gate set fence = fence + 1, lease_until = now() + interval '1 minute'
        where site_id = ${siteId}`,
    ],
    [
      'the site switches imports off',
      400,
      () => sql`update ri_setting set is_enabled = false where site_id = ${siteId}`,
    ],
    ['the caller loses the capability', 401, () => sql`delete from group_member where site_id = ${siteId}`],
    ['a user is disabled', 409, () => sql`update ri_user set is_enabled = false where site_id = ${siteId}`],
  ])('stores nothing when %s', async (_name, status, change) => {
    await expect(importWith(() => change().execute(context().db))).rejects.toMatchObject({ status });
    expect(await countRows()).toEqual(NOTHING);
    const { rows } = await sql<{ isHeld: boolean; refusal: string }>`
      select g.lease_until is not null as "isHeld", r.refusal from ri_gate g join ri_run r using (site_id)
      where site_id = ${siteId}`.execute(context().db);
    // The lease of the process that took over stays.
    expect([rows[0]?.isHeld, rows[0]?.refusal.startsWith(`${status}: `)]).toEqual([
      _name.includes('takes over'),
      true,
    ]);
  });

  test('an address that is excluded and erased while the body arrives is not stored, nor when it is sent again', async () => {
    const api = as(context().app, person, 'console');
    const exclude = () => api.post(`${RI_PATH}/exclusions`, { value: 'person1@outside.test' });
    const erase = () => api.post(`${RI_PATH}/erasures`, { address: 'person1@outside.test' });
    const happen = async () => {
      expect([(await exclude()).status, (await erase()).status]).toEqual([200, 200]);
    };
    await expect(importWith(happen)).rejects.toMatchObject({
      status: 409,
      message: 'A person was erased during the import; send the request again',
    });
    expect(await countRows()).toEqual(NOTHING);
    expect((await importWith(async () => {})).map(getCounts)).toEqual([[3, 2, 0, 1]]);
  });

  test('a connection that breaks while the body arrives releases the site', async () => {
    await expect(importWith(() => Promise.reject(new Error('The client is gone')))).rejects.toThrow(
      'is gone',
    );
    expect(await countRows()).toEqual(NOTHING);
    expect((await importWith(async () => {})).map(getCounts)).toEqual([[3, 3, 0, 0]]);
  });

  test('while this process imports for two other sites, a request is 503 and a job waits', async () => {
    const { db, app } = context();
    const others = [await importElsewhere(), await importElsewhere()];
    const emails = makeEmails(2);
    const refused = await importEmails(as(app, person), [{ userId: person.userId, emails }]);
    expect([refused.status, refused.text, refused.headers['retry-after']]).toEqual([
      503,
      expect.stringContaining('Imports of other sites are running'),
      '2',
    ]);
    const api = as(app, person, 'console');
    const items = [{ userId: person.userId, emails }];
    const { body } = await api.post<Job>(`${RI_PATH}/import/jobs`, { kind: 'emails', items });
    await runJobs(db);
    expect((await api.get<Job>(`jobs/${body.id}`)).body).toMatchObject({
      state: 'waiting',
      retryReason: 'Imports of other sites are running',
    });
    // Nothing of them counts to the requests of the site.
    expect((await api.get<ImportBudget>(`${RI_PATH}/import/budget`)).body.used).toBe(0);
    for (const { resume } of others) resume();
    const results = await Promise.all(others.map(({ done }) => done));
    expect(results.map((each) => each.map(getCounts))).toEqual([[[3, 3, 0, 0]], [[3, 3, 0, 0]]]);
    await sql`update job set retry_at = now() - interval '1 second' where job_id = ${body.id}`.execute(db);
    await runJobs(db);
    expect((await api.get<Job>(`jobs/${body.id}`)).body).toMatchObject({ state: 'finished', done: 1 });
  });

  test('a restart of PostgreSQL during an import stores nothing of it, and the same e-mails can be sent again', async ({
    skip,
  }) => {
    const { db } = context();
    skip(isEmbedded(db), 'The embedded database is part of the process');
    const [locked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const locker = db.transaction().execute(async (tx) => {
      await sql`select from ri_setting where site_id = ${siteId} for update`.execute(tx);
      locked.resolve();
      await ended.promise;
    });
    await locked.promise;
    // The transaction of the import waits for the settings.
    const importing = Promise.allSettled([importWith(async () => {})]);
    await expect.poll(() => countWaiting(db)).toBe(1);
    await endConnections(db);
    const [outcome] = await importing;
    expect(outcome.status === 'rejected' && outcome.reason instanceof DbError).toBe(true);
    ended.resolve();
    await expect(locker).rejects.toBeInstanceOf(DbError);
    // A connection of the pool may still have to read that it was closed.
    await expect.poll(countRows).toEqual(NOTHING);
    // The lease lapses where its end could not be stored.
    await resetGate(db, siteId);
    expect((await importWith(async () => {})).map(getCounts)).toEqual([[3, 3, 0, 0]]);
    expect(await countRows()).toMatchObject({ items: 3, links: 3, audits: 1 });
  });

  test('an upload over a slow line holds no transaction, and what is changed meanwhile counts', async () => {
    const { db } = context();
    const counts = await importWith(async () => {
      await sql`update ri_setting set internal_domains = '{slow.example}' where site_id = ${siteId}`.execute(
        db,
      );
      // The thread has the first part, which is longer than what is read without it.
    }, ' '.repeat(200_000));
    expect(counts.map(getCounts)).toEqual([[3, 3, 0, 0]]);
    await resetGate(db, siteId);
    const off = () => sql`update ri_setting set is_enabled = false where site_id = ${siteId}`.execute(db);
    await expect(importWith(off, ' '.repeat(200_000))).rejects.toMatchObject({ status: 400 });
  });

  test('a clock of the process that is ten minutes off changes neither the limit nor the lease', async () => {
    const api = as(context().app, person, 'console');
    const request = [{ userId: person.userId, emails: makeEmails(1) }];
    for (const minutes of [10, -10, 10, -10, 10]) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 });
      expect((await importEmails(api, request)).status).toBe(200);
      vi.useRealTimers();
    }
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 });
    expect((await importEmails(api, request)).status).toBe(429);
  });

  test('only the holder of the lease prolongs it', async () => {
    const { db } = context();
    const { fence } = await admit(db, { siteId, userId: person.userId, takesLease: true });
    await sql`update ri_gate set lease_until = now() - interval '1 second' where site_id = ${siteId}`.execute(
      db,
    );
    const isHeld = async () => {
      const { rows } = await sql<{ held: boolean }>`select lease_until > now() as held from ri_gate
        where site_id = ${siteId}`.execute(db);
      return rows[0]?.held;
    };
    await renewLease(db, { siteId, fence: fence - 1 });
    expect(await isHeld()).toBe(false);
    await renewLease(db, { siteId, fence });
    expect(await isHeld()).toBe(true);
  });

  test('of 30 requests at once exactly five are admitted, and of 30 imports one', async () => {
    const ask = (takesLease: boolean) =>
      Promise.all(
        Array.from({ length: 30 }, () => admit(context().db, { siteId, userId: person.userId, takesLease })),
      );
    const reads = await ask(false);
    expect(reads.filter(({ isLimited }) => !isLimited)).toHaveLength(5);
    await resetGate(context().db, siteId);
    const imports = await ask(true);
    expect(imports.filter(({ isBusy, isLimited }) => !isBusy && !isLimited)).toHaveLength(1);
  });
});

const SHARE = { embedded: 1, postgres: 2 };
/** Statements of a request with two batches. */
const MAX_STATEMENT = 24;

onEachKind((kind) => {
  const kills = getKillCount(kind, SHARE);
  test(
    `kill -9 between any two statements, ${kills} times: sent again, each e-mail is stored once, and the counts are the stored rows`,
    async () => {
      const testDatabase = await createTestDatabase(kind);
      const first = await openDatabase(testDatabase);
      const siteId = await makeSite(first.db);
      const person = await makePerson(first.db, siteId);
      await enableRelationships(first.db, siteId, [person.userId]);
      await first.close();
      const { databaseUrl, dataDir } = testDatabase;
      // On PostgreSQL enough for the thread, so that the rows are copied.
      const count = kind === 'postgres' ? 700 : 300;
      let interrupted: readonly Email[] = [];
      const { random, report } = startKills('imports', kind);
      for (let kill = 0; kill <= kills; kill += 1) {
        const emails = makeEmails(count, {}, `kill-${kill}`);
        const statement = random.between(1, MAX_STATEMENT);
        const { exited } = startImportProcess({
          databaseUrl,
          dataDir,
          siteId,
          userId: person.userId,
          token: person.token,
          emails,
          ...(interrupted.length > 0 && { interrupted }),
          ...(kill < kills && { fault: { signal: 'SIGKILL', statement, isDuring: kill % 2 === 0 } }),
        });
        expect(await exited).toBe(kill < kills ? null : 0);
        interrupted = emails;
      }
      const { db, close } = await openDatabase(testDatabase);
      const { rows } = await sql<{ items: number }>`
      select (select sum(added)::int from ri_run) as added, (select count(*)::int from ri_item) as items,
        (select count(*)::int from ri_item_user) as links, (select sum(received)::int from ri_relation) as related,
        (select sum((changes #>> '{added,1}')::int)::int from audit_log where action = 'relationships.import') as audited`.execute(
        db,
      );
      const [counts] = rows;
      await close();
      await testDatabase.remove();
      const n = (kills + 1) * count;
      report({ kills, writes: n, lost: n - (counts?.items ?? 0) });
      expect(counts).toEqual({ added: n, items: n, links: n, related: n, audited: n });
    },
    60_000 + kills * 15_000,
  );
});

test.skipIf(process.env['STEWARD_TEST_DATABASES'] === 'embedded')(
  'a process that was frozen before its last statement, while another imported, stores nothing',
  async () => {
    const testDatabase = await createTestDatabase('postgres');
    const { db, close } = await openDatabase(testDatabase);
    const siteId = await makeSite(db);
    const { userId, token } = await makePerson(db, siteId);
    await enableRelationships(db, siteId, [userId]);
    const { databaseUrl, dataDir } = testDatabase;
    const task = { databaseUrl, dataDir, siteId, userId, token };
    const frozen = startImportProcess({
      ...task,
      emails: makeEmails(5),
      fault: { signal: 'SIGSTOP', statement: 1, text: 'set holder_user_id = null' },
    });
    await frozen.frozen;
    await sql`update ri_gate set lease_until = now() - interval '1 second' where site_id = ${siteId}`.execute(
      db,
    );
    const { fence } = await admit(db, { siteId, userId, takesLease: true });
    expect(fence).toBe(2);
    resumeProcess(frozen.child);
    expect(await frozen.exited).toBe(1);
    const { rows } = await sql`select (select count(*)::int from ri_item) as items,
      (select fence from ri_gate where site_id = ${siteId} and lease_until > now()) as fence`.execute(db);
    expect(rows).toEqual([{ items: 0, fence: 2 }]);
    await close();
    await testDatabase.remove();
  },
);

/** Sets the clock of a process ten minutes ahead. */
const FAST_CLOCK = `const Real = Date;
  const now = () => Real.now() + 600_000;
  globalThis.Date = class extends Real {
    constructor(...parts) { if (parts.length > 0) super(...parts); else super(now()); }
    static now() { return now(); }
  };`;
const PROCESSES = 3;
/** `npm test` sends a share. */
const POSTS = process.env['STEWARD_PROOF'] === undefined ? 60 : 300;
/** Posts that are sent together. */
const POSTS_AT_ONCE = 60;

test.skipIf(process.env['STEWARD_TEST_DATABASES'] === 'embedded')(
  `of ${POSTS} identical posts to ${PROCESSES} processes, one with a clock that is ahead, five a minute are imported, and the items once`,
  async () => {
    const testDatabase = await createTestDatabase('postgres');
    const { db, close } = await openDatabase(testDatabase);
    const siteId = await makeSite(db);
    const { userId, token } = await makePerson(db, siteId);
    await enableRelationships(db, siteId, [userId]);
    const emails = makeEmails(200);
    const body = JSON.stringify([{ userId, handlerType: 1, emails }]);
    const preload = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(FAST_CLOCK)}` };
    const processes = await Promise.all(
      Array.from({ length: PROCESSES }, (_, index) => startService(testDatabase, index === 0 ? preload : {})),
    );
    onTestFinished(async () => {
      for (const { child, exited } of processes) {
        child.kill('SIGKILL');
        await exited;
      }
      await close();
      await testDatabase.remove();
    });
    const times = await Promise.all(processes.map((each) => each.waitForRecord('listening')));
    expect(times.map(({ time }) => Date.parse(time) > Date.now() + 300_000)).toEqual([true, false, false]);
    const post = async (index: number) => {
      const response = await fetch(`${processes[index % PROCESSES]?.address}${RI_PATH}/import/emails`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body,
      });
      const answer = (await response.json()) as ImportResult[] | { message: string };
      return { status: response.status, retryAfter: response.headers.get('retry-after'), answer };
    };
    const answers: Awaited<ReturnType<typeof post>>[] = [];
    while (answers.length < POSTS)
      answers.push(...(await Promise.all(Array.from({ length: POSTS_AT_ONCE }, (_, index) => post(index)))));
    // One after the other until the budget is used up, which each process then says.
    for (let index = 0; index < REQUESTS_PER_WINDOW + PROCESSES; index += 1) answers.push(await post(index));

    const isRefusal = ({ status, retryAfter, answer }: (typeof answers)[number]) =>
      status === 429 &&
      !Array.isArray(answer) &&
      /^(Another import of this site is running|The site has sent 5 requests)/.test(answer.message) &&
      Number(retryAfter) > 0 &&
      Number(retryAfter) <= WINDOW_SECONDS;
    const others = answers.filter((each) => !isRefusal(each));
    expect(others.filter(({ status }) => status !== 200)).toEqual([]);
    const results = others.flatMap(({ answer }) => (Array.isArray(answer) ? answer : []));
    const counts = results.map(getCounts).toSorted(([, one = 0], [, other = 0]) => other - one);
    const count = emails.length;
    expect(counts).toEqual([
      [count, count, 0, 0],
      ...Array.from({ length: results.length - 1 }, () => [count, 0, count, 0]),
    ]);
    const { rows } = await sql<{ items: number; links: number; related: number; starts: number[] }>`
      select (select count(*)::int from ri_item where site_id = ${siteId}) as items,
        (select count(*)::int from ri_item_user where site_id = ${siteId}) as links,
        (select sum(sent + received)::int from ri_relation where site_id = ${siteId}) as related,
        (select json_agg(extract(epoch from started_at) order by started_at) from ri_run where site_id = ${siteId}) as starts`.execute(
      db,
    );
    const [stored] = rows;
    expect(stored).toMatchObject({ items: count, links: count, related: count });
    const starts = stored?.starts ?? [];
    expect(starts).toHaveLength(results.length);
    expect(starts.length).toBeGreaterThanOrEqual(REQUESTS_PER_WINDOW);
    for (const [index, start] of starts.entries())
      expect((starts[index + REQUESTS_PER_WINDOW] ?? Infinity) - start).toBeGreaterThanOrEqual(
        WINDOW_SECONDS - 0.001,
      );
  },
  180_000,
);
