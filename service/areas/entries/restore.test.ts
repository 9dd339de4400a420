import { expect, test } from 'vitest';
import { runCommand } from '../../cli/commands/index.ts';
import { calculate, makeThings } from '../../testing/entries.ts';
import { onEachApp, publicUrl } from '../../testing/site.ts';

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
