/** Imports that jobs carry out. */
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import type { ImportBudget, ImportRun, Job, JobItem } from '../../../../contract/generated/types.gen.ts';
import { type Db, isEmbedded } from '../../../kernel/db/database.ts';
import type { JobKind } from '../../../kernel/jobs/job-kind.ts';
import type { ApiClient, ErrorBody } from '../../../testing/calls.ts';
import { runJobs } from '../../../testing/jobs.ts';
import {
  enableRelationships,
  importEmails,
  makeEmails,
  resetGate,
  RI_PATH,
} from '../../../testing/relationships.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../../testing/site.ts';
import { eraseDuring } from '../settings/erase-during.fixture.ts';
import { admit } from './gate.store.ts';
import { importJob } from './import-job.ts';

/** The first outside person of `makeEmails`. */
const ERASED = 'person0@outside.test';

const item = (userId: number, prefix: string) => ({ userId, emails: makeEmails(2, {}, prefix) });

/** Starts a job with these items and runs it until it ends or waits. */
async function runImportJob(
  db: Db,
  api: ApiClient,
  items: readonly object[],
  kinds?: readonly JobKind[],
): Promise<Job> {
  const { body } = await api.post<Job>(`${RI_PATH}/import/jobs`, { kind: 'emails', items });
  await runJobs(db, kinds);
  return (await api.get<Job>(`jobs/${body.id}`)).body;
}

const listRuns = async (api: ApiClient): Promise<ImportRun[]> =>
  (await api.get<ImportRun[]>(`${RI_PATH}/import/runs`)).body.toReversed();

const listOutcomes = async (api: ApiClient, jobId: number) =>
  (await api.get<JobItem[]>(`jobs/${jobId}/items`)).body.map(({ state, reason }) => [state, reason]);

