/** Changes that touch more people than one statement takes parameters for, and what is noted of when they were made. */
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { as, makeGroup, makePerson, makeSite, onEachApp, type Person } from '../testing/site.ts';
import { change, hostActor } from './change.ts';

/** More than 65,535 parameters in the audit log and in the topic, at 8 and at 4 a row. */
const MANY = 17_000;

onEachApp((house) => {
  let admin: Person;
  beforeEach(async () => {
    admin = await makePerson(house().db, await makeSite(house().db));
  });

  test('a group of many thousands can be deleted: each of them is audited and told, in order', async () => {
    const { db, app } = house();
    const { siteId } = admin;
    const groupId = await makeGroup(db, siteId);
    await sql`insert into account (email, email_key, first_name, last_name, home_site_id)
      select n || '@many.test', n || '@many.test', 'P', 'N', ${siteId} from generate_series(1, ${MANY}::int) n`.execute(
      db,
    );
    await sql`insert into membership (site_id, user_id, license_type_id)
      select ${siteId}, user_id, 1 from account where email_key like '%@many.test'`.execute(db);
    await sql`insert into group_member (site_id, group_id, user_id)
      select ${siteId}, ${groupId}, user_id from account where email_key like '%@many.test'`.execute(db);
    expect((await as(app, admin).del(`user/group/${groupId}`)).status).toBe(200);
    const { rows } = await sql<object>`select
      (select count(*) from audit_log where site_id = ${siteId}) as audits,
      (select count(distinct off) from topic_event where site_id = ${siteId}) as events,
      (select next from topic where site_id = ${siteId}) as next,
      (select max(off) from topic_event where site_id = ${siteId}) as last`.execute(db);
    expect(rows).toEqual([{ audits: MANY + 1, events: MANY + 1, next: MANY + 1, last: MANY }]);
  }, 60_000);

  test('what waited for another change is noted as later than that, not as of its own beginning', async () => {
    const { db } = house();
    const began = await change(db, hostActor(admin.siteId), async (tx, record) => {
      const { rows } = await sql<{ now: Date }>`select now() from pg_sleep(0.05)`.execute(tx);
      record({ action: 'test.wait', subject: ['user', admin.userId], changes: {} });
      return rows[0]?.now;
    });
    const { at } = await db
      .selectFrom('audit_log')
      .select('at')
      .where('action', '=', 'test.wait')
      .where('site_id', '=', admin.siteId)
      .executeTakeFirstOrThrow();
    expect(at.getTime() - Number(began?.getTime())).toBeGreaterThanOrEqual(49);
  });
});
