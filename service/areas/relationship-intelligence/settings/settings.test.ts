/** Settings, users, exclusions, erasure and relationships of Relationship Intelligence. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type {
  Erasure,
  Exclusion,
  ExclusionTrial,
  Job,
  RelationshipPage,
  RelationshipSettings,
  RelationshipUserPage,
  UserImportActivity,
} from '../../../../contract/generated/types.gen.ts';
import type { ErrorBody } from '../../../testing/calls.ts';
import { runJobs } from '../../../testing/jobs.ts';
import {
  enableRelationships,
  getCounts,
  importEmails,
  makeEmails,
  resetGate,
  RI_PATH,
} from '../../../testing/relationships.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../../testing/site.ts';
import { runTask } from '../../../testing/tasks.ts';
import { createRetentionTasks } from '../retention.ts';

const DAY_MS = 86_400_000;

const shy = (id: string) => makeEmails(1, { sender: { address: 'b@shy.test', name: '' } }, id);

const buildOld = (id: string, days: number, name: string) =>
  makeEmails(
    1,
    {
      sender: { address: `${name}@outside.test`, name },
      sentDate: new Date(Date.now() - days * DAY_MS).toISOString(),
    },
    id,
  );

onEachApp((context) => {
  let person: Person;
  let siteId = 0;
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    person = await makePerson(context().db, siteId);
  });
  const api = () => as(context().app, person, 'console');
  const setProof = (isProven: boolean) =>
    sql`update session set proven_at = case when ${isProven} then now() end where user_id = ${person.userId}`.execute(
      context().db,
    );
  const enable = () => enableRelationships(context().db, siteId, [person.userId]);
  const post = async (emails: ReturnType<typeof makeEmails>) => {
    await resetGate(context().db, siteId);
    const sorted = emails.toSorted((a, b) => a.sentDate.localeCompare(b.sentDate));
    return importEmails(api(), [{ userId: person.userId, emails: sorted }]);
  };
  const listRelationships = async (query = '') =>
    (await api().get<RelationshipPage>(`${RI_PATH}/relationships${query}`)).body;
  const own = () => ({ address: person.email, name: 'Ada' });

  test('settings are changed by property, checked against the schema, and audited', async () => {
    const path = `${RI_PATH}/settings`;
    const before = await api().get<RelationshipSettings>(path);
    expect(before.body).toMatchObject({
      connectionType: 'None',
      isEnabled: false,
      historicalSyncPeriodDays: 365,
    });
    const put = (body: object, headers = {}) =>
      api().put<RelationshipSettings & ErrorBody>(path, body, { headers });
    const changed = await put({
      connectionType: 'API Endpoint',
      internalDomains: ['Inside.test', 'inside.test'],
    });
    expect([changed.status, changed.body]).toEqual([
      200,
      {
        ...before.body,
        connectionType: 'API Endpoint',
        internalDomains: ['inside.test'],
        modifiedDate: changed.body.modifiedDate,
      },
    ]);
    expect((await put({ isEnabled: true }, { 'if-match': String(before.headers['etag']) })).status).toBe(412);
    for (const [body, errorPath] of [
      [{ automatedContactCreation: true }, 'contacts'],
      [{ contacts: { entryTypeId: 999_999, emailFieldId: 1 } }, 'contacts.entryTypeId'],
      [{ internalDomains: ['no domain'] }, 'internalDomains.0'],
      [{ retentionDays: 61 }, 'retentionDays'],
    ] as const) {
      const refused = await put(body);
      expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, errorPath]);
    }
    const { rows } = await sql<{ changes: object }>`select changes from audit_log
      where site_id = ${siteId} and action = 'relationships.settings'`.execute(context().db);
    expect(rows).toEqual([
      { changes: { connectionType: ['None', 'API Endpoint'], internalDomains: [[], ['inside.test']] } },
    ]);
  });

  test('a job enables users and is undone; the list has silent users first', async () => {
    const other = await makePerson(context().db, siteId, { email: `ärzte.${siteId}@people.test` });
    const userIds = [person.userId, other.userId];
    const started = await api().put<Job>(`${RI_PATH}/users`, { isEnabled: true, userIds });
    expect([started.status, started.body.title]).toEqual([202, 'Enable 2 people for relationship scoring']);
    await runJobs(context().db);
    const list = async (query = '') =>
      (await api().get<RelationshipUserPage>(`${RI_PATH}/users?isEnabled=true${query}`)).body;
    expect((await list()).users.map(({ userId }) => userId)).toEqual(userIds);
    await sql`insert into ri_setting (site_id, connection_type, is_enabled, email_relationships, collect_relationship_data)
      values (${siteId}, 'API Endpoint', true, true, true)`.execute(context().db);
    await post(makeEmails(2, { sender: own() }));
    await sql`update ri_user set last_meeting_sync_at = now() where site_id = ${siteId} and user_id = ${person.userId}`.execute(
      context().db,
    );
    const { users, totalCount } = await list('&pageSize=1');
    expect([totalCount, users[0]?.userId, users[0]?.lastEmailSyncDate]).toEqual([2, other.userId, null]);
    const search = encodeURIComponent(`ÄRZTE.${siteId}`);
    expect((await list(`&search=${search}`)).users.map(({ userId }) => userId)).toEqual([other.userId]);
    expect((await list(`&search=${person.email}`)).users[0]).toMatchObject({
      historyCompletedDate: null,
      relationships: { contacts: 2, sent: 2, received: 0, meetings: 0 },
    });
    expect(users[0]?.relationships).toEqual({ contacts: 0, sent: 0, received: 0, meetings: 0 });
    const activity = await api().get<UserImportActivity[]>(
      `${RI_PATH}/activity?userIds=${person.userId}&days=2`,
    );
    expect(activity.body[0]?.days.reduce((sum, { emails }) => sum + emails, 0)).toBe(2);
    expect((await api().post(`jobs/${started.body.id}/inverse`)).status).toBe(202);
    await runJobs(context().db);
    expect((await list()).totalCount).toBe(0);
  });

  test('the end of the historical upload is one-way, and items before the previous month are skipped then', async () => {
    await enable();
    const old = new Date(Date.now() - 70 * DAY_MS).toISOString();
    const build = (id: string) => makeEmails(1, { uniqueId: id, sentDate: old });
    expect((await post(build('before'))).body.map(getCounts)).toEqual([[1, 1, 0, 0]]);
    await setProof(false);
    expect((await api().post(`${RI_PATH}/history/complete`, {})).status).toBe(403);
    await setProof(true);
    const complete = () => api().post(`${RI_PATH}/history/complete`, { userIds: [person.userId] });
    expect((await complete()).body).toEqual({ completed: 1 });
    expect((await complete()).body).toEqual({ completed: 0 });
    const { body } = await post(build('after'));
    expect(body[0]).toMatchObject({
      status: 3,
      statusText: 'Partly skipped',
      operationStats: { received: 1, added: 0, alreadyProcessed: 0, skipped: 1 },
      warnings: [{ code: 'HISTORY_CLOSED', uniqueId: 'after' }],
    });
  });

  test('an exclusion is tried on stored items, then skips new ones until it is removed', async () => {
    await enable();
    await post([
      ...makeEmails(3, { sender: { address: 'a@mail.shy.test', name: 'Shy' } }, 'shy'),
      ...makeEmails(2, {}, 'other'),
    ]);
    const tried = await api().post<ExclusionTrial>(`${RI_PATH}/exclusions/trial`, { value: 'Shy.test' });
    expect(tried.body).toMatchObject({ emails: 3, totalEmails: 5, meetings: 0, users: 1, addresses: 1 });
    expect(tried.body.strongest.map(({ address }) => address)).toEqual(['a@mail.shy.test']);
    // Numbers are no names: who may change settings but not read relationships gets those only.
    const support = await makePerson(context().db, siteId, { capabilities: ['Manage Settings'] });
    const readCounts = as(context().app, support, 'console');
    expect((await readCounts.get(`${RI_PATH}/relationships`)).status).toBe(403);
    const counted = await readCounts.post<ExclusionTrial>(`${RI_PATH}/exclusions/trial`, {
      value: 'shy.test',
    });
    expect(counted.body).toEqual({ ...tried.body, strongest: [] });
    const created = await api().post<Exclusion>(`${RI_PATH}/exclusions`, {
      value: 'Shy.test',
      note: 'Asked',
    });
    expect(created.body).toMatchObject({
      value: 'shy.test',
      isDomain: true,
      note: 'Asked',
      createdById: person.userId,
    });
    expect((await api().post(`${RI_PATH}/exclusions`, { value: 'shy.test' })).status).toBe(409);
    expect((await post(shy('x'))).body[0]).toMatchObject({ warnings: [{ code: 'EXCLUDED' }] });
    expect((await api().del(`${RI_PATH}/exclusions/${created.body.id}`)).status).toBe(204);
    expect((await api().get<Exclusion[]>(`${RI_PATH}/exclusions`)).body).toEqual([]);
    expect((await post(shy('x'))).body.map(getCounts)).toEqual([[1, 1, 0, 0]]);
  });

  test('domains and users are known in the spelling of items, whatever letters they were written with', async () => {
    await enable();
    const ascii = 'xn--bcher-kva.test';
    await sql`update account set email = 'ada@häfen.test', email_key = 'ada@xn--hfen-loa.test' where user_id = ${person.userId}`.execute(
      context().db,
    );
    const self = { address: 'ada@xn--hfen-loa.test', name: 'Ada' };
    const shop = { address: `shop@${ascii}`, name: 'Shop' };
    await post(makeEmails(1, { sender: self, recipientsTo: [shop] }, 'own'));
    const { body } = await api().get<RelationshipPage>(
      `${RI_PATH}/relationships?domain=${encodeURIComponent('Bücher.test')}`,
    );
    expect(body.relationships).toMatchObject([{ address: shop.address, sent: 1, received: 0 }]);
    expect(body.totalCount).toBe(1);
    const value = 'Bücher.test';
    const tried = await api().post<ExclusionTrial>(`${RI_PATH}/exclusions/trial`, { value });
    expect(tried.body).toMatchObject({ emails: 1 });
    await api().post(`${RI_PATH}/exclusions`, { value });
    expect((await post(makeEmails(1, { sender: shop }, 'shop'))).body[0]).toMatchObject({
      warnings: [{ code: 'EXCLUDED' }],
    });
    await api().put(`${RI_PATH}/settings`, { internalDomains: ['häfen.test'] });
    const colleague = { address: 'kim@xn--hfen-loa.test', name: 'Kim' };
    const inside = makeEmails(1, { sender: colleague, recipientsTo: [self] }, 'inside');
    expect((await post(inside)).body[0]).toMatchObject({ warnings: [{ code: 'INTERNAL_ONLY' }] });
  });

  test('an erasure leaves no trace of the address but its hash, and proves it', async () => {
    await enable();
    const gone = { address: 'Gone@outside.test', name: 'Gone' };
    const stays = { address: 'stays@outside.test', name: 'Stays' };
    await post([
      ...makeEmails(1, { sender: own(), recipientsTo: [gone] }, 'alone'),
      ...makeEmails(1, { sender: own(), recipientsTo: [gone, stays] }, 'both'),
      ...makeEmails(1, { sender: gone, recipientsTo: [own()], recipientsCc: [stays] }, 'from'),
    ]);
    await setProof(false);
    expect((await api().post(`${RI_PATH}/erasures`, { address: gone.address })).status).toBe(403);
    await setProof(true);
    const { status, body } = await api().post<Erasure>(`${RI_PATH}/erasures`, { address: gone.address });
    const addressSha256 = createHash('sha256').update('gone@outside.test').digest('hex');
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        addressSha256,
        changedItems: 1,
        removedItems: 2,
        removedRelationships: 1,
        remaining: 0,
      }),
    ]);
    const { id, erasedDate, erasedById, changedItems, removedItems, removedRelationships, remaining } = body;
    const signed = {
      id,
      addressSha256,
      erasedDate,
      erasedById,
      changedItems,
      removedItems,
      removedRelationships,
      remaining,
    };
    expect(body.proof).toBe(createHash('sha256').update(JSON.stringify(signed)).digest('hex'));
    for (const table of ['ri_item', 'ri_item_user', 'ri_relation', 'ri_run', 'ri_erasure', 'audit_log']) {
      const { rows } = await sql`select * from ${sql.table(table)} where site_id = ${siteId}`.execute(
        context().db,
      );
      expect(JSON.stringify(rows).toLowerCase()).not.toContain('gone@');
    }
    expect((await api().get<Erasure[]>(`${RI_PATH}/erasures`)).body).toEqual([body]);
    const left = await api().get<RelationshipPage>(`${RI_PATH}/relationships`);
    expect(left.body.relationships.map(({ address, sent }) => [address, sent])).toEqual([
      ['stays@outside.test', 1],
    ]);
    // Importing an erased item again does not bring the address back.
    const again = await post(
      makeEmails(1, { sender: own(), recipientsTo: [gone, stays], modifiedDate: '2100-01-01' }, 'both'),
    );
    expect(again.body.map(getCounts)).toEqual([[1, 0, 1, 0]]);
    const { rows } = await sql`select from ri_item where addresses @> array['gone@outside.test']`.execute(
      context().db,
    );
    expect(rows).toEqual([]);
  });

  test('an erasure reaches what jobs have imported, could not import, or have not imported yet', async () => {
    await enable();
    const { db, app } = context();
    const disabled = await makePerson(db, siteId);
    const leaver = { address: 'Leaver@outside.test', name: 'Gone Person' };
    const stays = { address: 'stays@outside.test', name: 'leaver@outside.test' };
    const startJob = (userId: number, prefix: string) =>
      as(app, person, 'console').post<Job>(`${RI_PATH}/import/jobs`, {
        kind: 'emails',
        items: [
          {
            userId,
            emails: [
              ...makeEmails(1, { sender: own(), recipientsTo: [leaver] }, `${prefix}-gone`),
              ...makeEmails(1, { sender: own(), recipientsTo: [stays, leaver] }, `${prefix}-both`),
              ...makeEmails(
                1,
                { sender: own(), recipientsTo: [stays], recipientsCc: [leaver] },
                `${prefix}-copy`,
              ),
            ],
          },
        ],
      });
    const done = await startJob(person.userId, 'done');
    await runJobs(db);
    const readInput = async (id: number) => {
      const { rows } = await sql<{ input: object }>`select input from job_item where job_id = ${id}`.execute(
        db,
      );
      return rows[0]?.input;
    };
    // Nothing needs the request of a done item.
    expect(await readInput(done.body.id)).toEqual({});
    const failed = await startJob(disabled.userId, 'failed');
    await runJobs(db);
    const waiting = await startJob(person.userId, 'waiting');
    await setProof(true);
    const { status, body } = await api().post<Erasure>(`${RI_PATH}/erasures`, {
      address: 'leaver@outside.test',
    });
    expect([status, body.remaining]).toEqual([200, 0]);
    const { rows: tables } = await sql<{ name: string }>`
      select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
      where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`.execute(
      db,
    );
    expect(tables.length).toBeGreaterThan(50);
    for (const { name } of tables) {
      const { rows } = await sql<{
        n: number;
      }>`select count(*)::int as n from ${sql.raw(name)} as t where t::text ilike '%leaver@outside%'`.execute(
        db,
      );
      expect([name, rows[0]?.n]).toEqual([name, 0]);
    }
    const others = { name: 'stays@outside.test', address: 'stays@outside.test' };
    for (const [job, prefix] of [
      [failed, 'failed'],
      [waiting, 'waiting'],
    ] as const)
      expect(await readInput(job.body.id)).toMatchObject({
        emails: [
          { uniqueId: `${prefix}-both-0`, recipientsTo: [others] },
          { uniqueId: `${prefix}-copy-0`, recipientsTo: [others], recipientsCc: [] },
        ],
      });
    await runJobs(db);
    const { rows } = await sql<{ address: string }>`select distinct address from ri_relation
      where site_id = ${siteId}`.execute(db);
    expect(rows).toEqual([{ address: 'stays@outside.test' }]);
  });

  test('relationships have counts by direction and a score with its reasons, the strongest first', async () => {
    await enable();
    const ann = { address: 'ann@outside.test', name: 'Ann' };
    const year = 365 * DAY_MS;
    await sql`update ri_setting set history_days = 1000 where site_id = ${siteId}`.execute(context().db);
    const earlier = new Date(Date.now() - year).toISOString();
    await post([
      ...makeEmails(1, { sender: own(), recipientsTo: [ann], sentDate: earlier }, 'first'),
      ...makeEmails(3, { sender: own(), recipientsTo: [ann] }, 'sent'),
      ...makeEmails(
        4,
        { sender: { address: 'ANN@outside.test', name: 'Ann' }, recipientsTo: [own()] },
        'received',
      ),
      ...makeEmails(
        1,
        { sender: { address: 'bob@deep.other.test', name: 'Bob' }, recipientsTo: [own()] },
        'bob',
      ),
    ]);
    const { totalCount, relationships } = await listRelationships();
    expect([totalCount, relationships.map(({ address }) => address)]).toEqual([
      2,
      ['ann@outside.test', 'bob@deep.other.test'],
    ]);
    const [first] = relationships;
    expect(first).toMatchObject({
      name: 'Ann',
      sent: 4,
      received: 4,
      meetings: 0,
      userName: 'Ada Okafor',
      entryId: null,
    });
    // 30 for today, 5 × log2(9) = 16, 15 for the balance, 10 for more than ten months.
    expect(first?.reasons.map(({ code, points }) => [code, points])).toEqual([
      ['RECENT', 30],
      ['EMAILS', 16],
      ['MUTUAL', 15],
      ['LASTING', 10],
    ]);
    expect([first?.score, first?.reasons[0]?.text]).toEqual([71, 'Last contact today']);
    expect(
      (await listRelationships('?domain=other.test')).relationships.map(({ address }) => address),
    ).toEqual(['bob@deep.other.test']);
    expect((await listRelationships('?address=ANN@outside.test')).totalCount).toBe(1);
    expect((await listRelationships('?entryId=1')).totalCount).toBe(0);
  });

  test('items beyond the retention of the site are deleted with what they added to relationships', async () => {
    await enable();
    await sql`update ri_setting set retention_days = 62 where site_id = ${siteId}`.execute(context().db);
    await post([
      ...buildOld('old', 80, 'old'),
      ...buildOld('old2', 79, 'both'),
      ...buildOld('new', 1, 'both'),
    ]);
    await sql`update ri_run set started_at = now() - interval '91 days' where site_id = ${siteId}`.execute(
      context().db,
    );
    for (const task of createRetentionTasks(context())) await task.run(new AbortController().signal);
    const { rows } = await sql<{
      address: string;
      received: number;
    }>`select address, received from ri_relation
      where site_id = ${siteId}`.execute(context().db);
    expect(rows).toEqual([{ address: 'both@outside.test', received: 1 }]);
    for (const [table, left] of [
      ['ri_item', 1],
      ['ri_item_user', 1],
      ['ri_run', 0],
    ] as const) {
      const counted = await sql<{
        n: number;
      }>`select count(*)::int as n from ${sql.table(table)} where site_id = ${siteId}`.execute(context().db);
      expect([table, counted.rows[0]?.n]).toEqual([table, left]);
    }
  });

  test('a site whose old items cannot be deleted does not keep those of others', async () => {
    const { db } = context();
    const broken = siteId;
    siteId = await makeSite(db);
    for (const each of [broken, siteId]) {
      await enableRelationships(db, each, [], { retention_days: 62 });
      await sql`insert into ri_item (site_id, kind, item_key, at, modified_at, content, addresses)
        values (${each}, 1, gen_random_uuid(), now() - interval '80 days', now(), gen_random_uuid(), '{}')`.execute(
        db,
      );
    }
    await sql`create or replace function refuse_delete() returns trigger language plpgsql as
      $$ begin raise exception 'This item cannot be deleted'; end $$`.execute(db);
    await sql
      .raw(
        `create trigger refuse_delete before delete on ri_item for each row when (old.site_id = ${broken}) execute function refuse_delete()`,
      )
      .execute(db);
    try {
      const task = createRetentionTasks(context()).find(
        ({ name }) => name === 'relationship items retention',
      );
      if (!task) throw new Error('The task does not exist');
      await expect(runTask(task)).rejects.toThrow('This item cannot be deleted');
      const { rows } = await sql`select site_id from ri_item
        where site_id in (${broken}, ${siteId})`.execute(db);
      expect(rows).toEqual([{ site_id: broken }]);
    } finally {
      await sql`drop trigger refuse_delete on ri_item`.execute(db);
      await sql`delete from ri_item where site_id = ${broken}`.execute(db);
    }
  });
});
