import { beforeEach, expect, test } from 'vitest';
import { recalculate, DATA, makeThings, type Things } from '../../../testing/entries/entries.ts';
import { as, makePerson, onEachApp } from '../../../testing/site.ts';
import { deletionLimits } from './delete-entries.ts';

const toPayload = (entities: object) => ({ payload: { entities } });

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
      .select(['e.payload', 'e.entry_names as entryNames'])
      .where('e.site_id', '=', things.siteId)
      .where('t.name', '=', 'default-data')
      .orderBy('e.off')
      .execute();
    return rows.map(({ payload, entryNames }): Readonly<Record<string, unknown>> => ({
      ...payload,
      entryNames,
    }));
  }

  const audited = () =>
    context()
      .db.selectFrom('audit_log')
      .select(['action', 'actor_id', 'proxy_id', 'subject_type', 'subject_id', 'changes'])
      .where('site_id', '=', things.siteId)
      .where('action', 'like', 'entry.%')
      .orderBy('audit_id')
      .execute();

  /** Entities of created or deleted entries. */
  const toEntries = (...ids: readonly number[]) => [
    { entries: ids.map((EntryId) => ({ EntryId })), entryListId: things.typeId },
  ];
  /** Entities of written cells: entry, field and value. */
  const toCells = (...cells: readonly (readonly [entryId: number, apiName: string, value: unknown])[]) => [
    {
      cells: cells.map(([EntryId, apiName, value]) => ({
        EntryId,
        EntryListId: things.typeId,
        fieldId: things.field(apiName).id,
        apiName,
        value,
      })),
      entryListId: things.typeId,
    },
  ];

  test('publishes an event with the written values and the schema version for every change of entries', async () => {
    const [one = 0, two = 0] = await things.create({ Name: 'A', Score: 1 }, { Name: 'B' });
    await recalculate(context().db);
    await things.update(one, { Parent: two, Name: 'A2' });
    await things.merge(one, two);
    await things.remove(one);
    const site = await context()
      .db.selectFrom('site')
      .select('schema_version')
      .where('site_id', '=', things.siteId)
      .executeTakeFirstOrThrow();
    const mine = {
      entityType: 'Data',
      entityFormatType: 'Cells',
      schemaVersion: site.schema_version,
      isCalculated: false,
      modifiedById: things.person.userId,
      modifiedByUserEmail: things.person.email,
    };
    const reference = (id: number, name: string) => ({ type: 0, id, name, entryListId: things.typeId });
    const counted = await events();
    expect(counted).toMatchObject([
      {
        ...mine,
        entryNames: { [one]: 'A', [two]: 'B' },
        ...toPayload({
          created: toEntries(one, two),
          updated: toCells(
            [one, 'Name', 'A'],
            [one, 'Score', 1],
            [one, 'No', 1],
            [two, 'Name', 'B'],
            [two, 'No', 2],
          ),
        }),
      },
      {
        ...mine,
        ...toPayload({ updated: toCells([one, 'Twice', 2]) }),
        isCalculated: true,
        modifiedById: null,
        modifiedByUserEmail: null,
      },
      {
        ...mine,
        entryNames: { [one]: 'A2' },
        ...toPayload({ updated: toCells([one, 'Parent', reference(two, 'B')], [one, 'Name', 'A2']) }),
      },
      // The reference to the merged entry was redirected.
      { ...mine, ...toPayload({ updated: toCells([one, 'Parent', reference(one, 'A2')]) }) },
      { ...mine, ...toPayload({ deleted: toEntries(two) }) },
      { ...mine, entryNames: { [one]: 'A2' }, ...toPayload({ deleted: toEntries(one) }) },
    ]);
  });

  test('values have the format of the data operations; long text is left out and cleared cells are null', async () => {
    const { person } = things;
    const [one = 0] = await things.create({
      Name: 'A',
      Note: 'n'.repeat(10_001),
      Memo: 'm'.repeat(10_000),
      Stage: things.choice('Stage', 'Open'),
      Tags: [things.choice('Tags', 'Red')],
      Price: { value: 2.5, currencyCode: 'EUR' },
      Founded: '2026-03-01',
      Owner: person.userId,
    });
    await things.update(one, { Memo: null });
    const [created, cleared] = (await events()) as {
      payload: { entities: { updated: { cells: Record<string, unknown>[] }[] } };
    }[];
    const cells = created?.payload.entities.updated[0]?.cells ?? [];
    const byName = new Map(cells.map((cell) => [cell['apiName'], cell]));
    expect(byName.get('Note')).toEqual({
      EntryId: one,
      EntryListId: things.typeId,
      fieldId: things.field('Note').id,
      apiName: 'Note',
      isLargeText: true,
    });
    const choice = (field: string, name: string, seqNumber: number) => ({
      id: things.choice(field, name),
      name,
      seqNumber,
      entryListId: -6,
    });
    expect(Object.fromEntries([...byName].map(([name, cell]) => [name, cell['value']]))).toMatchObject({
      Memo: 'm'.repeat(10_000),
      Stage: choice('Stage', 'Open', 1),
      Tags: [choice('Tags', 'Red', 1)],
      Price: { value: 2.5, currencyCode: 'EUR' },
      Founded: '2026-03-01T00:00:00.000Z',
      Owner: { id: person.userId, name: 'Ada Okafor', entryListId: -1, url: `mailto:${person.email}` },
    });
    expect(cleared?.payload.entities).toEqual({ updated: toCells([one, 'Memo', null]) });
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

  test('a removal changes the entries that refer to it in batches, with an event and an audit row for each', async () => {
    const [target = 0, away = 0] = await things.create({ Name: 'Target' }, { Name: 'Away' });
    const referrers = await things.create(
      ...['A', 'B', 'C', 'D', 'E'].map((Name) => ({ Name, Parent: away, Friends: [away, target] })),
    );
    await things.update(target, { Parent: away });
    const { referrersAtOnce } = deletionLimits;
    deletionLimits.referrersAtOnce = 4;
    try {
      const before = (await audited()).length;
      await things.merge(target, away);
      const batches = [[target, ...referrers.slice(0, 3)], referrers.slice(3)];
      expect((await audited()).slice(before)).toMatchObject([
        ...batches.map((entries) => ({
          action: 'entry.update',
          changes: { entries, instead: { of: [away], is: target } },
        })),
        { action: 'entry.delete', changes: { entries: [away], mergedInto: target } },
      ]);
      expect((await events()).slice(-3)).toMatchObject([
        ...batches.map((entries) => ({
          entryNames: Object.fromEntries(entries.map((id) => [id, expect.any(String)])),
        })),
        toPayload({ deleted: toEntries(away) }),
      ]);
      expect(await things.names({ Parent: target })).toEqual(['Target', 'A', 'B', 'C', 'D', 'E']);
      expect(await things.names({ Friends: { $in: [away] } })).toEqual([]);
      await things.remove(target);
      const { rows } = await things.query({ EntryId: { $in: referrers } });
      expect(rows.map(({ Name, Parent, Friends }) => [Name, Parent, Friends])).toEqual(
        ['A', 'B', 'C', 'D', 'E'].map((name) => [name, undefined, undefined]),
      );
    } finally {
      deletionLimits.referrersAtOnce = referrersAtOnce;
    }
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
