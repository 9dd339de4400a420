import { sql } from 'kysely';
import Papa from 'papaparse';
import { beforeEach, expect, test } from 'vitest';
import type {
  Capability,
  Job,
  PagedResultOfUserActivityEntry,
} from '../../../contract/generated/types.gen.ts';
import type { ApiClient } from '../../testing/calls.ts';
import { exportFile } from '../../testing/jobs.ts';
import {
  as,
  makeGroup,
  makePerson,
  makeSite,
  makeToken,
  onEachApp,
  type Person,
} from '../../testing/site.ts';

const parseCsv = (text: string) =>
  Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), { skipEmptyLines: true }).data;

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  let api: ApiClient;
  beforeEach(async () => {
    const { db, app } = context();
    await sql`delete from job`.execute(db);
    siteId = await makeSite(db);
    admin = await makePerson(db, siteId);
    api = as(app, admin, 'console');
  });

  const run = (body: object) => exportFile(context().db, api, 'userExports', body);
  const rename = (userId: number, firstName: string) =>
    sql`update account set first_name = ${firstName}, last_name = 'Export', federation_id = '@fay'
      where user_id = ${userId}`.execute(context().db);

  test('exports the selected users in their order, without those of other sites, and records what was exported', async () => {
    const { db } = context();
    const eve = await makePerson(db, siteId);
    const stranger = await makePerson(db, await makeSite(db));
    await rename(eve.userId, '=HYPERLINK("https://evil.example")');
    const { job, text } = await run({
      format: 'csv',
      userIds: [eve.userId, stranger.userId, admin.userId],
      withFederationIds: true,
      filterText: 'Search: eve',
    });
    expect(job).toMatchObject({ title: 'Export users as CSV: Search: eve', done: 2 });
    expect(job.file?.name).toMatch(/^users-search-eve-\d{4}-\d\d-\d\d\.csv$/);
    // Lists of jobs return the parameters: the ids are not part of them.
    expect(job.parameters).not.toHaveProperty('userIds');
    const [headings = [], first = [], second, ...others] = parseCsv(text);
    expect([headings[0], headings[2], headings.at(-1)]).toEqual(['Id', 'First name', 'Federation id']);
    expect([first[0], first[2], first.at(-1)]).toEqual([
      String(eve.userId),
      `'=HYPERLINK("https://evil.example")`,
      "'@fay",
    ]);
    expect([second?.[0], others]).toEqual([String(admin.userId), []]);
    const { rows } = (await api.post<PagedResultOfUserActivityEntry>('user/activity', { activity: 8 })).body;
    expect(rows.map(({ exportDetail }) => exportDetail)).toEqual([
      {
        subject: 'users',
        rows: 2,
        type: 'Users',
        filter: 'Search: eve',
        fields: headings,
        format: 'csv',
      },
    ]);
    // A retry exports the same users again.
    expect((await api.post<Job>(`jobs/${job.id}/retry`)).status).toBe(202);
    const { rows: jobs } = await sql<{ ids: number[] }>`
      select selected_ids as ids from job where site_id = ${siteId} order by job_id desc limit 1`.execute(db);
    expect(jobs[0]?.ids).toEqual([eve.userId, stranger.userId, admin.userId]);
  });

  test('exports all users of the site over several pages, with the names of their groups', async () => {
    const { db } = context();
    const groupId = await makeGroup(db, siteId, []);
    await sql`update user_group set name = 'North; South' where group_id = ${groupId}`.execute(db);
    const { rows: added } = await sql<{ id: number }>`
      with added as (
        insert into account (email, email_key, first_name, last_name, home_site_id)
        select key, key, 'P' || n, 'Many', ${siteId}
        from generate_series(1, 1001) n, lateral (select n || '@' || gen_random_uuid() as key) made
        returning user_id)
      insert into membership (site_id, user_id, license_type_id) select ${siteId}, user_id, 1 from added
      returning user_id as id`.execute(db);
    await sql`insert into group_member (site_id, group_id, user_id)
      values (${siteId}, ${groupId}, ${added[0]?.id})`.execute(db);
    const { text } = await run({ format: 'csv' });
    const [headings = [], ...lines] = parseCsv(text);
    const ids = lines.map(([id]) => Number(id));
    expect(ids).toEqual([admin.userId, ...added.map(({ id }) => id)].toSorted((a, b) => a - b));
    const member = lines.find(([id]) => Number(id) === added[0]?.id);
    expect(member?.[headings.indexOf('Groups')]).toBe('"North; South"');
    const json = JSON.parse((await run({ format: 'json', userIds: [admin.userId] })).text) as unknown[];
    expect(json).toEqual([expect.objectContaining({ Id: admin.userId, Status: 'Active' })]);
  });

  test('cuts a long filter between characters', async () => {
    const { job } = await run({ format: 'csv', filterText: `x${'𠮷'.repeat(200)}` });
    expect(job.title).toMatch(/^Export users as CSV: x𠮷{88}…$/u);
    expect(job.file?.name).toMatch(/^users-x𠮷{39}-\d{4}-\d\d-\d\d\.csv$/u);
  });

  test('is refused without a capability that shows users, and while acting for another user', async () => {
    const { db, app } = context();
    const reader = await makePerson(db, siteId, { capabilities: ['Access Web Service', 'Read Data'] });
    expect((await as(app, reader).post('jobs/userExports', { format: 'csv' })).status).toBe(403);
    await as(app, admin).post('user/proxy', { proxyUserId: reader.userId, users: [admin.userId] });
    const acting = { headers: { 'as-user': String(admin.userId) } };
    for (const [path, body] of [
      ['userExports', { format: 'csv' }],
      ['activityExports', { format: 'csv', query: {} }],
    ] as const)
      expect(
        (await as(app, reader).post<{ message: string }>(`jobs/${path}`, body, acting)).body.message,
      ).toBe('Exports and downloads are not available while you act for another user');
  });

  test('gives the file only to who started it, with a capability and scope that start it', async () => {
    const { db, app } = context();
    const capabilities: Capability[] = ['Access Web Service', 'Manage Users'];
    const owner = await makePerson(db, siteId, { capabilities, scopes: ['user_management'] });
    const { job, text } = await exportFile(db, as(app, owner), 'userExports', { format: 'csv' });
    expect(text).toContain(owner.email);
    const file = `jobs/${job.id}/file`;
    const readStatuses = async (person: Pick<Person, 'token' | 'cookie'>, client: 'program' | 'console') => [
      (await as(app, person, client).get(file)).status,
      (await as(app, person, client).post(`${file}/link`)).status,
    ];
    expect(await readStatuses(owner, 'console')).toEqual([200, 200]);
    const token = await makeToken(db, owner, ['data']);
    expect(await readStatuses({ ...owner, token }, 'program')).toEqual([403, 403]);
    const other = await makePerson(db, siteId);
    expect(await readStatuses(other, 'console')).toEqual([404, 404]);
    // The owner keeps Read Data alone.
    await sql`update user_group set capabilities = '{"Read Data"}'
      where site_id = ${siteId} and group_id = ${owner.groupId}`.execute(db);
    expect(await readStatuses(owner, 'console')).toEqual([403, 403]);
  });
});
