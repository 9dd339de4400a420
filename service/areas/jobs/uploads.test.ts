/** Items of jobs that are uploaded in parts. */
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { Job, JobItem, JobPart } from '../../../contract/generated/types.gen.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import {
  divideIntoParts,
  hashText,
  putPart,
  runJobs,
  type UploadPart,
  uploadItems,
} from '../../testing/jobs.ts';
import {
  as,
  createTestApp,
  makePerson,
  makeSite,
  makeToken,
  onEachApp,
  type Person,
} from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { createUploadCleanupTask } from './uploads.ts';

/** License changes of users who need not exist. */
const makeChanges = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ userId: 1_000_000 + index, licenseTypeId: 3 }));

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
  const start = async (path: string, body: object = {}, client = api) => {
    const reply = await client.post<Job>(`jobs/${path}`, { uploadsItems: true, ...body });
    expect(reply.status).toBe(202);
    return reply.body;
  };
  const listInvalidPaths = async (path: string, body: object) =>
    (await api.post<ErrorBody>(`jobs/${path}`, body)).body.errors?.map((error) => error.path);
  const startLicenses = (client = api) => start('licenseChanges', {}, client);
  const read = async (id: number) => (await api.get<Job>(`jobs/${id}`)).body;
  const listParts = async (id: number) => (await api.get<JobPart[]>(`jobs/${id}/parts`)).body;
  const submit = (id: number, parts: readonly UploadPart[]) =>
    api.post<Job & ErrorBody>(`jobs/${id}/submit`, { parts: parts.map(({ sha256 }) => sha256) });
  const put = (id: number, part: UploadPart) => putPart<JobPart & ErrorBody>(api, id, part);
  const prove = (value: string | null) =>
    sql`update session set proven_at = ${value}::timestamptz where site_id = ${siteId}`.execute(context().db);
  const countItems = async (id: number) => {
    const { rows } = await sql<{ count: number; first: number | null; last: number | null }>`
      select count(*)::int as count, min(item_no) as first, max(item_no) as last from job_item where job_id = ${id}`.execute(
      context().db,
    );
    return rows[0];
  };
  const listAudited = async () => {
    const { rows } = await sql<{ action: string; changes: Record<string, unknown> }>`
      select action, changes from audit_log where site_id = ${siteId} and subject_type = 'job' order by audit_id`.execute(
      context().db,
    );
    return rows;
  };

  test('the four kinds run with uploaded items, numbered in the order of the parts, whatever their order', async () => {
    const users = await Promise.all(
      Array.from({ length: 5 }, () => makePerson(context().db, siteId, { capabilities: ['Read Data'] })),
    );
    const ids = users.map(({ userId }) => userId);
    const job = await startLicenses();
    expect(job).toMatchObject({ state: 'uploading', total: 0, title: 'Change the licenses of many users' });
    const items = ids.map((userId) => ({ userId, licenseTypeId: 3 }));
    const parts = divideIntoParts(items, 2);
    for (const part of parts.toReversed()) expect((await put(job.id, part)).status).toBe(200);
    await run();
    expect(await read(job.id)).toMatchObject({ state: 'uploading', total: 5, done: 0 });
    const submitted = await submit(job.id, parts);
    expect(submitted.status).toBe(202);
    expect(submitted.body).toMatchObject({ state: 'waiting', total: 5 });
    expect(submitted.body.title).toMatch(/^Set 5 licenses to /);
    await run();
    expect(await read(job.id)).toMatchObject({ state: 'finished', done: 5 });
    const stored = (await api.get<JobItem[]>(`jobs/${job.id}/items`)).body;
    expect(stored.map(({ number, input, detail }) => [number, input['userId'], detail])).toEqual(
      users.map(({ userId, email }, index) => [index + 1, userId, email]),
    );
    expect((await listAudited()).map(({ action }) => action)).toEqual([
      'job.upload',
      'job.start',
      'job.finish',
    ]);
    const userItems = ids.map((userId) => ({ userId }));
    const others = [
      { path: 'membershipChanges', body: {}, items: ids.map((userId) => ({ userId, add: [admin.groupId] })) },
      { path: 'userUpdates', body: { isActive: false }, items: userItems },
      { path: 'userRemovals', body: {}, items: userItems },
    ];
    const titles: string[] = [];
    for (const other of others) {
      const { id } = await start(other.path, other.body);
      const reply = await uploadItems<Job>(api, id, other.items, 3);
      expect(reply.status).toBe(202);
      titles.push(reply.body.title);
      await run();
      expect(await read(id)).toMatchObject({ state: 'finished', done: 5 });
    }
    expect(titles).toEqual([
      expect.stringMatching(/^Add 5 people to /),
      'Deactivate 5 people',
      'Remove 5 people',
    ]);
  });

  test('an interrupted upload is continued by another client, after a restart of the service', async () => {
    const job = await startLicenses();
    const parts = divideIntoParts(makeChanges(50), 20);
    const [first, second, third] = parts;
    if (!first || !second || !third) throw new Error('There are three parts');
    await put(job.id, first);
    // The connection breaks in the middle of a part: nothing of it is stored.
    expect((await put(job.id, { ...second, text: second.text.slice(0, 100) })).status).toBe(400);
    expect(await countItems(job.id)).toEqual({ count: 20, first: 1, last: 20 });
    const restarted = await createTestApp(context().database);
    const elsewhere = as(restarted, admin);
    const received = (await elsewhere.get<JobPart[]>(`jobs/${job.id}/parts`)).body;
    expect(received).toMatchObject([
      { part: 1, firstItem: 1, count: 20, sha256: first.sha256, bytes: first.text.length },
    ]);
    for (const part of [third, second]) expect((await putPart(elsewhere, job.id, part)).status).toBe(200);
    const reply = await elsewhere.post<Job>(`jobs/${job.id}/submit`, {
      parts: parts.map(({ sha256 }) => sha256),
    });
    expect(reply.status).toBe(202);
    await restarted.close();
    expect(await countItems(job.id)).toEqual({ count: 50, first: 1, last: 50 });
    await run();
    expect(await read(job.id)).toMatchObject({ state: 'finished', conflicts: 50 });
  });

  test('the same part again changes nothing; other content, other numbers and overlaps are conflicts', async () => {
    const job = await startLicenses();
    const [first, second] = divideIntoParts(makeChanges(20), 10);
    const [other] = divideIntoParts(makeChanges(11), 11);
    if (!first || !second || !other) throw new Error('There are two parts');
    const stored = await put(job.id, first);
    const both = await Promise.all([put(job.id, first), put(job.id, first)]);
    expect(both.map(({ status, body }) => [status, body])).toEqual([
      [200, stored.body],
      [200, stored.body],
    ]);
    const changed = await put(job.id, other);
    expect([changed.status, changed.body.message]).toEqual([
      409,
      expect.stringContaining(`Part 1 was received with other content (SHA-256 ${first.sha256})`),
    ]);
    expect((await put(job.id, { ...first, firstItem: 11 })).status).toBe(409);
    const overlapping = await put(job.id, { ...second, firstItem: 10 });
    expect([overlapping.status, overlapping.body.message]).toEqual([
      409,
      'Part 2 has the items 10 to 19, but part 1 has the items 1 to 10',
    ]);
    expect(await countItems(job.id)).toEqual({ count: 10, first: 1, last: 10 });
    expect(await read(job.id)).toMatchObject({ total: 10 });
  });

  test('a job is submitted with exactly the parts of the plan, and once', async () => {
    const job = await startLicenses();
    const parts = divideIntoParts(makeChanges(40), 10);
    const [first, second, third, fourth] = parts;
    if (!first || !second || !third || !fourth) throw new Error('There are four parts');
    await put(job.id, first);
    await put(job.id, fourth);
    const missing = await submit(job.id, parts);
    expect([missing.status, missing.body.errors]).toEqual([
      409,
      [
        { path: 'parts.1', message: 'part 2 is missing' },
        { path: 'parts.2', message: 'part 3 is missing' },
      ],
    ]);
    await put(job.id, second);
    await put(job.id, { ...third, firstItem: 100 });
    const changed = await submit(job.id, [first, { ...second, sha256: hashText('changed') }, third]);
    expect([changed.status, changed.body.errors]).toEqual([
      409,
      [
        {
          path: 'parts.1',
          message: `part 2 was received with other content (SHA-256 ${second.sha256})`,
        },
        { path: 'parts.2', message: 'part 3 begins with item 100 instead of 21' },
        { path: 'parts', message: 'part 4 was received and is not listed' },
      ],
    ]);
    expect(await read(job.id)).toMatchObject({ state: 'uploading' });
    const whole = await startLicenses();
    for (const part of parts) await put(whole.id, part);
    const submitted = await submit(whole.id, parts);
    await run();
    const again = await submit(whole.id, parts);
    expect([submitted.status, again.status, again.body.state]).toEqual([202, 202, 'finished']);
    expect((await submit(whole.id, [first])).status).toBe(409);
    expect((await put(whole.id, first)).status).toBe(409);
  });

  test('invalid parts name the hash or all invalid items, at most 100, and nothing of them is stored', async () => {
    const job = await startLicenses();
    const [part] = divideIntoParts(makeChanges(150), 150);
    if (!part) throw new Error('There is a part');
    const wrongHash = await put(job.id, { ...part, sha256: '0'.repeat(64) });
    expect([wrongHash.status, wrongHash.body.errors]).toEqual([
      400,
      [{ path: 'sha256', message: `is not the hash of the request body, which is ${part.sha256}` }],
    ]);
    const send = (items: readonly unknown[], name = 'items') => {
      const text = JSON.stringify({ [name]: items });
      return put(job.id, { ...part, text, sha256: hashText(text) });
    };
    const two = await send([
      { userId: 1, licenseTypeId: 3 },
      { userId: 'x', licenseTypeId: 3 },
      { userId: 2 },
    ]);
    expect([two.status, two.body.errors?.map(({ path }) => path)]).toEqual([
      400,
      ['items.1.userId', 'items.2.licenseTypeId'],
    ]);
    const many = await send(makeChanges(150).map((item) => ({ ...item, unknown: 1 })));
    expect([many.status, many.body.errors?.length, many.body.message]).toEqual([
      400,
      100,
      'The request has more than 100 errors; the first 100 are listed',
    ]);
    expect((await send([])).body.errors?.map(({ path }) => path)).toEqual(['items']);
    expect((await send([], 'rows')).status).toBe(400);
    expect((await send([{ UserId: 7, LICENSETYPEID: 3 }])).status).toBe(200);
    expect(await countItems(job.id)).toMatchObject({ count: 1 });
  });

  test('a large part is stored whole or refused with the same errors', async () => {
    const job = await startLicenses();
    const items = makeChanges(50_000);
    const [part] = divideIntoParts(items, items.length);
    const [invalid] = divideIntoParts([...items.slice(1), { userId: 0 }], items.length);
    if (!part || !invalid) throw new Error('There is a part');
    expect(part.text.length).toBeGreaterThan(1_500_000);
    expect((await put(job.id, invalid)).body.errors?.map(({ path }) => path)).toEqual([
      'items.49999.licenseTypeId',
      'items.49999.userId',
    ]);
    expect((await put(job.id, part)).body).toMatchObject({ count: 50_000, bytes: part.text.length });
    expect(await countItems(job.id)).toEqual({ count: 50_000, first: 1, last: 50_000 });
    expect((await submit(job.id, [part])).status).toBe(202);
  });

  test('users who occur twice are named by part and item', async () => {
    const job = await startLicenses();
    const items = makeChanges(5);
    const parts = divideIntoParts([...items, ...items.slice(1, 3)], 4);
    for (const part of parts) await put(job.id, part);
    const reply = await submit(job.id, parts);
    expect([reply.status, reply.body.errors]).toEqual([
      400,
      [
        { path: 'parts.1.items.1.userId', message: '1000001 occurs twice' },
        { path: 'parts.1.items.2.userId', message: '1000002 occurs twice' },
      ],
    ]);
    expect(await read(job.id)).toMatchObject({ state: 'uploading' });
  });

  test('a job has at most 1,000,000 items and 256 MiB, and counts against the limit of jobs', async () => {
    const job = await startLicenses();
    const [part] = divideIntoParts(makeChanges(2), 2);
    if (!part) throw new Error('There is a part');
    const tooMany = await put(job.id, { ...part, firstItem: 1_000_000 });
    expect([tooMany.status, tooMany.body.message]).toEqual([
      413,
      'A job has at most 1,000,000 items, and this part ends with item 1000001',
    ]);
    expect((await put(job.id, part)).status).toBe(200);
    await sql`update job_part set byte_count = ${256 * 1024 * 1024 - 10}`.execute(context().db);
    const tooLong = await put(job.id, { ...part, part: 2, firstItem: 3 });
    expect([tooLong.status, tooLong.body.message]).toEqual([
      413,
      expect.stringContaining('at most 268435456 bytes'),
    ]);
    const replies = [];
    for (let count = 1; count < 23; count += 1)
      replies.push((await api.post('jobs/licenseChanges', { uploadsItems: true })).status);
    expect(replies).toEqual([...Array.from({ length: 21 }, () => 202), 429]);
  });

  test('only the owner uploads and submits, with the rights of that moment', async () => {
    const job = await startLicenses();
    const parts = divideIntoParts(makeChanges(2), 2);
    const [part] = parts;
    if (!part) throw new Error('There is a part');
    const viewer = await makePerson(context().db, siteId, {
      capabilities: ['View Activity', 'Manage Licences'],
    });
    const stranger = await makePerson(context().db, siteId, { capabilities: ['Manage Licences'] });
    const foreigner = await makePerson(context().db, await makeSite(context().db));
    for (const [person, status] of [
      [viewer, 403],
      [stranger, 404],
      [foreigner, 404],
    ] as const) {
      const client = as(context().app, person, 'console');
      expect((await putPart(client, job.id, part)).status).toBe(status);
      expect((await client.post(`jobs/${job.id}/submit`, { parts: [part.sha256] })).status).toBe(status);
    }
    expect((await as(context().app, viewer, 'console').get(`jobs/${job.id}/parts`)).status).toBe(200);
    await put(job.id, part);
    await sql`update user_group set capabilities = '{}' where site_id = ${siteId} and group_id = ${admin.groupId}`.execute(
      context().db,
    );
    expect((await put(job.id, { ...part, part: 2, firstItem: 3 })).status).toBe(403);
    expect((await submit(job.id, parts)).status).toBe(403);
  });

  test('removals need a proof of presence when they are submitted', async () => {
    const job = await start('userRemovals');
    const switches = await start('userUpdates', { twoFactorEnabled: true });
    await prove(null);
    const parts = divideIntoParts([{ userId: 1_000_000 }], 1);
    for (const { id } of [job, switches]) {
      for (const part of parts) expect((await put(id, part)).status).toBe(200);
      expect((await submit(id, parts)).status).toBe(403);
    }
    expect((await api.post('jobs/userUpdates', { uploadsItems: true, twoFactorEnabled: true })).status).toBe(
      403,
    );
    await prove(new Date().toISOString());
    for (const { id } of [job, switches]) expect((await submit(id, parts)).status).toBe(202);
  });

  test('an operation takes either the items or uploadsItems', async () => {
    expect(await listInvalidPaths('userRemovals', {})).toEqual(['userIds']);
    expect(
      await listInvalidPaths('membershipChanges', { uploadsItems: true, memberships: [{ userId: 1 }] }),
    ).toEqual(['uploadsItems']);
    expect(await listInvalidPaths('licenseChanges', { uploadsItems: false })).toEqual(['uploadsItems']);
  });

  test('an upload that is not continued for 24 hours is deleted with an audit row', async () => {
    const [abandoned, continued] = [await startLicenses(), await startLicenses()];
    const parts = divideIntoParts(makeChanges(30), 10);
    for (const part of parts) await put(abandoned.id, part);
    for (const part of parts) await put(continued.id, part);
    const age = (column: string, table: string) =>
      sql`update ${sql.table(table)} set ${sql.ref(column)} = now() - interval '25 hours'`.execute(
        context().db,
      );
    await age('created_at', 'job');
    await age('received_at', 'job_part');
    await sql`update job_part set received_at = now() where job_id = ${continued.id} and part_no = 2`.execute(
      context().db,
    );
    await runTask(createUploadCleanupTask({ db: context().db }));
    expect((await api.get(`jobs/${abandoned.id}`)).status).toBe(404);
    expect(await countItems(abandoned.id)).toMatchObject({ count: 0 });
    expect((await listParts(continued.id)).length).toBe(3);
    expect((await listAudited()).filter(({ action }) => action === 'job.expire')).toHaveLength(1);
    expect((await submit(continued.id, parts)).status).toBe(202);
  });

  test('a cancelled upload takes no more parts, and a job after an upload waits for it', async () => {
    const job = await startLicenses();
    const after = await api.post<Job>('jobs/licenseChanges', {
      licenses: makeChanges(1),
      afterJobId: job.id,
    });
    await run();
    expect(await read(after.body.id)).toMatchObject({ state: 'waiting' });
    expect((await api.post<Job>(`jobs/${job.id}/cancel`)).body.state).toBe('cancelled');
    const [part] = divideIntoParts(makeChanges(1), 1);
    if (!part) throw new Error('There is a part');
    expect((await put(job.id, part)).status).toBe(409);
    await run();
    expect(await read(after.body.id)).toMatchObject({ state: 'stopped' });
    const complete = await startLicenses();
    await put(complete.id, part);
    await api.post<Job>(`jobs/${complete.id}/cancel`);
    expect(await submit(complete.id, [part])).toMatchObject({
      status: 409,
      body: { message: 'This job is cancelled and takes no more items' },
    });
    // The answer to a submission was lost, and the job was cancelled before the request came again.
    const submitted = await startLicenses();
    await put(submitted.id, part);
    expect((await submit(submitted.id, [part])).status).toBe(202);
    await api.post<Job>(`jobs/${submitted.id}/cancel`);
    expect(await submit(submitted.id, [part])).toMatchObject({ status: 202, body: { state: 'cancelled' } });
    expect((await submit(submitted.id, [{ ...part, sha256: hashText('other') }])).status).toBe(409);
    await run();
    expect(await read(submitted.id)).toMatchObject({ state: 'cancelled', done: 0 });
  });

  test('a token sees, steers and uploads the jobs that its scopes allow to start', async () => {
    const job = await startLicenses();
    const [scoped, other] = await Promise.all([
      makeToken(context().db, admin, ['user_management']),
      makeToken(context().db, admin, ['data', 'backup']),
    ]);
    const bearer = (token: string) => as(context().app, { ...admin, token });
    expect((await bearer(scoped).get<Job[]>('jobs')).body.map(({ id }) => id)).toEqual([job.id]);
    expect((await bearer(other).get<Job[]>('jobs')).body).toEqual([]);
    const ofKind = 'jobs?kinds=licenses.change';
    expect((await bearer(scoped).get<Job[]>(ofKind)).body.map(({ id }) => id)).toEqual([job.id]);
    expect((await bearer(other).get<Job[]>(ofKind)).body).toEqual([]);
    expect((await bearer(other).get(`jobs/${job.id}`)).status).toBe(404);
    expect((await bearer(other).post(`jobs/${job.id}/cancel`)).status).toBe(404);
    expect((await bearer(other).get(`jobs/${job.id}/parts`)).status).toBe(404);
    expect((await bearer(scoped).post(`jobs/${job.id}/cancel`)).status).toBe(200);
  });
});
