import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import {
  recalculate,
  finishSchema,
  makeThings,
  SCHEMA,
  type Things,
  type FieldValues,
} from '../../../testing/entries/entries.ts';
import { onEachApp } from '../../../testing/site.ts';

const run = (count: number) => Array.from({ length: count }, (_, at) => at);

/** Value that a writer of the field writes in a round. */
const getValue = (name: string, round: number) =>
  ({
    Score: round,
    Note: `Round ${round}`,
    Memo: `Round ${round}`,
    Price: { value: round, currencyCode: 'EUR' },
    Founded: `200${round}-01-01`,
    Active: round % 2 === 0,
  })[name];

onEachApp((context) => {
  let things: Things;
  let ids: number[];
  beforeEach(async () => {
    things = await makeThings(context());
    ids = await things.create(...run(20).map((at) => ({ Name: `Entry ${at}` })));
  });

  /** Writes the same values into entries in this order; returns the status. */
  const write = async (entries: readonly number[], values: FieldValues) =>
    (
      await things.store(
        'put',
        entries.flatMap((id) => things.items(id, values)),
      )
    ).status;
  const rows = async () => (await things.query({})).rows;

  test('concurrent writes of the same entries in opposite order lose no changes', async () => {
    const fields = ['Score', 'Note', 'Memo', 'Price', 'Founded', 'Active'];
    const rounds = 5;
    const statuses = await Promise.all(
      fields.map(async (name, at) => {
        const order = at % 2 === 0 ? ids : ids.toReversed();
        const mine: number[] = [];
        for (const round of run(rounds)) mine.push(await write(order, { [name]: getValue(name, round) }));
        return mine;
      }),
    );
    expect(new Set(statuses.flat())).toEqual(new Set([200]));
    for (const row of await rows())
      expect(row).toMatchObject({
        Score: 4,
        Note: 'Round 4',
        Memo: 'Round 4',
        Price: { value: 4 },
        Active: true,
      });
    const { rows: breaks } = await sql`
      select * from (select old, lag(new) over (partition by entry_id, field_id order by seq) as before, at,
        lag(at) over (partition by entry_id order by seq) as earlier from cell_log where site_id = ${things.siteId}) as l
      where old is distinct from before or at < earlier`.execute(context().db);
    expect(breaks).toEqual([]);
    const versions = context()
      .db.selectFrom('entry')
      .select('version')
      .distinct()
      .where('site_id', '=', things.siteId);
    expect(await versions.execute()).toEqual([{ version: 1 + rounds * fields.length }]);
  });

  test('concurrently created entries get unique counter numbers without gaps', async () => {
    await Promise.all(
      run(8).map((at) => things.create(...run(5).map((each) => ({ Name: `New ${at} ${each}` })))),
    );
    const numbers = (await rows()).map(({ No }) => Number(No)).toSorted((a, b) => a - b);
    expect(numbers).toEqual(run(60).map((at) => at + 1));
    expect((await things.query({}, { limit: 1 })).totalRecords).toBe(60);
  });

  test('of entries with nearly the same name that are created at once, one is stored', async () => {
    const fieldId = things.field('Name').id;
    const names = ['Sea Bird', 'Sea bird', 'sea bird', 'Sea Bird', 'SEA BIRD'];
    const replies = await Promise.all(
      names.map((value) => things.store('post', [{ entryId: -1, fieldId, value }])),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400, 400]);
    const stored = (await rows()).filter(({ Name }) => /sea bird/i.test(String(Name)));
    expect(stored).toHaveLength(1);
  });

  test('no references to deleted entries remain after concurrent writes, deletions and merges', async () => {
    const left = ids.slice(0, 10);
    const right = ids.slice(10);
    const statuses = await Promise.all([
      ...left.map((id, at) => write([id], { Parent: right[at] ?? 0, Friends: [...right] })),
      ...right.map((id, at) => write([id], { Parent: left[9 - at] ?? 0, Friends: left.toReversed() })),
      ...[0, 3, 6].map(async (at) => {
        await things.remove(left[at] ?? 0, right[at] ?? 0);
        return 200;
      }),
      ...[1, 4].map(async (at) => {
        await things.merge(left[at] ?? 0, right[at] ?? 0, left[at + 1] ?? 0);
        return 200;
      }),
    ]);
    expect(statuses.filter((status) => status !== 200 && status !== 400)).toEqual([]);
    const living = (await rows()).map(({ EntryId }) => EntryId);
    expect(living).toHaveLength(20 - 6 - 4);
    const { rows: held } = await sql<{ v: number }>`
      select v from entry_multi where site_id = ${things.siteId}
      union select (vals ->> ${String(things.field('Parent').id)})::int from entry
        where site_id = ${things.siteId} and vals ? ${String(things.field('Parent').id)}::text
      union select jsonb_array_elements_text(vals -> ${String(things.field('Friends').id)})::int from entry
        where site_id = ${things.siteId}`.execute(context().db);
    expect(held.map(({ v }) => v).filter((v) => !living.includes(v))).toEqual([]);
  });

  test('entries can be written during schema changes', async () => {
    const memo = things.field('Memo').id;
    const [statuses] = await Promise.all([
      Promise.all(
        run(6).map(async (at) => {
          const mine: number[] = [];
          for (const round of run(6))
            mine.push(await write(ids, at < 3 ? { Score: round } : { Memo: `M ${round}` }));
          return mine;
        }),
      ),
      (async () => {
        for (const at of run(3)) {
          const info = {
            apiName: `Late${at}`,
            name: `Late${at}`,
            fieldType: FIELD.number,
            formula: 'Score + 1',
          };
          expect((await things.api.post(`${SCHEMA}/entrytypes/Thing/fields`, info)).status).toBe(200);
          await finishSchema(context().db);
        }
        expect((await things.api.del(`${SCHEMA}/fields/${memo}`)).status).toBe(204);
        await finishSchema(context().db);
      })(),
    ]);
    // Writes of the field after its deletion are rejected.
    expect(statuses.flat().filter((status) => status !== 200 && status !== 400)).toEqual([]);
    expect(statuses.slice(0, 3).flat()).not.toContain(400);
    await finishSchema(context().db);
    await recalculate(context().db);
    for (const row of await rows())
      expect(row).toMatchObject({ Score: 5, Late0: 6, Late1: 6, Late2: 6, Twice: 10 });
    const left = context()
      .db.selectFrom('entry')
      .select('entry_id')
      .where(sql<boolean>`vals ? ${String(memo)}::text`);
    expect(await left.where('site_id', '=', things.siteId).execute()).toEqual([]);
  });

  test('all calculated fields are up to date after concurrent writes', async () => {
    const written = new AbortController();
    const computing = run(2).map(async () => {
      while (!written.signal.aborted) await recalculate(context().db);
    });
    const statuses = await Promise.all(
      run(4).map(async (at) => {
        const mine: number[] = [];
        const order = at % 2 === 0 ? ids : ids.toReversed();
        for (const round of run(6)) mine.push(await write(order, { Score: at * 10 + round }));
        return mine;
      }),
    );
    written.abort();
    await Promise.all(computing);
    await recalculate(context().db);
    expect(new Set(statuses.flat())).toEqual(new Set([200]));
    for (const row of await rows()) expect(row.Twice).toBe(Number(row.Score) * 2);
    const queue = context().db.selectFrom('calc_queue').selectAll().where('site_id', '=', things.siteId);
    expect(await queue.execute()).toEqual([]);
  });

  test('removes queued calculations of deleted entries', async () => {
    const { db } = context();
    await db.insertInto('calc_queue').values({ site_id: things.siteId, entry_id: 2_000_000_000 }).execute();
    await recalculate(db);
    expect(
      await db.selectFrom('calc_queue').selectAll().where('site_id', '=', things.siteId).execute(),
    ).toEqual([]);
  });
});
