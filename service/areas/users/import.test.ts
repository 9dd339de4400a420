import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type {
  Job,
  JobItem,
  JobReason,
  UserImport,
  UserImportRow,
  UserInfoResponse,
} from '../../../contract/generated/types.gen.ts';
import type { JobKind } from '../../kernel/jobs/job-kind.ts';
import type { ApiClient } from '../../testing/calls.ts';
import { runJobs } from '../../testing/jobs.ts';
import { as, makeGroup, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';
import { registry } from '../registry.ts';

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  let api: ApiClient;
  /** Distinguishes addresses: accounts belong to the installation. */
  let domain = '';
  beforeEach(async () => {
    await sql`delete from job`.execute(context().db);
    siteId = await makeSite(context().db);
    admin = await makePerson(context().db, siteId);
    api = as(context().app, admin, 'console');
    domain = `site${siteId}.example`;
  });

  /** Runs jobs as one process does; `kinds` replaces kinds. */
  const run = (kinds: readonly JobKind[] = []) => runJobs(context().db, kinds);
  const start = async (rows: UserImportRow[], options: Partial<UserImport> = {}, client = api) => {
    const reply = await client.post<Job>('jobs/userImports', { fileName: 'people.csv', rows, ...options });
    expect(reply.status).toBe(202);
    return reply.body;
  };
  const importRows = async (rows: UserImportRow[], options?: Partial<UserImport>, client?: ApiClient) => {
    const job = await start(rows, options, client);
    await run();
    return read(job.id);
  };
  const read = async (id: number) => (await api.get<Job>(`jobs/${id}`)).body;
  const listItems = async (id: number) =>
    (await api.get<JobItem[]>(`jobs/${id}/items?pageSize=1000`)).body.map(({ state, reason }) => [
      state,
      reason,
    ]);
  const find = async (name: string) =>
    (await api.get<UserInfoResponse[]>(`user?email=${name}@${domain}`)).body[0];
  const getUser = async (id: number) => (await api.get<UserInfoResponse>(`user/${id}`)).body;
  const getLicense = async (id: number) =>
    (await api.get<{ licenseTypeId: number }>(`userLicense/${id}`)).body.licenseTypeId;
  const person = (name: string) => ({ email: `${name}@${domain}`, firstName: name, lastName: 'Imported' });
  /** Seven rows, of which five are invalid. */
  const makeInvalidRows = (): UserImportRow[] => [
    { row: 2, set: person('fine') },
    { row: 3, set: { ...person('zone'), timeZone: 'Moon/Base' } },
    { row: 4, set: { email: `half@${domain}` } },
    { row: 5, set: person('twin') },
    { row: 6, set: { ...person('twin'), email: `TWIN@${domain}` } },
    { row: 7, set: person('group'), addGroups: [2_000_000_000] },
    { row: 8, set: { ...person('owned'), email: admin.email } },
  ];
  const makeUser = (options: object = { capabilities: ['Read Data'] }) =>
    makePerson(context().db, siteId, options);
  const count = async (table: 'membership' | 'mail') => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)}
      where site_id = ${siteId}`.execute(context().db);
    return rows[0]?.n;
  };

  test('creates and changes users with licenses and groups, and says which row is which person', async () => {
    const group = await makeGroup(context().db, siteId);
    const [old, same] = [await makeUser(), await makeUser()];
    const before = await getUser(old.userId);
    const job = await importRows([
      {
        row: 2,
        set: { ...person('nora'), firstName: 'Нора 諾拉', isActive: false, timeZone: 'europe/kyiv' },
        licenseTypeId: 3,
        addGroups: [group],
      },
      {
        row: 4,
        userId: old.userId,
        set: { lastName: ' Moor ' },
        expected: { lastName: before.lastName },
        licenseTypeId: 2,
        expectedLicenseTypeId: 1,
        addGroups: [group],
        removeGroups: [old.groupId],
      },
      { row: 5, userId: same.userId, set: { isActive: true }, licenseTypeId: 1 },
    ]);
    expect(job).toMatchObject({
      kind: 'users.import',
      title: 'Import 3 people from people.csv',
      state: 'finished',
      done: 2,
      unchanged: 1,
    });
    const nora = await find('nora');
    expect(nora).toMatchObject({
      firstName: 'Нора 諾拉',
      isActive: false,
      timeZone: 'Europe/Kyiv',
      groups: [group],
    });
    expect(await getLicense(nora?.id ?? 0)).toBe(3);
    expect(await getUser(old.userId)).toMatchObject({ lastName: 'Moor', groups: [group] });
    expect(await getLicense(old.userId)).toBe(2);
    const items = (await api.get<JobItem[]>(`jobs/${job.id}/items`)).body;
    expect(items.map(({ label, detail }) => [label, detail])).toEqual([
      ['Нора 諾拉 Imported', `Row 2 · nora@${domain}`],
      [`${before.firstName}  Moor `, `Row 4 · ${before.email}`],
      [expect.any(String), expect.stringMatching(/^Row 5 · /)],
    ]);
    expect(await count('mail')).toBe(1);
  });

  describe('before the first change', () => {
    test('every row is checked, and one invalid row stops the import', async () => {
      const members = await count('membership');
      const job = await importRows(makeInvalidRows());
      expect(job).toMatchObject({ state: 'stopped', done: 0, failed: 5 });
      expect(job.stopReason).toBe('5 of 7 items cannot be carried out, so none was');
      expect(await count('membership')).toBe(members);
      expect(await listItems(job.id)).toEqual([
        ['open', null],
        ['failed', expect.stringMatching(/^timeZone: .*Moon\/Base/)],
        ['failed', 'firstName: is required. lastName: is required'],
        ['open', null],
        ['failed', `email: TWIN@${domain} is also in row 5`],
        ['failed', 'groups.0: group 2000000000 does not exist on this site'],
        ['failed', `${admin.email} is already a user of this site (id ${admin.userId})`],
      ]);
    });

    test('invalid rows are left out if the request says so', async () => {
      const job = await importRows(makeInvalidRows(), { skipsInvalidRows: true });
      expect(job).toMatchObject({ state: 'finished', done: 2, failed: 5 });
      expect([(await find('fine'))?.firstName, (await find('twin'))?.firstName]).toEqual(['fine', 'twin']);
    });

    test('many refused rows hide none of the valid ones', async () => {
      const rows = Array.from({ length: 130 }, (_, at) => ({
        row: at + 2,
        set: at % 3 === 0 ? person(`valid${at}`) : { email: `invalid${at}@${domain}` },
      }));
      const job = await importRows(rows, { skipsInvalidRows: true });
      expect(job).toMatchObject({ state: 'finished', total: 130, done: 44, failed: 86 });
      expect((await listItems(job.id)).map(([state]) => state)).toEqual(
        rows.map((_, at) => (at % 3 === 0 ? 'done' : 'failed')),
      );
    });

    test('a check that was interrupted starts again, and one that was paused changes nothing', async () => {
      const kind = registry.jobKinds.get('users.import');
      if (!kind) throw new Error('The kind does not exist');
      let calls = 0;
      const pausing: JobKind = {
        ...kind,
        startCheck: (parameters) => {
          const check = kind.startCheck?.(parameters);
          if (!check) throw new Error('The kind checks nothing');
          return {
            ...check,
            async run(batch) {
              calls += 1;
              if (calls === 1) throw new Error('The service fails');
              return check.run(batch);
            },
          };
        },
      };
      const job = await start([{ row: 2, set: person('nora') }]);
      await run([pausing]);
      expect(await read(job.id)).toMatchObject({ state: 'running', done: 0 });
      expect(await find('nora')).toBeUndefined();
      await sql`update job set retry_at = null where job_id = ${job.id}`.execute(context().db);
      await api.post(`jobs/${job.id}/pause`);
      await run([pausing]);
      expect([calls, (await read(job.id)).state]).toEqual([1, 'paused']);
      await api.post(`jobs/${job.id}/resume`);
      await run([pausing]);
      expect(await read(job.id)).toMatchObject({ state: 'finished', done: 1 });
    });

    test('one user in two rows is invalid', async () => {
      const user = await makeUser();
      const rows = [1, 2].map((row) => ({ row, userId: user.userId, set: { lastName: `Row ${row}` } }));
      const job = await importRows(rows);
      expect(await listItems(job.id)).toEqual([
        ['open', null],
        ['failed', 'The same user is in row 1'],
      ]);
    });
  });

  test('a user whom someone else changed since the review, or removed, is skipped', async () => {
    const [a, b, c] = [await makeUser(), await makeUser(), await makeUser()];
    await api.put('user', { id: a.userId, lastName: 'Theirs' });
    await api.put('userLicense', { userId: b.userId, licenseTypeId: 2 });
    await api.del(`user/${c.userId}`);
    const job = await importRows([
      { row: 2, userId: a.userId, set: { lastName: 'Mine' }, expected: { lastName: 'Before' } },
      { row: 3, userId: b.userId, licenseTypeId: 3, expectedLicenseTypeId: 1 },
      { row: 4, userId: c.userId, set: { lastName: 'Mine' } },
    ]);
    expect(job).toMatchObject({ state: 'finished', conflicts: 3, done: 0 });
    expect(await listItems(job.id)).toEqual([
      ['conflict', 'Someone else changed this user in the meantime: lastName'],
      ['conflict', 'Someone else changed this user in the meantime: licenseTypeId'],
      ['conflict', 'No longer on this site'],
    ]);
    expect((await getUser(a.userId)).lastName).toBe('Theirs');
  });

  test('rows fail whose operations the owner may not use, and nothing of them is stored', async () => {
    const owner = await makeUser({ capabilities: ['Manage Licences', 'Read Data'] });
    const user = await makeUser();
    const group = await makeGroup(context().db, siteId);
    const job = await importRows(
      [
        { row: 2, set: person('nora') },
        { row: 4, userId: owner.userId, addGroups: [group] },
        { row: 5, userId: user.userId, licenseTypeId: 2 },
      ],
      { skipsInvalidRows: true },
      as(context().app, owner, 'console'),
    );
    expect(await listItems(job.id)).toEqual([
      ['failed', 'Creating a user needs capabilities that you do not hold: Manage Users'],
      ['failed', 'Changing groups needs capabilities that you do not hold: Manage Groups'],
      ['done', null],
    ]);
    expect(await getLicense(user.userId)).toBe(2);
  });

  test('changes of how users sign in require proof of presence when the import starts', async () => {
    const user = await makeUser();
    const rows = [{ row: 2, userId: user.userId, set: { email: `new@${domain}` } }];
    await sql`update session set proven_at = now() - interval '1 day' where site_id = ${siteId}`.execute(
      context().db,
    );
    const refused = await importRows(rows);
    expect(await listItems(refused.id)).toEqual([['failed', 'Confirm your identity to continue']]);
    const body = { fileName: 'people.csv', rows, changesSignIn: true };
    expect((await api.post('jobs/userImports', body)).status).toBe(403);
    await sql`update session set proven_at = now() where site_id = ${siteId}`.execute(context().db);
    expect(await importRows(rows, { changesSignIn: true })).toMatchObject({ done: 1 });
    expect((await getUser(user.userId)).email).toBe(`new@${domain}`);
  });

  test('the last administrator stays, and the other rows of the batch are imported once', async () => {
    const users = await Promise.all(Array.from({ length: 5 }, () => makeUser()));
    const rows = [...users, admin].map(({ userId }, at) => ({
      row: at + 2,
      userId,
      set: { isActive: false },
    }));
    const job = await importRows(rows);
    expect(job).toMatchObject({ state: 'finished', done: 5, failed: 1 });
    const [reason] = (await api.get<JobReason[]>(`jobs/${job.id}/reasons`)).body;
    expect(reason?.reason).toContain('without an administrator');
  });

  test('uploaded rows are validated and imported as the listed ones', async () => {
    const upload = await api.post<Job>('jobs/userImports', { fileName: 'people.csv', uploadsItems: true });
    expect(upload.body).toMatchObject({ state: 'uploading', kind: 'users.import' });
    const put = (items: object[]) => {
      const body = JSON.stringify({ items });
      const sha256 = createHash('sha256').update(body).digest('hex');
      return {
        sha256,
        reply: api.put(`jobs/${upload.body.id}/parts/1?firstItem=1&sha256=${sha256}`, { items }),
      };
    };
    expect((await put([{ userId: 1 }]).reply).status).toBe(400);
    const { sha256, reply } = put([
      { row: 2, set: { ...person('aisha'), firstName: 'عائشة' } },
      { row: 3, set: person('ada') },
    ]);
    expect((await reply).status).toBe(200);
    const started = await api.post<Job>(`jobs/${upload.body.id}/submit`, { parts: [sha256] });
    expect(started.body.title).toBe('Import 2 people from people.csv');
    await run();
    expect(await read(upload.body.id)).toMatchObject({ state: 'finished', done: 2 });
    expect((await find('aisha'))?.firstName).toBe('عائشة');
  });

  describe('undo', () => {
    beforeEach(() =>
      sql`update session set proven_at = now() where site_id = ${siteId}`.execute(context().db),
    );

    test('removes created users and restores changed ones, except those whom someone else changed', async () => {
      const group = await makeGroup(context().db, siteId);
      const [a, b] = [await makeUser(), await makeUser()];
      const before = await getUser(a.userId);
      const job = await importRows([
        { row: 2, set: person('nora') },
        {
          row: 3,
          userId: a.userId,
          set: { lastName: 'Moor', timeZone: 'Asia/Tokyo' },
          licenseTypeId: 2,
          addGroups: [group],
          removeGroups: [a.groupId],
        },
        { row: 4, userId: b.userId, set: { lastName: 'Mine' } },
      ]);
      expect(job).toMatchObject({ done: 3 });
      const other = await makePerson(context().db, siteId);
      await as(context().app, other).put('user', { id: b.userId, lastName: 'Theirs' });
      const reply = await api.post<Job>(`jobs/${job.id}/inverse`);
      expect(reply.body).toMatchObject({
        kind: 'users.import-undo',
        title: 'Undo the import of 3 people from people.csv',
      });
      await run();
      expect(await read(reply.body.id)).toMatchObject({ done: 2, conflicts: 1 });
      expect(await find('nora')).toBeUndefined();
      const { lastName, timeZone, groups } = await getUser(a.userId);
      expect({ lastName, timeZone, groups }).toEqual({
        lastName: before.lastName,
        timeZone: null,
        groups: [a.groupId],
      });
      expect(await getLicense(a.userId)).toBe(1);
      expect((await getUser(b.userId)).lastName).toBe('Theirs');
    });

    test('of an import of licenses requires no more than the import', async () => {
      const owner = await makeUser({ capabilities: ['Manage Licences', 'Read Data'] });
      const client = as(context().app, owner, 'console');
      const user = await makeUser();
      const job = await importRows([{ row: 2, userId: user.userId, licenseTypeId: 2 }], {}, client);
      expect((await client.post<Job>(`jobs/${job.id}/inverse`)).body.kind).toBe('users.import');
      await run();
      expect(await getLicense(user.userId)).toBe(1);
    });
  });
});
