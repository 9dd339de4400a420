import { sql } from 'kysely';
import Papa from 'papaparse';
import { expect, test } from 'vitest';
import type { ActingReport } from '../../../contract/generated/types.gen.ts';
import { exportFile } from '../../testing/jobs.ts';
import { allCapabilities, as, makePerson, makeSite, onEachApp } from '../../testing/site.ts';

onEachApp((context) => {
  test('exports all steps of an acting report in order', async () => {
    const { db, app } = context();
    await sql`delete from job`.execute(db);
    const siteId = await makeSite(db);
    const api = as(app, await makePerson(db, siteId), 'console');
    const proxy = await makePerson(db, siteId, { capabilities: ['Access Web Service'] });
    const principal = await makePerson(db, siteId, { capabilities: allCapabilities });
    await api.post('user/proxy', { proxyUserId: proxy.userId, users: [principal.userId] });
    const acting = { headers: { 'as-user': String(principal.userId) } };
    const investigation = { name: 'Who was it', notes: '', query: {} };
    await as(app, proxy).post('user/activity/investigations', investigation, acting);
    const [report] = (await api.get<ActingReport[]>('user/proxy/reports')).body;
    // Outcomes are stored shortly after.
    await sql`update acting_step set status = 200 where report_id = ${report?.id}`.execute(db);
    // More than one page, several of one moment.
    await sql`insert into acting_step (site_id, report_id, at, operation_id, summary, subject, is_write, status)
      select ${siteId}, ${report?.id}, now() + make_interval(secs => n / 100), 'searchUsers', 'Step ' || n, '', false, 403
      from generate_series(1, 1500) n`.execute(db);
    const { job, text } = await exportFile(db, api, 'actingReportExports', {
      format: 'csv',
      reportId: report?.id,
    });
    const [headings, first, ...others] = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), {
      skipEmptyLines: true,
    }).data;
    expect(headings).toEqual(['Time (UTC)', 'Kind', 'What', 'Operation', 'About', 'Outcome']);
    expect([first?.[1], first?.[3], first?.[5]]).toEqual(['Change', 'createInvestigation', 'Done']);
    expect(others.map((line) => line[2])).toEqual(Array.from({ length: 1_500 }, (_, at) => `Step ${at + 1}`));
    expect([others[0]?.[5], job.done]).toEqual(['Refused (403)', 1_501]);
    expect(job.title).toContain(`${report?.proxyUser.fullName} for ${report?.principal.fullName}`);
  });
});
