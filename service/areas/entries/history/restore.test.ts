import { expect, test } from 'vitest';
import type { EntryChanges } from '../../../../contract/generated/types.gen.ts';
import { runCommand } from '../../../cli/commands/index.ts';
import type { ErrorBody } from '../../../testing/calls.ts';
import { recalculate, DATA, makeThings, nextTimestamp, SCHEMA } from '../../../testing/entries/entries.ts';
import { as, makePerson, onEachApp, publicUrl, services } from '../../../testing/site.ts';

onEachApp((context) => {
  const getSlug = async (siteId: number) =>
    (
      await context()
        .db.selectFrom('site')
        .select('slug')
        .where('site_id', '=', siteId)
        .executeTakeFirstOrThrow()
    ).slug;

  test('restores deleted and merged entries with ids and values, without references to deleted entries', async () => {
    const things = await makeThings(context());
    const [deletedId = 0, keptId = 0, one = 0, merged = 0] = await things.create(
      { Name: 'Gone' },
      { Name: 'Kept' },
      { Name: 'One' },
      { Name: 'Merged' },
    );
    await things.update(one, { Note: 'Findable', Score: 4, Parent: deletedId, Friends: [deletedId, keptId] });
    await recalculate(context().db);
    await things.remove(deletedId);
    await things.update(one, { Parent: keptId });
    const before = (await things.query({ EntryId: one })).rows;
    await things.remove(one);
    await things.merge(keptId, merged);
    expect(await things.names({ Note: { $contains: 'findable' } })).toEqual([]);

    const restore = async (...ids: number[]) =>
      runCommand({ ...services, db: context().db, publicUrl, createTasks: async () => [] }, [
        'entry',
        'restore',
        'thing',
        ...ids.map(String),
        '--site',
        await getSlug(things.siteId),
      ]);
    expect(await restore(one, merged, keptId, 999_999)).toEqual({
      restored: [one, merged],
      absent: [keptId, 999_999],
    });
    expect((await things.query({ EntryId: one })).rows).toEqual(before);
    expect(await things.names({ Note: { $contains: 'findable' } })).toEqual(['One']);
    expect(await things.names({ Friends: keptId })).toEqual(['One']);
    expect((await things.query({})).totalRecords).toBe(3);
    expect(await restore(one)).toEqual({ restored: [], absent: [one] });
    // A restored entry can be changed like any other.
    await things.update(one, { Name: 'One again' });
    expect(await things.names({ EntryId: one })).toEqual(['One again']);
  });

  test('an administrator restores entries, and the history shows deletion and restoration', async () => {
    const things = await makeThings(context());
    const [deletedId = 0, stays = 0, merged = 0] = await things.create(
      { Name: 'Gone', Note: 'kept' },
      { Name: 'Stays' },
      { Name: 'Merged' },
    );
    await things.remove(deletedId);
    await things.merge(stays, merged);
    const path = `${DATA}/entrydata/Thing`;
    const capabilities = ['Access Web Service', 'Read Data', 'Manage Backups'] as const;
    const reader = await makePerson(context().db, things.siteId, { capabilities });
    const refused = await as(context().app, reader, 'console').post(`${path}/restore`, [deletedId]);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('Write Data')]);
    const admin = as(context().app, things.person, 'console');
    const { body } = await admin.post(`${path}/restore`, [deletedId, merged, stays, deletedId]);
    expect(body).toEqual({ restored: [deletedId, merged], absent: [stays] });
    expect(await things.names({ Note: 'kept' })).toEqual(['Gone']);
    const changes = async (id: number) =>
      (await things.api.get<EntryChanges>(`${path}/entries/${id}/changes`)).body.changes;
    const by = { id: things.person.userId };
    expect(await changes(deletedId)).toMatchObject([
      { kind: 'restored', by },
      { kind: 'deleted', by },
      { kind: 'created', by },
    ]);
    expect(await changes(merged)).toMatchObject([
      { kind: 'restored' },
      { kind: 'merged', entry: { id: stays, name: 'Stays' } },
      { kind: 'created' },
    ]);
    // The merge stays in the history of its target.
    expect(await changes(stays)).toMatchObject([
      { kind: 'tookIn', entry: { id: merged, name: 'Merged' }, by },
      { kind: 'created' },
    ]);
  });

  test('entries restored together keep mutual references; removed references are in the history', async () => {
    const things = await makeThings(context());
    const [deletedId = 0, one = 0, two = 0] = await things.create(
      { Name: 'Gone' },
      { Name: 'One' },
      { Name: 'Two' },
    );
    await things.update(one, { Parent: two, Friends: [deletedId, two] });
    const asOf = await nextTimestamp();
    await things.remove(one, two);
    await things.remove(deletedId);
    const whileDeleted = await nextTimestamp();
    const admin = as(context().app, things.person, 'console');
    const path = `${DATA}/entrydata/Thing`;
    expect((await admin.post(`${path}/restore`, [two, one])).body).toEqual({
      restored: [one, two],
      absent: [],
    });
    const [now] = (await things.query({ EntryId: one })).rows;
    expect(now).toMatchObject({ Parent: { id: two }, Friends: { id: two } });
    expect(await things.names({ Friends: two })).toEqual(['One']);
    const rowsAt = async (at: string) => {
      const request = { asOf: at, query: { EntryId: one }, fields: ['Friends'] };
      return (
        await things.api.post<{ rows: object[]; added: number }>(`${DATA}/entrydata/rows/asof/Thing`, request)
      ).body;
    };
    expect(await rowsAt(whileDeleted)).toMatchObject({ rows: [], added: 1 });
    expect((await rowsAt(asOf)).rows).toEqual([
      {
        EntryId: one,
        Friends: [expect.objectContaining({ id: deletedId }), expect.objectContaining({ id: two })],
      },
    ]);
  });

  test('rejects schema changes that would invalidate deleted entries, and restores names under another key field', async () => {
    const things = await makeThings(context());
    const [id = 0] = await things.create({ Name: 'One', Stage: things.choice('Stage', 'Open') });
    await things.update(id, { Seen: '2026-03-01T08:00:00.000Z' });
    await things.update(id, { Seen: null });
    await things.remove(id);
    const change = (name: string, traits: object) =>
      things.api.put<ErrorBody>(`${SCHEMA}/fields/${things.field(name).id}`, traits);
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
    const admin = as(context().app, things.person, 'console');
    expect((await admin.post(`${DATA}/entrydata/Thing/restore`, [id])).status).toBe(200);
    const [row] = (await things.query({})).rows;
    expect(row).toMatchObject({ EntryId: id, Name: 'One', Memo: 'One', Stage: { name: 'Open' } });
  });

  test('reports why entries cannot be restored', async () => {
    const { siteId } = await makeThings(context());
    const run = async (...argv: string[]) =>
      runCommand({ ...services, db: context().db, publicUrl, createTasks: async () => [] }, [
        'entry',
        'restore',
        ...argv,
        '--site',
        await getSlug(siteId),
      ]);
    await expect(run('Nothing', '1')).rejects.toThrow('The site has no entry type Nothing');
    await expect(run('Thing')).rejects.toThrow('Give an entry type and the ids of deleted entries');
    await expect(run('Thing', '1x')).rejects.toThrow('1x is not a valid entry id');
  });
});
