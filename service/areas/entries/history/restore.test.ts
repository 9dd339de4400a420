import { expect, test } from 'vitest';
import { runCommand } from '../../../cli/commands/index.ts';
import type { EntryChanges } from '../../../../contract/generated/types.gen.ts';
import { calculate, DATA, makeThings, moment, SCHEMA } from '../../../testing/entries.ts';
import type { Refusal } from '../../../testing/calls.ts';
import { as, makePerson, onEachApp, publicUrl } from '../../../testing/site.ts';

/** Moments are exact to a millisecond. */

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
    // What it had taken in is told of as ever.
    expect(await changes(stays)).toMatchObject([
      { kind: 'tookIn', entry: { id: merged, name: 'Merged' }, by },
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
    const asOf = await moment();
    await things.remove(one, two);
    await things.remove(gone);
    const meanwhile = await moment();
    const admin = as(house().app, things.person, 'console');
    const path = `${DATA}/entrydata/Thing`;
    expect((await admin.post(`${path}/restore`, [two, one])).body).toEqual({
      restored: [one, two],
      absent: [],
    });
    const [now] = (await things.query({ EntryId: one })).rows;
    expect(now).toMatchObject({ Parent: { id: two }, Friends: { id: two } });
    expect(await things.names({ Friends: two })).toEqual(['One']);
    const rowsAt = async (at: string) => {
      const asked = { asOf: at, query: { EntryId: one }, fields: ['Friends'] };
      return (
        await things.api.post<{ rows: object[]; added: number }>(`${DATA}/entrydata/rows/asof/Thing`, asked)
      ).body;
    };
    expect(await rowsAt(meanwhile)).toMatchObject({ rows: [], added: 1 });
    expect((await rowsAt(asOf)).rows).toEqual([
      {
        EntryId: one,
        Friends: [expect.objectContaining({ id: gone }), expect.objectContaining({ id: two })],
      },
    ]);
  });

  test('how values are stored stays as long as a deleted entry can come back, and its name where another field is the key', async () => {
    const things = await makeThings(house());
    const [id = 0] = await things.create({ Name: 'One', Stage: things.choice('Stage', 'Open') });
    await things.update(id, { Seen: '2026-03-01T08:00:00.000Z' });
    await things.update(id, { Seen: null });
    await things.remove(id);
    const change = (name: string, traits: object) =>
      things.api.put<Refusal>(`${SCHEMA}/fields/${things.field(name).id}`, traits);
    const refused = [
      await change('Stage', { isMultiSelect: true }),
      await change('Seen', { isDateOnly: true }),
    ];
    expect(refused.map(({ status, body }) => [status, body.errors?.map(({ path }) => path)])).toEqual([
      [409, ['isMultiSelect']],
      [409, ['isDateOnly']],
    ]);
    expect((await change('Tags', { isMultiSelect: false })).status).toBe(200);
    expect((await change('Memo', { isKey: true })).status).toBe(200);
    const admin = as(house().app, things.person, 'console');
    expect((await admin.post(`${DATA}/entrydata/Thing/restore`, [id])).status).toBe(200);
    const [row] = (await things.query({})).rows;
    expect(row).toMatchObject({ EntryId: id, Name: 'One', Memo: 'One', Stage: { name: 'Open' } });
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
