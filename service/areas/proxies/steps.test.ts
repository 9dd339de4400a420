/** No write while acting without its step; what reads is written down as soon as it can be. */
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ActingReport, ActingReportVm } from '../../../contract/generated/types.gen.ts';
import type { Calls } from '../../testing/calls.ts';
import { as, everything, makePerson, makeSite, onEachApp, openApp, type Person } from '../../testing/site.ts';

const INVESTIGATIONS = 'user/activity/investigations';
const body = { name: 'Who was it', notes: '', query: {} };

onEachApp((house) => {
  let siteId = 0;
  let admin: Calls;
  let proxy: Person;
  let principal: Person;
  let acting: { headers: Record<string, string> };
  beforeEach(async () => {
    const { db, app } = house();
    siteId = await makeSite(db);
    admin = as(app, await makePerson(db, siteId));
    proxy = await makePerson(db, siteId, { capabilities: ['Access Web Service'] });
    principal = await makePerson(db, siteId, { capabilities: everything });
    acting = { headers: { 'as-user': String(principal.userId) } };
    await admin.post('user/proxy', { proxyUserId: proxy.userId, users: [principal.userId] });
  });
  afterEach(() => refuseSteps(false));

  async function refuseSteps(refuse: boolean): Promise<void> {
    const { db } = house();
    await sql`alter table acting_step drop constraint if exists broken`.execute(db);
    if (refuse) await sql`alter table acting_step add constraint broken check (false) not valid`.execute(db);
  }

  const steps = async () => {
    const [report] = (await admin.get<ActingReport[]>('user/proxy/reports')).body;
    const { body: read } = await admin.get<ActingReportVm>(`user/proxy/reports/${report?.id}?pageSize=1000`);
    return read.steps.map(({ operationId, isWrite, status }) => [operationId, isWrite, status]);
  };
  const written = async () => {
    const { rows } = await sql`select actor_id, proxy_id from audit_log
      where site_id = ${siteId} and action like 'investigation.%'`.execute(house().db);
    return rows;
  };

  test('a write is a step with its outcome, and in the audit both people', async () => {
    expect((await as(house().app, proxy).post(INVESTIGATIONS, body, acting)).status).toBeLessThan(300);
    expect(await written()).toEqual([{ actor_id: principal.userId, proxy_id: proxy.userId }]);
    await expect.poll(steps, { timeout: 10_000 }).toEqual([['createInvestigation', true, 200]]);
  });

  test('a write whose step cannot be written is not done; a read is answered, and its step comes later', async () => {
    const calls = as(house().app, proxy);
    await refuseSteps(true);
    expect((await calls.post(INVESTIGATIONS, body, acting)).status).toBe(500);
    expect((await calls.get('user', acting)).status).toBe(200);
    expect(await written()).toEqual([]);
    expect(await steps()).toEqual([]);
    await refuseSteps(false);
    await expect.poll(steps, { timeout: 10_000 }).toEqual(
      expect.arrayContaining([
        ['searchUsers', false, 200],
        ['createInvestigation', true, 500],
      ]),
    );
  });

  test('at a stop nothing is left unwritten', async () => {
    const app = await openApp(house().database);
    const calls = as(app, proxy);
    await calls.post(INVESTIGATIONS, body, acting);
    await calls.get('user', acting);
    await app.close();
    expect(await steps()).toEqual([
      ['createInvestigation', true, 200],
      ['searchUsers', false, 200],
    ]);
  });
});
