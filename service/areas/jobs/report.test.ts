/** Reports of jobs as CSV and XLSX. */
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import type { Job } from '../../../contract/generated/types.gen.ts';
import type { ApiClient } from '../../testing/calls.ts';
import { runJobs } from '../../testing/jobs.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';
import { readReportItems, readReportTime } from './report.store.ts';

/** The texts of the files of an archive by name. */
async function readZip(bytes: Buffer): Promise<Map<string, string>> {
  const zip = await fromBufferPromise(bytes);
  const files = new Map<string, string>();
  for await (const entry of zip.eachEntry())
    files.set(entry.fileName, await text(await zip.openReadStreamPromise(entry)));
  return files;
}

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
  const run = () => runJobs(context().db);

  test('lists all items with outcome, request and what was replaced, guarded against formulas', async () => {
    const user = await makePerson(context().db, siteId, { capabilities: ['Read Data'] });
    await sql`update account set first_name = '=1+1' where user_id = ${user.userId}`.execute(context().db);
    const { body: job } = await api.post<Job>('jobs/licenseChanges', {
      licenses: [user.userId, 2_000_000_000].map((userId) => ({ userId, licenseTypeId: 3 })),
    });
    await run();
    const report = await api.get(`jobs/${job.id}/report`);
    const day = new Date().toISOString().slice(0, 10);
    expect([report.status, report.headers['content-type'], report.headers['content-disposition']]).toEqual([
      200,
      'text/csv; charset=utf-8',
      expect.stringContaining(`attachment; filename="licenses-change-${job.id}-${day}.csv"`),
    ]);
    const [heading, done, gone, end] = report.text.split('\r\n');
    expect([heading, end]).toEqual([
      '\uFEFF"Number","Item","Detail","Outcome","Reason","Ended (UTC)","Requested license type ID","Requested user ID","Replaced license type ID"',
      '',
    ]);
    expect(done).toMatch(
      new RegExp(`^1,"'=1\\+1 [^"]*","${user.email}","Done","","[^"]+Z",3,${user.userId},1$`),
    );
    expect(gone).toMatch(/^2,"","","Skipped","No longer on this site","[^"]+Z",3,2000000000,""$/);
  });

  test('a workbook has the same rows', async () => {
    const { body: job } = await api.post<Job>('jobs/membershipChanges', {
      memberships: [{ userId: 2_000_000_000, add: [admin.groupId] }],
    });
    const reply = await context().app.inject({
      url: `/console/api/rest/v1/management/jobs/${job.id}/report?format=xlsx`,
      headers: { cookie: `steward=${admin.cookie}`, 'x-steward-console': '1' },
    });
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([
      200,
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ]);
    const files = await readZip(reply.rawPayload);
    expect(files.get('xl/worksheets/sheet1.xml')).toContain('Not processed');
    expect(files.get('xl/worksheets/sheet1.xml')).toContain('Requested add');
  });

  test('shows the outcomes of one moment, whatever the job does while the report is read', async () => {
    const { body: job } = await api.post<Job>('jobs/licenseChanges', {
      licenses: Array.from({ length: 1_500 }, (_, index) => ({
        userId: 1_000_000 + index,
        licenseTypeId: 3,
      })),
    });
    const key = { siteId, jobId: job.id };
    const pages = readReportItems(context().db, key, await readReportTime(context().db, key));
    await pages.next();
    await run();
    const second = await pages.next();
    if (second.done) throw new Error('There are two pages');
    expect(second.value.map(({ state }) => state)).toEqual(Array.from({ length: 500 }, () => 'open'));
    const report = await api.get(`jobs/${job.id}/report`);
    expect(report.text.split('"Skipped"').length).toBe(1_501);
  });

  test('only who sees the job reads its report', async () => {
    const { body: job } = await api.post<Job>('jobs/licenseChanges', {
      licenses: [{ userId: 1, licenseTypeId: 3 }],
    });
    const [viewer, stranger, foreigner] = await Promise.all([
      makePerson(context().db, siteId, { capabilities: ['View Activity'] }),
      makePerson(context().db, siteId, { capabilities: ['Manage Licences'] }),
      makePerson(context().db, await makeSite(context().db)),
    ]);
    const statuses = [];
    for (const person of [viewer, stranger, foreigner])
      statuses.push((await as(context().app, person, 'console').get(`jobs/${job.id}/report`)).status);
    expect(statuses).toEqual([200, 404, 404]);
    expect((await api.get(`jobs/${job.id}/report?format=pdf`)).status).toBe(400);
  });
});
