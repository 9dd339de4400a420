/** Audit trail of acting: no write without its entry; entries of reads follow shortly after. */
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ActingReport, ActingReportVm } from '../../../contract/generated/types.gen.ts';
import type { ApiClient } from '../../testing/calls.ts';
import {
  as,
  allCapabilities,
  makePerson,
  makeSite,
  onEachApp,
  createTestApp,
  type Person,
} from '../../testing/site.ts';

const INVESTIGATIONS = 'user/activity/investigations';
const body = { name: 'Who was it', notes: '', query: {} };

onEachApp((context) => {
  let siteId = 0;
  let admin: ApiClient;
  let proxy: Person;
  let principal: Person;
  let acting: { headers: Record<string, string> };
  beforeEach(async () => {
    const { db, app } = context();
    siteId = await makeSite(db);
    admin = as(app, await makePerson(db, siteId));
    proxy = await makePerson(db, siteId, { capabilities: ['Access Web Service'] });
    principal = await makePerson(db, siteId, { capabilities: allCapabilities });
    acting = { headers: { 'as-user': String(principal.userId) } };
    await admin.post('user/proxy', { proxyUserId: proxy.userId, users: [principal.userId] });
  });
  afterEach(() => breakEntryTable(false));

  async function breakEntryTable(refuse: boolean): Promise<void> {
    const { db } = context();
    await sql`alter table acting_step drop constraint if exists broken`.execute(db);
    if (refuse) await sql`alter table acting_step add constraint broken check (false) not valid`.execute(db);
  }

  const listEntries = async () => {
    const [report] = (await admin.get<ActingReport[]>('user/proxy/reports')).body;
    const { body: read } = await admin.get<ActingReportVm>(`user/proxy/reports/${report?.id}?pageSize=1000`);
    return read.steps.map(({ operationId, isWrite, status }) => [operationId, isWrite, status]);
  };
  const listAuditRows = async () => {
    const { rows } = await sql`select actor_id, proxy_id from audit_log
      where site_id = ${siteId} and action like 'investigation.%'`.execute(context().db);
    return rows;
  };

  test('a write creates an entry with its status, and the audit row names both users', async () => {
    expect((await as(context().app, proxy).post(INVESTIGATIONS, body, acting)).status).toBeLessThan(300);
    expect(await listAuditRows()).toEqual([{ actor_id: principal.userId, proxy_id: proxy.userId }]);
    await expect.poll(listEntries, { timeout: 10_000 }).toEqual([['createInvestigation', true, 200]]);
  });

  test('a write whose entry cannot be saved is not performed; a read is answered and its entry saved later', async () => {
    const calls = as(context().app, proxy);
    await breakEntryTable(true);
    expect((await calls.post(INVESTIGATIONS, body, acting)).status).toBe(500);
    expect((await calls.get('user', acting)).status).toBe(200);
    expect(await listAuditRows()).toEqual([]);
    expect(await listEntries()).toEqual([]);
    await breakEntryTable(false);
    await expect.poll(listEntries, { timeout: 10_000 }).toEqual(
      expect.arrayContaining([
        ['searchUsers', false, 200],
        ['createInvestigation', true, 500],
      ]),
    );
  });

  test('stopping the service saves all queued entries', async () => {
    const app = await createTestApp(context().database);
    const calls = as(app, proxy);
    await calls.post(INVESTIGATIONS, body, acting);
    await calls.get('user', acting);
    await app.close();
    expect(await listEntries()).toEqual([
      ['createInvestigation', true, 200],
      ['searchUsers', false, 200],
    ]);
  });
});
