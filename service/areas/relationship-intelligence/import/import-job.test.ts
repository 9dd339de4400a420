/** Imports that jobs carry out. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { ImportRun, Job, JobItem } from '../../../../contract/generated/types.gen.ts';
import type { ErrorBody } from '../../../testing/calls.ts';
import { runJobs } from '../../../testing/jobs.ts';
import { enableRelationships, makeEmails, RI_PATH } from '../../../testing/relationships.ts';
import { as, makePerson, makeSite, onEachApp } from '../../../testing/site.ts';

const item = (userId: number, prefix: string) => ({ userId, emails: makeEmails(2, {}, prefix) });

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
      kind: 'meetings',
      items: [item(person.userId, 'a')],
    });
    expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, 'meetings']);
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
});
