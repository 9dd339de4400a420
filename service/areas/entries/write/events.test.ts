import { beforeEach, expect, test } from 'vitest';
import { recalculate, DATA, makeThings, type Things } from '../../../testing/entries.ts';
import { as, makePerson, onEachApp } from '../../../testing/site.ts';

onEachApp((context) => {
  let things: Things;
  beforeEach(async () => {
    things = await makeThings(context());
  });

  /** Events of the entries, oldest first. */
  async function events() {
    const rows = await context()
      .db.selectFrom('topic_event as e')
      .innerJoin('topic as t', 't.topic_id', 'e.topic_id')
      .select('e.payload')
      .where('e.site_id', '=', things.siteId)
      .where('t.name', '=', 'default-data')
      .orderBy('e.off')
      .execute();
    return rows.map(({ payload }) => payload as Readonly<Record<string, unknown>>);
  }

  const audited = () =>
    context()
      .db.selectFrom('audit_log')
      .select(['action', 'actor_id', 'proxy_id', 'subject_type', 'subject_id', 'changes'])
      .where('site_id', '=', things.siteId)
      .where('action', 'like', 'entry.%')
      .orderBy('audit_id')
      .execute();

  const toEvent = (kind: string, ...ids: readonly number[]) => ({
    payload: { entities: { [kind]: ids.map((EntryId) => ({ EntryId, EntryListId: things.typeId })) } },
  });

  test('publishes an event with the schema version for every change of entries', async () => {
    const [one = 0, two = 0] = await things.create({ Name: 'A', Score: 1 }, { Name: 'B' });
    await recalculate(context().db);
    await things.update(one, { Parent: two });
    await things.merge(one, two);
    await things.remove(one);
    const site = await context()
      .db.selectFrom('site')
      .select('schema_version')
      .where('site_id', '=', things.siteId)
      .executeTakeFirstOrThrow();
    const mine = {
      entityType: 'Data',
      schemaVersion: site.schema_version,
      isCalculated: false,
      modifiedById: things.person.userId,
      modifiedByUserEmail: things.person.email,
    };
    expect(await events()).toMatchObject([
      { ...mine, ...toEvent('created', one, two) },
      {
        ...mine,
        ...toEvent('updated', one),
        isCalculated: true,
        modifiedById: null,
        modifiedByUserEmail: null,
      },
      { ...mine, ...toEvent('updated', one) },
      // The reference to the merged entry was redirected.
      { ...mine, ...toEvent('updated', one) },
      { ...mine, ...toEvent('deleted', two) },
      { ...mine, ...toEvent('deleted', one) },
    ]);
  });

  test('publishes no event for rejected requests and requests without changes', async () => {
    const [one = 0] = await things.create({ Name: 'A', Score: 1 });
    const before = (await events()).length;
    await things.update(one, { Score: 1 });
    expect((await things.store('put', things.items(one, { Score: 'x' }))).status).toBe(400);
    expect((await things.api.del(`${DATA}/entrydata/Thing`, [2_000_000_000])).status).toBe(200);
    expect(await events()).toHaveLength(before);
  });

  test('writes one audit row for each request', async () => {
    const [one = 0, two = 0] = await things.create({ Name: 'A' }, { Name: 'B' });
    await things.update(one, { Score: 1, Note: 'x' });
    await things.merge(one, two);
    await things.remove(one);
    const mine = {
      actor_id: things.person.userId,
      proxy_id: null,
      subject_type: 'entry-type',
      subject_id: String(things.typeId),
    };
    expect(await audited()).toEqual([
      { ...mine, action: 'entry.create', changes: { entries: [one, two] } },
      { ...mine, action: 'entry.update', changes: { entries: [one] } },
      { ...mine, action: 'entry.delete', changes: { entries: [two], mergedInto: one } },
      { ...mine, action: 'entry.delete', changes: { entries: [one] } },
    ]);
  });

  test('attributes changes by a proxy to the principal and names the proxy', async () => {
    const { app, db } = context();
    const proxy = await makePerson(db, things.siteId, { capabilities: ['Access Web Service'] });
    const assigned = { proxyUserId: proxy.userId, users: [things.person.userId] };
    expect((await things.api.post('user/proxy', assigned)).status).toBe(200);
    const headers = { 'as-user': String(things.person.userId) };
    const storeRequests = things.items(-1, { Name: 'By proxy' });
    const answer = await as(app, proxy).post<{ entryId: number; modifiedBy: number }[]>(
      `${DATA}/entrydata/Thing`,
      { storeRequests },
      { headers },
    );
    expect([answer.status, answer.body[0]?.modifiedBy]).toEqual([200, things.person.userId]);
    expect(await events()).toMatchObject([
      {
        modifiedById: things.person.userId,
        modifiedByUserEmail: things.person.email,
        proxyUserId: proxy.userId,
        proxyUserEmail: proxy.email,
      },
    ]);
    expect(await audited()).toMatchObject([{ actor_id: things.person.userId, proxy_id: proxy.userId }]);
  });
});
