import { sql } from 'kysely';
import { beforeEach, expect, test, vi } from 'vitest';
import type { CalculationFailures } from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { DbError } from '../../../kernel/db/driver/errors.ts';
import {
  finishSchema,
  makeThings,
  recalculate,
  SCHEMA,
  type Things,
} from '../../../testing/entries/entries.ts';
import { isOnCitus } from '../../../testing/servers/citus.ts';
import { onEachApp } from '../../../testing/site.ts';
import { runTask } from '../../../testing/tasks.ts';
import * as store from './calculations.store.ts';
import { recalculateTask } from './recalculate.ts';

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const repeat = (text: string, count: number, separator: string) =>
  Array.from({ length: count }, () => text).join(separator);

const TEXT_9900 = 'x'.repeat(9_900);
const MILLION = 1_000_000;

/** Ids of the entries whose field Twice is calculated. */
const listCalculated = async (site: Things) =>
  (await site.query({ Twice: { $gt: 0 } })).rows.map(({ EntryId }) => EntryId);

onEachApp((context) => {
  let things: Things;
  beforeEach(async () => {
    await sql`delete from calc_queue`.execute(context().db);
    await sql`delete from calculation_failure`.execute(context().db);
    things = await makeThings(context());
  });

  /** Adds a calculated field and returns its id. */
  const addFormula = async (
    apiName: string,
    formula: string,
    fieldType: number = FIELD.text,
  ): Promise<number> => {
    const info = { apiName, name: apiName, fieldType, formula };
    const { status, body, text } = await things.api.post<{ id: number }>(
      `${SCHEMA}/entrytypes/Thing/fields`,
      info,
    );
    expect([status, text]).toEqual([200, text]);
    return body.id;
  };
  /** Creates entries with a text of 9,900 characters. */
  const createEntries = async (count: number): Promise<number[]> => {
    const ids: number[] = [];
    for (const chunk of range(count / 50))
      ids.push(
        ...(await things.create(
          ...range(50).map((at) => ({ Name: `Entry ${chunk}.${at}`, Memo: TEXT_9900 })),
        )),
      );
    return ids;
  };
  const listFailures = async () => {
    const { rows } = await sql<{ field: number; entry: number; reason: string; attempts: number }>`
      select field_id as field, entry_id as entry, reason, attempts from calculation_failure
      where site_id = ${things.siteId} order by field_id, entry_id`.execute(context().db);
    return rows;
  };
  /** Ids of the entries of each change that the calculation made. */
  const listCalculatedBatches = async () => {
    const { rows } = await sql<{ ids: number[] }>`
      select changes -> 'entries' as ids from audit_log
      where site_id = ${things.siteId} and action = 'entry.calculate' order by audit_id`.execute(
      context().db,
    );
    return rows.map(({ ids }) => ids);
  };
  const isQueueEmpty = async () => {
    const { rows } = await sql`select 1 from calc_queue where site_id = ${things.siteId} limit 1`.execute(
      context().db,
    );
    return rows.length === 0;
  };

  test('twelve formulas that repeat a text a hundred times over 500 entries of 9,900 characters', async () => {
    const fieldIds: number[] = [];
    for (const number of range(12))
      fieldIds.push(await addFormula(`Long${number}`, repeat('Memo', 100, ' & ')));
    const length = await addFormula('Size', 'length(Memo)', FIELD.number);
    const ids = await createEntries(500);
    await recalculate(context().db);
    expect(await isQueueEmpty()).toBe(true);
    const reason = 'The result has 990,000 characters; the limit is 10,000.';
    expect(await listFailures()).toEqual(
      fieldIds.flatMap((field) => ids.map((entry) => ({ field, entry, reason, attempts: 1 }))),
    );
    const { rows } = await things.query({ Size: 9_900 }, { fields: ['Size', 'Long1'], limit: 500 });
    expect(rows).toHaveLength(500);
    expect(rows.some((row) => typeof row['Long1'] === 'string')).toBe(false);
    expect(length).toBeGreaterThan(0);
  }, 120_000);

  test('a field may allow longer results; changing its limit calculates its entries again', async () => {
    const fieldId = await addFormula('Long', 'Memo & Memo');
    const [id = 0] = await createEntries(50);
    await recalculate(context().db);
    expect((await listFailures()).at(0)).toMatchObject({
      field: fieldId,
      entry: id,
      reason: 'The result has 19,800 characters; the limit is 10,000.',
    });
    const setLimit = (formulaMaxLength: number | null) =>
      things.api.put<{ formulaMaxLength: number | null }>(`${SCHEMA}/fields/${fieldId}`, {
        formulaMaxLength,
      });
    const readLongest = async () => {
      await finishSchema(context().db);
      await recalculate(context().db);
      const { rows } = await things.query({}, { fields: ['Long'], limit: 500 });
      return rows.map((row) => (typeof row['Long'] === 'string' ? row['Long'].length : 0));
    };
    const { status, body } = await setLimit(19_800);
    expect([status, body.formulaMaxLength]).toEqual([200, 19_800]);
    expect(await readLongest()).toEqual(Array<number>(50).fill(19_800));
    expect(await listFailures()).toEqual([]);
    await setLimit(19_799);
    expect(await readLongest()).toEqual(Array<number>(50).fill(0));
    expect(await listFailures()).toHaveLength(50);
    expect((await setLimit(0)).status).toBe(400);
    expect((await setLimit(MILLION + 1)).status).toBe(400);
  }, 120_000);

  test('the results of an entry remain so small that it can be read for its next calculation', async () => {
    const fieldIds: number[] = [];
    for (const number of range(5)) {
      const id = await addFormula(`Long${number}`, 'Memo & ""');
      await things.api.put(`${SCHEMA}/fields/${id}`, { formulaMaxLength: MILLION });
      fieldIds.push(id);
    }
    await finishSchema(context().db);
    const [id = 0] = await things.create({ Name: 'Large', Memo: 'x'.repeat(900_000), Score: 2 });
    await recalculate(context().db);
    const failures = fieldIds.slice(3).map((field) => ({
      field,
      entry: id,
      reason: 'The values that the formulas of this entry read and calculate exceed 4 MB.',
      attempts: 1,
    }));
    expect(await listFailures()).toEqual(failures);
    await things.update(id, { Score: 3 });
    await recalculate(context().db);
    expect(await listFailures()).toEqual(failures);
    expect((await things.query({ Twice: 6 })).rows.map(({ EntryId }) => EntryId)).toEqual([id]);
  }, 60_000);

  test('results are written in pieces of at most 16 MB', async () => {
    for (const number of range(12)) await addFormula(`Copy${number}`, 'Memo & ""');
    const ids = await createEntries(300);
    await recalculate(context().db);
    const batches = await listCalculatedBatches();
    expect(batches.flat().toSorted((a, b) => a - b)).toEqual(ids);
    for (const batch of batches) expect(batch.length * 12 * 9_900).toBeLessThanOrEqual(16_000_000);
  }, 120_000);

  test('entries are read in pieces of at most 4 MB', async () => {
    await addFormula('Size', 'length(Memo)', FIELD.number);
    const ids = await things.create(...range(10).map((number) => ({ Name: `Entry ${number}` })));
    const memo = { [things.field('Memo').id]: 'x'.repeat(MILLION) };
    await sql`update entry set version = version + 1, vals = vals || ${JSON.stringify(memo)}::jsonb
      where site_id = ${things.siteId}`.execute(context().db);
    await recalculate(context().db);
    // Three texts with their quotes are below 4 MB, four are above.
    const batches = await listCalculatedBatches();
    expect(batches.flat().toSorted((a, b) => a - b)).toEqual(ids);
    for (const batch of batches) expect(batch.length).toBeLessThanOrEqual(3);
  }, 60_000);

  test('the database measures entries in proportion to those that fit, whatever their size', async () => {
    await addFormula('Size', 'length(Memo)', FIELD.number);
    const ids = await things.create(...range(100).map((number) => ({ Name: `Entry ${number}` })));
    const memo = { [things.field('Memo').id]: 'x'.repeat(MILLION) };
    // Large entries after small ones.
    await sql`update entry set version = version + 1, vals = vals || ${JSON.stringify(memo)}::jsonb
      where site_id = ${things.siteId} and entry_id = any(${ids.slice(60)}::int[])`.execute(context().db);
    const readEntries = vi.fn<typeof store.readEntries>(store.readEntries);
    await runTask(recalculateTask(context().db, readEntries));
    // The small ones have no text, so their size has no data as before.
    expect((await listCalculatedBatches()).flat().toSorted((a, b) => a - b)).toEqual(ids.slice(60));
    expect(await isQueueEmpty()).toBe(true);
    const measured = readEntries.mock.calls.map(([, , entryIds]) => entryIds.length);
    expect(measured.slice(0, 2)).toEqual([16, 32]);
    // A window examines more entries than the one before only if that one had room.
    // A run that reaches its time limit begins again with 16.
    const starts = measured.filter((count) => count === 16).length;
    expect(measured.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2 * ids.length + 16 * starts);
  }, 60_000);

  test('if the database cannot read entries, fewer are tried; the failure counts against the site', async () => {
    const ids = await things.create(...range(30).map((score) => ({ Name: `Entry ${score}`, Score: score })));
    const bad = ids[20] ?? 0;
    const readEntries: typeof store.readEntries = (db, siteId, entryIds, ...rest) =>
      entryIds.includes(bad)
        ? Promise.reject(new DbError('out of memory', { code: '53200' }))
        : store.readEntries(db, siteId, entryIds, ...rest);
    const outcome = await recalculateTask(context().db, readEntries).run();
    expect(outcome?.failures).toMatchObject([{ siteId: things.siteId, attempts: 1 }]);
    expect(await listCalculated(things)).toEqual(ids.slice(0, 20));
    await sql`update task_failure set retry_at = now() - interval '1 second' where site_id = ${things.siteId}`.execute(
      context().db,
    );
    await recalculate(context().db);
    expect(await listCalculated(things)).toEqual(ids);
  });

  test('an entry of which more than 4 MB are read is set aside; the others are calculated', async () => {
    const names = range(5).map((number) => `Text${number}`);
    for (const name of names)
      await things.api.post(`${SCHEMA}/entrytypes/Thing/fields`, {
        apiName: name,
        name,
        fieldType: FIELD.text,
      });
    const sizeId = await addFormula('Size', names.map((name) => `length(${name})`).join(' + '), FIELD.number);
    const [large = 0, small = 0] = await things.create(
      { Name: 'Large', Score: 1 },
      { Name: 'Small', Score: 2 },
    );
    const fields = (
      await things.api.get<{ id: number; apiName: string }[]>(`${SCHEMA}/entrytypes/Thing/fields`)
    ).body;
    const values = Object.fromEntries(
      fields.flatMap(({ id, apiName }) => (names.includes(apiName) ? [[id, 'x'.repeat(MILLION)]] : [])),
    );
    await sql`update entry set version = version + 1, vals = vals || ${JSON.stringify(values)}::jsonb
      where site_id = ${things.siteId} and entry_id = ${large}`.execute(context().db);
    await recalculate(context().db);
    const reason = 'The values that the formulas of this entry read have 5.1 MB; the limit is 4 MB.';
    const twiceId = things.field('Twice').id;
    expect(await listFailures()).toEqual(
      [twiceId, sizeId].map((field) => ({ field, entry: large, reason, attempts: 1 })),
    );
    expect((await things.query({ Twice: 4 })).rows.map(({ EntryId }) => EntryId)).toEqual([small]);
    expect(await isQueueEmpty()).toBe(true);
  }, 60_000);

  test('a calculation that takes too long or too much memory is set aside, retried and parked alone', async () => {
    const slowId = await addFormula('Slow', repeat('length(Memo)', 300, ' + '), FIELD.number);
    const hungryId = await addFormula('Hungry', `count(${repeat('upper(Memo)', 200, ', ')})`, FIELD.number);
    await addFormula('After', 'length(Note) + 1', FIELD.number);
    const [bad = 0, good = 0] = await things.create(
      { Name: 'Bad', Memo: 'x'.repeat(MILLION), Note: 'ab', Score: 1 },
      { Name: 'Good', Memo: 'x', Note: 'abc', Score: 2 },
    );
    await recalculate(context().db);
    const shown = await things.api.get<CalculationFailures[]>(
      `${SCHEMA}/entrytypes/Thing/calculationfailures`,
    );
    expect(shown.body).toMatchObject([
      { fieldId: slowId, fieldReason: null, entryCount: 1, entries: [{ entryId: bad }] },
      { fieldId: hungryId, fieldReason: null, entryCount: 1, entries: [{ entryId: bad }] },
    ]);
    for (const { entries } of shown.body)
      expect(Date.parse(entries[0]?.retryAt ?? '')).toBeGreaterThan(Date.parse(entries[0]?.failedAt ?? ''));
    const failures = [
      { field: slowId, entry: bad, reason: 'The calculation took longer than 250 ms.', attempts: 1 },
      {
        field: hungryId,
        entry: bad,
        reason: 'The calculation needed more than 64 MB of memory.',
        attempts: 1,
      },
    ];
    expect(await listFailures()).toEqual(failures);
    const { rows } = await things.query({}, { fields: ['Slow', 'Hungry', 'After', 'Twice'] });
    expect(rows).toEqual([
      { EntryId: bad, After: 3, Twice: 2 },
      { EntryId: good, Slow: 300, Hungry: 200, After: 4, Twice: 4 },
    ]);
    await sql`update calculation_failure set attempts = 4, retry_at = now() - interval '1 second' where retry_at is not null`.execute(
      context().db,
    );
    await recalculate(context().db);
    expect(await listFailures()).toEqual(failures.map((failure) => ({ ...failure, attempts: 5 })));
    const { rows: due } = await sql`select 1 from calculation_failure where retry_at is not null`.execute(
      context().db,
    );
    expect(due).toEqual([]);
    // The entry changes: it is calculated again.
    await things.update(bad, { Memo: 'yy' });
    await recalculate(context().db);
    expect(await listFailures()).toEqual([]);
    expect((await things.query({ Slow: 600 })).rows.map(({ EntryId }) => EntryId)).toEqual([bad]);
  }, 120_000);

  test('a field whose calculations of five entries are parked is not run any more until its formula changes', async () => {
    const slowId = await addFormula('Slow', repeat('length(Memo)', 300, ' + '), FIELD.number);
    const bad = await things.create({ Name: 'Bad', Memo: 'x'.repeat(MILLION) });
    const ids = [
      ...bad,
      ...(await things.create(...range(4).map((at) => ({ Name: `Parked ${at}`, Memo: 'x' })))),
    ];
    // The other entries, and four attempts of the last one, have failed before.
    await sql`delete from calc_queue where entry_id <> all(${bad}::int[])`.execute(context().db);
    await sql`insert into calculation_failure (site_id, field_id, entry_id, reason, attempts)
      select ${things.siteId}, ${slowId}, id, 'Failed', case when id = any(${bad}::int[]) then 4 else 5 end
      from unnest(${ids}::int[]) as id`.execute(context().db);
    await recalculate(context().db);
    expect((await listFailures())[0]).toEqual({
      field: slowId,
      entry: 0,
      reason: '5 entries failed 5 times each: The calculation took longer than 250 ms.',
      attempts: 5,
    });
    const shown = await things.api.get<CalculationFailures[]>(
      `${SCHEMA}/entrytypes/Thing/calculationfailures`,
    );
    expect(shown.body).toMatchObject([
      {
        fieldId: slowId,
        fieldReason: '5 entries failed 5 times each: The calculation took longer than 250 ms.',
        entryCount: 5,
      },
    ]);
    const [another = 0] = await things.create({ Name: 'Another', Memo: 'x', Score: 3 });
    await recalculate(context().db);
    const { rows } = await things.query({ Name: 'Another' }, { fields: ['Slow', 'Twice'] });
    expect(rows).toEqual([{ EntryId: another, Twice: 6 }]);
    await things.api.put(`${SCHEMA}/fields/${slowId}`, { formula: 'length(Memo)' });
    expect(await listFailures()).toEqual([]);
    // The job of the formula change queues all entries.
    await finishSchema(context().db);
    await recalculate(context().db);
    expect((await things.query({ Slow: MILLION })).rows.map(({ EntryId }) => EntryId)).toEqual(bad);
  }, 120_000);

  test('an entry that cannot be written is set aside with the reason; other entries and sites are calculated', async () => {
    const other = await makeThings(context());
    const [bad = 0, ...good] = await things.create(
      { Name: 'Bad', Score: 666 },
      ...range(20).map((score) => ({ Name: `Good ${score}`, Score: score })),
    );
    const [elsewhere = 0] = await other.create({ Name: 'Elsewhere', Score: 1 });
    // 54000, as PostgreSQL raises for a value that exceeds one of its limits.
    await sql`create function refuse_calculation() returns trigger language plpgsql as $$
      begin raise exception 'value too large' using errcode = '54000'; end $$`.execute(context().db);
    await sql`create trigger refuse_calculation before insert on cell_log for each row
      when (new.cause = 1 and new.new = '1332'::jsonb) execute function refuse_calculation()`.execute(
      context().db,
    );
    try {
      await runTask(recalculateTask(context().db));
    } finally {
      await sql`drop trigger refuse_calculation on cell_log`.execute(context().db);
      await sql`drop function refuse_calculation()`.execute(context().db);
    }
    expect(await listFailures()).toEqual([
      {
        field: things.field('Twice').id,
        entry: bad,
        // Citus does not pass on the codes of errors of copied rows.
        reason: `The database refused the change (${isOnCitus ? 'XX000' : '54000'}): value too large`,
        attempts: 1,
      },
    ]);
    expect(await listCalculated(things)).toEqual(good);
    expect(await listCalculated(other)).toEqual([elsewhere]);
    await sql`update calculation_failure set retry_at = now() - interval '1 second'`.execute(context().db);
    await recalculate(context().db);
    expect(await listCalculated(things)).toEqual([bad, ...good]);
    expect(await listFailures()).toEqual([]);
  });
});