onEachApp((context) => {
  test('a job imports its items as requests of the site, and waits for the limit', async () => {
    const { db, app } = context();
    const siteId = await makeSite(db);
    const [person, other, disabled] = [
      await makePerson(db, siteId),
      await makePerson(db, siteId),
      await makePerson(db, siteId),
    ];
    await enableRelationships(db, siteId, [person.userId, other.userId]);
    const api = as(app, person, 'console');
    const refused = await api.post<ErrorBody>(`${RI_PATH}/import/jobs`, {
      kind: 'emails',
      items: [item(person.userId, 'a'), { userId: other.userId }, { userId: disabled.userId }],
    });
    expect(refused.status).toBe(400);
    expect(refused.body.errors?.map(({ path }) => path)).toEqual(['items.1.emails', 'items.2.emails']);
    const { status, body } = await api.post<Job>(`${RI_PATH}/import/jobs`, {
      kind: 'emails',
      fileName: 'march.mbox',
      items: [
        item(person.userId, 'a'),
        item(other.userId, 'b'),
        item(disabled.userId, 'c'),
        item(person.userId, 'a'),
      ],
    });
    expect([status, body.title]).toEqual([202, 'Import e-mails from march.mbox in 4 batches']);
    await sql`insert into ri_gate (site_id, hits) values (${siteId}, array_fill(now(), array[5]))`.execute(
      db,
    );
    await runJobs(db);
    const waiting = await api.get<Job>(`jobs/${body.id}`);
    expect([waiting.body.state, waiting.body.done]).toEqual(['waiting', 0]);
    expect(waiting.body.retryReason).toContain('5 requests within a minute');
    await sql`update ri_gate set hits = '{}' where site_id = ${siteId}`.execute(db);
    await sql`update job set retry_at = now() - interval '1 second' where job_id = ${body.id}`.execute(db);
    await runJobs(db);
    const finished = await api.get<Job>(`jobs/${body.id}`);
    expect(finished.body).toMatchObject({ state: 'finished', done: 2, unchanged: 1, failed: 1 });
    const items = await api.get<JobItem[]>(`jobs/${body.id}/items`);
    expect(items.body.map(({ state, reason }) => [state, reason])).toEqual([
      ['done', null],
      ['done', null],
      ['failed', 'User not enabled'],
      ['unchanged', null],
    ]);
    // The second item of a user needs a request of its own.
    const runs = await api.get<ImportRun[]>(`${RI_PATH}/import/runs`);
    expect(runs.body.map(({ jobId, counts }) => [jobId, counts.received, counts.added])).toEqual([
      [body.id, 2, 0],
      [body.id, 6, 4],
    ]);
  });

  /** A site with enabled users, of whom the first calls. */
  const makeEnabled = async (
    count: number,
  ): Promise<{ api: ApiClient; siteId: number; people: Person[] }> => {
    const { db, app } = context();
    const siteId = await makeSite(db);
    const people = [];
    for (let at = 0; at < count; at += 1) people.push(await makePerson(db, siteId));
    await enableRelationships(
      db,
      siteId,
      people.map(({ userId }) => userId),
    );
    const [first] = people;
    if (!first) throw new Error('There is no caller');
    return { api: as(app, first, 'console'), siteId, people };
  };

  test('a job fills its requests as the plan does, and merges what a plan has divided', async () => {
    const { api, people } = await makeEnabled(13);
    const [first, ...others] = people.map(({ userId }) => userId);
    const long = makeEmails(1_001);
    const { id, ...job } = await runImportJob(context().db, api, [
      ...others.map((userId) => ({ userId, emails: makeEmails(1, {}, String(userId)) })),
      { userId: first, emails: long.slice(0, 600) },
      { userId: first, emails: long.slice(600, 1_000) },
      { userId: first, emails: long.slice(1_000) },
      { userId: others[0], emails: makeEmails(1, {}, 'last') },
    ]);
    expect(job).toMatchObject({ state: 'finished', done: 16, failed: 0 });
    expect((await listRuns(api)).map(({ jobId, counts }) => [jobId, counts.received, counts.added])).toEqual([
      [id, 1_012, 1_012],
      [id, 2, 2],
    ]);
    const items = await api.get<JobItem[]>(`jobs/${id}/items?pageSize=20`);
    expect(items.body.slice(12, 15).map(({ before }) => before)).toEqual([
      { added: 1_000, alreadyProcessed: 0, skipped: 0 },
      null,
      { added: 1, alreadyProcessed: 0, skipped: 0 },
    ]);
  });

  test('times without a zone are in UTC, whatever the zone of the process is', async () => {
    const { api, people } = await makeEnabled(1);
    const [early, late] = makeEmails(2);
    const userId = people[0]?.userId;
    vi.stubEnv('TZ', 'America/New_York');
    try {
      const { id } = await runImportJob(context().db, api, [
        { userId, emails: [{ ...early, sentDate: early?.sentDate.slice(0, -1) }] },
        { userId, emails: [late] },
      ]);
      expect((await listRuns(api)).map(({ jobId, counts }) => [jobId, counts.added])).toEqual([[id, 2]]);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('an item that makes its request illegal fails alone, and items that only together are illegal do not', async () => {
    const { api, people } = await makeEnabled(3);
    const [one, two, three] = people.map(({ userId }) => userId);
    const [early, late] = makeEmails(2);
    const { id } = await runImportJob(context().db, api, [
      { userId: one, emails: [early] },
      { userId: two, emails: [late, early] },
      { userId: three, emails: makeEmails(1, {}, 'c') },
      { userId: three, emails: makeEmails(1, {}, 'c') },
    ]);
    expect(await listOutcomes(api, id)).toEqual([
      ['done', null],
      ['failed', 'emails.1.sentDate: is before that of the previous e-mail; the order must be chronological'],
      ['done', null],
      ['unchanged', null],
    ]);
  });

  test('a job of a site that takes no imports fails at once', async () => {
    const { api, siteId, people } = await makeEnabled(3);
    const { db } = context();
    await sql`update ri_setting set is_enabled = false where site_id = ${siteId}`.execute(db);
    const items = people.map(({ userId }) => item(userId, String(userId)));
    const { state, failed } = await runImportJob(db, api, items);
    expect([state, failed]).toEqual(['finished', 3]);
    expect(await listRuns(api)).toEqual([]);
  });

  test('while a job imports, everybody sees its turn, and no other import begins', async () => {
    const { api, siteId, people } = await makeEnabled(1);
    const { db } = context();
    const [person] = people;
    if (!person || !importJob.beginBatch) throw new Error('There is no batch');
    const seen: unknown[] = [];
    const request = { siteId, userId: person.userId, takesLease: true };
    const readBudget = async () => (await api.get<ImportBudget>(`${RI_PATH}/import/budget`)).body;
    const post = () => importEmails(api, [{ userId: person.userId, emails: makeEmails(1, {}, 'b') }]);
    const watched: JobKind = {
      ...importJob,
      async beginBatch(start) {
        const turn = await importJob.beginBatch?.(start);
        if (!turn) throw new Error('There is no turn');
        const { isImporting, holderId } = await readBudget();
        const { status, headers } = await post();
        const { isBusy } = await admit(db, request);
        seen.push(isImporting, holderId, status, headers['retry-after'], isBusy);
        const select = () => {
          const selection = turn.select();
          return {
            ...selection,
            async run(batch: Parameters<typeof selection.run>[0]) {
              const outcomes = await selection.run(batch);
              // The turn has ended but for the commit, which another process does not wait for.
              if (!isEmbedded(db)) seen.push((await admit(db, request)).isBusy);
              return outcomes;
            },
          };
        };
        return { ...turn, select };
      },
    };
    const job = await runImportJob(db, api, [item(person.userId, 'a')], [watched]);
    expect([job.state, job.done]).toEqual(['finished', 1]);
    expect(seen).toEqual([true, person.userId, 429, '2', true, ...(isEmbedded(db) ? [] : [true])]);
    expect((await readBudget()).isImporting).toBe(false);
    expect((await post()).status).toBe(200);
  });

  const listAddresses = async (siteId: number) => {
    const { rows } = await sql<{ address: string }>`select distinct address
      from ri_item, unnest(addresses) as address where site_id = ${siteId} order by address`.execute(
      context().db,
    );
    return rows.map(({ address }) => address);
  };

  test('a job that begins a batch while a person is erased imports nothing of this person', async () => {
    const { api, siteId, people } = await makeEnabled(1);
    const { db } = context();
    const [{ userId } = { userId: 0 }] = people;
    const { body } = await api.post<Job>(`${RI_PATH}/import/jobs`, {
      kind: 'emails',
      items: [item(userId, 'a')],
    });
    await eraseDuring(db, { siteId, userId, address: ERASED }, () => runJobs(db));
    expect((await api.get<Job>(`jobs/${body.id}`)).body).toMatchObject({ state: 'finished', done: 1 });
    expect(await listAddresses(siteId)).toEqual(['ann@inside.test', 'person1@outside.test']);
  });

  test('a retry that begins while a person is erased does not bring back this person', async () => {
    const { api, siteId, people } = await makeEnabled(1);
    const { db } = context();
    const [{ userId } = { userId: 0 }] = people;
    const disabled = await makePerson(db, siteId);
    const { id, failed } = await runImportJob(db, api, [item(disabled.userId, 'a')]);
    expect(failed).toBe(1);
    await sql`insert into ri_user (site_id, user_id, is_enabled) values (${siteId}, ${disabled.userId}, true)`.execute(
      db,
    );
    const retry = () => api.post<Job>(`jobs/${id}/retry`);
    const { status } = await eraseDuring(db, { siteId, userId, address: ERASED }, retry);
    expect(status).toBe(202);
    await runJobs(db);
    expect(await listAddresses(siteId)).toEqual(['ann@inside.test', 'person1@outside.test']);
  });

  test('a job waits while an import of a program runs', async () => {
    const { api, siteId, people } = await makeEnabled(1);
    const { db } = context();
    const [{ userId } = { userId: 0 }] = people;
    await admit(db, { siteId, userId, takesLease: true });
    const waiting = await runImportJob(db, api, [item(userId, 'a')]);
    expect([waiting.state, waiting.retryReason]).toEqual([
      'waiting',
      'Another import of this site is running; one at a time is allowed',
    ]);
    await resetGate(db, siteId);
    await sql`update job set retry_at = now() - interval '1 second' where job_id = ${waiting.id}`.execute(db);
    await runJobs(db);
    expect((await api.get<Job>(`jobs/${waiting.id}`)).body).toMatchObject({ state: 'finished', done: 1 });
  });
});
