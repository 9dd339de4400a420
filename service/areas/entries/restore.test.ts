import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runCommand } from '../../cli/commands/index.ts';
import type { EntryChanges } from '../../../contract/generated/types.gen.ts';
import { calculate, DATA, makeThings, SCHEMA } from '../../testing/entries.ts';
import { as, makePerson, onEachApp, publicUrl } from '../../testing/site.ts';

/** Moments are exact to a millisecond. */
const settle = () => sleep(4);

onEachApp((house) => {
  const slugOf = async (siteId: number) =>
    (
      await house()
        .db.selectFrom('site')
        .select('slug')
        .where('site_id', '=', siteId)
        .executeTakeFirstOrThrow()
    ).slug;

  test('deleted and merged entries come back with their ids and values, without what is gone meanwhile', async () => {
    const things = await makeThings(house());
    const [gone = 0, kept = 0, one = 0, merged = 0] = await things.create(
      { Name: 'Gone' },
      { Name: 'Kept' },
      { Name: 'One' },
      { Name: 'Merged' },
    );
    await things.update(one, { Note: 'Findable', Score: 4, Parent: gone, Friends: [gone, kept] });
    await calculate(house().db);
    await things.remove(gone);
    await things.update(one, { Parent: kept });
    const before = (await things.query({ EntryId: one })).rows;
    await things.remove(one);
    await things.merge(kept, merged);
    expect(await things.names({ Note: { $contains: 'findable' } })).toEqual([]);

    const restore = async (...ids: number[]) =>
      runCommand({ db: house().db, publicUrl }, [
        'entry',
        'restore',
        'thing',
        ...ids.map(String),
        '--site',
        await slugOf(things.siteId),
      ]);
    expect(await restore(one, merged, kept, 999_999)).toEqual({
      restored: [one, merged],
      absent: [kept, 999_999],
    });
    expect((await things.query({ EntryId: one })).rows).toEqual(before);
    expect(await things.names({ Note: { $contains: 'findable' } })).toEqual(['One']);
    expect(await things.names({ Friends: kept })).toEqual(['One']);
    expect((await things.query({})).totalRecords).toBe(3);
    expect(await restore(one)).toEqual({ restored: [], absent: [one] });
    // It is an entry as any other: changed, and told as changed.
    await things.update(one, { Name: 'One again' });
    expect(await things.names({ EntryId: one })).toEqual(['One again']);
  });

  test('an administrator brings entries back, and the history tells how they went and came', async () => {
    const things = await makeThings(house());
    const [gone = 0, stays = 0, merged = 0] = await things.create(
      { Name: 'Gone', Note: 'kept' },
      { Name: 'Stays' },
      { Name: 'Merged' },
    );
    await things.remove(gone);
    await things.merge(stays, merged);
    const path = `${DATA}/entrydata/Thing`;
    const capabilities = ['Access Web Service', 'Read Data', 'Manage Backups'] as const;
    const reader = await makePerson(house().db, things.siteId, { capabilities });
    const refused = await as(house().app, reader, 'console').post(`${path}/restore`, [gone]);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('Write Data')]);
    const admin = as(house().app, things.person, 'console');
    const { body } = await admin.post(`${path}/restore`, [gone, merged, stays, gone]);
    expect(body).toEqual({ restored: [gone, merged], absent: [stays] });
    expect(await things.names({ Note: 'kept' })).toEqual(['Gone']);
    const changes = async (id: number) =>
      (await things.api.get<EntryChanges>(`${path}/entries/${id}/changes`)).body.changes;
    const by = { id: things.person.userId };
    expect(await changes(gone)).toMatchObject([
      { kind: 'restored', by },
      { kind: 'deleted', by },
      { kind: 'created', by },
    ]);
    expect(await changes(merged)).toMatchObject([
      { kind: 'restored' },
      { kind: 'merged', entry: { id: stays, name: 'Stays' } },
      { kind: 'created' },
    ]);
  });

  test('what comes back together refers to one another, and what it lost stands in its history', async () => {
    const things = await makeThings(house());
    const [gone = 0, one = 0, two = 0] = await things.create(
      { Name: 'Gone' },
      { Name: 'One' },
      { Name: 'Two' },
    );
    await things.update(one, { Parent: two, Friends: [gone, two] });
    await settle();
    const asOf = new Date().toISOString();
    await settle();
    await things.remove(one, two);
    await things.remove(gone);
    const admin = as(house().app, things.person, 'console');
    const path = `${DATA}/entrydata/Thing`;
    expect((await admin.post(`${path}/restore`, [two, one])).body).toEqual({
      restored: [one, two],
      absent: [],
    });
    const [now] = (await things.query({ EntryId: one })).rows;
    expect(now).toMatchObject({ Parent: { id: two }, Friends: { id: two } });
    expect(await things.names({ Friends: two })).toEqual(['One']);
    const then = await things.api.post<{ rows: object[] }>(`${DATA}/entrydata/rows/asof/Thing`, {
      asOf,
      query: { EntryId: one },
      fields: ['Friends'],
    });
    expect(then.body.rows).toEqual([
      {
        EntryId: one,
        Friends: [expect.objectContaining({ id: gone }), expect.objectContaining({ id: two })],
      },
    ]);
  });

  test('what comes back fits its fields, which are free to change while there are no entries', async () => {
    const things = await makeThings(house());
    const open = things.choice('Stage', 'Open');
    const [id = 0] = await things.create({
      Name: 'One',
      Stage: open,
      Tags: [things.choice('Tags', 'Red'), things.choice('Tags', 'Blue')],
      Team: [things.person.userId],
      Seen: '2026-03-01T08:00:00.000Z',
      Revenue: { value: 4, currencyCode: 'EUR' },
      Note: 'kept',
    });
    await things.remove(id);
    const change = async (name: string, traits: object) => {
      const { status, text } = await things.api.put(`${SCHEMA}/fields/${things.field(name).id}`, traits);
      expect([status, text]).toEqual([200, text]);
    };
    await change('Stage', { isMultiSelect: true });
    await change('Tags', { isMultiSelect: false });
    await change('Team', { isMultiSelect: false });
    await change('Seen', { isDateOnly: true });
    await change('Revenue', { isMoney: false });
    const admin = as(house().app, things.person, 'console');
    const restored = await admin.post(`${DATA}/entrydata/Thing/restore`, [id]);
    expect(restored.body).toEqual({ restored: [id], absent: [] });
    const { rows } = await things.query({}, { wrapIntoArrays: true });
    expect(rows).toMatchObject([
      { EntryId: id, Note: 'kept', Stage: [{ id: open }], Team: { id: things.person.userId } },
    ]);
    for (const name of ['Tags', 'Seen', 'Revenue']) expect(rows[0]).not.toHaveProperty(name);
    expect(await things.names({ Stage: open })).toEqual(['One']);
  });

  test('what cannot be restored is told in words', async () => {
    const { siteId } = await makeThings(house());
    const run = async (...argv: string[]) =>
      runCommand({ db: house().db, publicUrl }, [
        'entry',
        'restore',
        ...argv,
        '--site',
        await slugOf(siteId),
      ]);
    await expect(run('Nothing', '1')).rejects.toThrow('The site has no entry type Nothing');
    await expect(run('Thing')).rejects.toThrow('Give an entry type and the ids of deleted entries');
    await expect(run('Thing', '1x')).rejects.toThrow('1x is not the id of an entry');
  });
});
