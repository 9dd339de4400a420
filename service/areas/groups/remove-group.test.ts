import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { Job, JobItem } from '../../../contract/generated/types.gen.ts';
import type { JobKind } from '../../kernel/jobs/job-kind.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import { runJobs } from '../../testing/jobs.ts';
import { as, makeGroup, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';
import { removeGroupsJob } from './remove-group.ts';

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  let api: ApiClient;
  beforeEach(async () => {
    await sql`delete from job`.execute(context().db);
    siteId = await makeSite(context().db);
    admin = await makePerson(context().db, siteId);
    api = as(context().app, admin);
  });

  /** A group with this many members who are members of no other. */
  const makeLargeGroup = async (count: number, capabilities: Parameters<typeof makeGroup>[2] = []) => {
    const groupId = await makeGroup(context().db, siteId, capabilities);
    await addMembers(groupId, count);
    return groupId;
  };
  const addMembers = (groupId: number, count: number) =>
    sql`with added as (
        insert into account (email, email_key, first_name, last_name, home_site_id)
        select made.key, made.key, 'P', 'Q', ${siteId}::int
        from generate_series(1, ${count}::int) n, lateral (select n || '@' || gen_random_uuid() as key) made
        returning user_id),
      joined as (
        insert into membership (site_id, user_id, license_type_id) select ${siteId}::int, user_id, 1 from added
        returning user_id)
      insert into group_member (site_id, group_id, user_id) select ${siteId}::int, ${groupId}::int, user_id from joined`.execute(
      context().db,
    );
  const countMembers = async (groupId: number) => {
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from group_member
      where site_id = ${siteId} and group_id = ${groupId}`.execute(context().db);
    return rows[0]?.count;
  };
  const run = (kinds: readonly JobKind[] = []) => runJobs(context().db, kinds);
  const start = (groupIds: readonly number[], client = api) =>
    client.post<Job & ErrorBody>('jobs/groupRemovals', { groupIds });
  const read = async (id: number) => (await api.get<Job>(`jobs/${id}`)).body;
  const listItems = async (id: number, query = '') =>
    (await api.get<JobItem[]>(`jobs/${id}/items?pageSize=1000${query}`)).body;

  test('DELETE refuses a group with more than 1,000 members and names the job', async () => {
    const [large, small] = [await makeLargeGroup(1_001), await makeLargeGroup(1_000)];
    const refused = await api.del<ErrorBody>(`user/group/${large}`);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringMatching(
        /has 1,001 members\. A group with more than 1,000 .* POST \/jobs\/groupRemovals\./,
      ),
    ]);
    expect(await countMembers(large)).toBe(1_001);
    expect((await api.del(`user/group/${small}`)).status).toBe(200);
    expect((await api.get(`user/group/${small}`)).status).toBe(404);
  });

  test('a job deletes groups in batches, with one audit row and one event for each member', async () => {
    const large = await makeLargeGroup(1_100, ['Read Data']);
    const other = await makeLargeGroup(20);
    const { body: job } = await start([large, other]);
    expect(job).toMatchObject({ title: 'Delete 2 groups', total: 1_122, undoUntil: null });
    await run();
    expect(await read(job.id)).toMatchObject({ state: 'finished', done: 1_122, unchanged: 0, failed: 0 });
    for (const id of [large, other]) expect((await api.get(`user/group/${id}`)).status).toBe(404);
    const { rows } = await sql<{ type: string; action: string; rows: number; subjects: number }>`
      select subject_type as type, action, count(*)::int as rows, count(distinct subject_id)::int as subjects from audit_log
      where site_id = ${siteId} and action like 'group.%' and request_id = (select request_id from job where job_id = ${job.id})
      group by 1, 2 order by 1, 2`.execute(context().db);
    expect(rows.filter(({ action }) => action === 'group.delete')).toEqual([
      { type: 'group', action: 'group.delete', rows: 2, subjects: 2 },
      { type: 'user', action: 'group.delete', rows: 1_120, subjects: 1_120 },
    ]);
    const batches = rows.find(({ action }) => action === 'group.unassign')?.rows ?? 0;
    expect(batches).toBeGreaterThan(2);
    const { rows: events } = await sql<{ kind: string; type: string; count: number }>`
      select e.payload ->> 'entityType' as type, kind, count(*)::int from topic_event e,
        json_object_keys(e.payload #> '{payload,entities}') kind
      where e.site_id = ${siteId} group by 1, 2 order by 1, 2`.execute(context().db);
    expect(events).toEqual([
      { type: 'UserGroups', kind: 'deleted', count: 2 },
      { type: 'UserGroups', kind: 'updated', count: batches },
      { type: 'Users', kind: 'updated', count: 1_120 },
    ]);
    const { rows: members } = await sql<{
      count: number;
    }>`select count(*)::int as count from membership where site_id = ${siteId}`.execute(context().db);
    expect(members).toEqual([{ count: 1_121 }]);
    const [first] = await listItems(job.id);
    expect(first?.label).toBe('P Q');
    expect(first?.detail).toContain('@');
    expect((await listItems(job.id, '&search=group')).map(({ detail }) => detail)).toEqual([
      'Group',
      'Group',
    ]);
  });

  test('the owner leaves the group last, with those who joined during the job', async () => {
    // The only group that lets the owner delete groups.
    const groupId = await makeLargeGroup(60, ['Manage Groups', 'Manage Users', 'Access Web Service']);
    const otherMember = await makePerson(context().db, siteId);
    const owner = await makePerson(context().db, siteId, { capabilities: ['Read Data'] });
    for (const { userId } of [owner, otherMember])
      await sql`insert into group_member (site_id, group_id, user_id) values (${siteId}, ${groupId}, ${userId})`.execute(
        context().db,
      );
    const { status, body: job } = await start([groupId], as(context().app, owner));
    expect([status, job.total]).toEqual([202, 62]);
    await addMembers(groupId, 5);
    await run();
    expect(await read(job.id)).toMatchObject({ state: 'finished', done: 62 });
    expect((await api.get(`user/group/${groupId}`)).status).toBe(404);
    const { rows } = await sql<{ members: number[][] }>`select changes -> 'members' as members from audit_log
      where site_id = ${siteId} and subject_type = 'group' and action = 'group.delete'`.execute(context().db);
    expect(rows[0]?.members[0]?.length).toBe(6);
    expect(rows[0]?.members[0]).toContain(owner.userId);
  });

  test('needs the capabilities of the group, at the start and for each batch', async () => {
    const strong = await makeLargeGroup(120, ['Manage Settings']);
    const weak = await makeLargeGroup(120);
    const owner = await makePerson(context().db, siteId, {
      capabilities: ['Access Web Service', 'Manage Groups', 'Read Data'],
    });
    const client = as(context().app, owner);
    const refused = await start([weak, strong], client);
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('Manage Settings')]);
    const { body: job } = await start([weak], client);
    const grant: JobKind = {
      ...removeGroupsJob,
      async run(batch) {
        const outcomes = await removeGroupsJob.run(batch);
        await sql`update user_group set capabilities = '{"Manage Settings"}' where site_id = ${siteId} and group_id = ${weak}`.execute(
          batch.tx,
        );
        return outcomes;
      },
    };
    await run([grant]);
    expect(await read(job.id)).toMatchObject({ state: 'finished', done: 50, failed: 71 });
    expect((await listItems(job.id, '&state=failed'))[0]?.reason).toContain('Manage Settings');
    expect(await countMembers(weak)).toBe(70);
  });

  test('keeps the group of the last administrator', async () => {
    const { body: job } = await start([admin.groupId]);
    await run();
    expect(await read(job.id)).toMatchObject({ state: 'finished', done: 0, failed: 1 });
    expect((await listItems(job.id))[0]?.reason).toContain('administrator');
    expect(await countMembers(admin.groupId)).toBe(1);
  });

  test('names the path of a group that does not exist, and finds one deleted by somebody else', async () => {
    const [groupId, foreign] = [
      await makeLargeGroup(3),
      await makeGroup(context().db, await makeSite(context().db)),
    ];
    const { status, body } = await start([groupId, foreign]);
    expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, ['groupIds.1']]);
    const { body: job } = await start([groupId]);
    await api.del(`user/group/${groupId}`);
    await run();
    expect(await read(job.id)).toMatchObject({ state: 'finished', done: 0, unchanged: 3, conflicts: 1 });
  });
});
