import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RowsAsOf } from '../../../../contract/generated/types.gen.ts';
import {
  recalculate,
  DATA,
  finishSchema,
  makeThings,
  nextTimestamp,
  type Row,
  type Things,
} from '../../../testing/entries/entries.ts';
import { SeededRandom, EntryModel, randomQuery, randomValue } from '../../../testing/entries/entry-model.ts';
import { compare, matches, type PlainValues } from '../../../testing/entries/entry-oracle.ts';
import { as, onEachApp } from '../../../testing/site.ts';
import { asOfLimits } from './as-of-compare.ts';

/** STEWARD_SEED=… repeats a run; its seed is in the name of the test. */
const SEED = Number(process.env.STEWARD_SEED ?? Date.now() % 1_000_000_000);
const ROUNDS = 40;

const FIELDS = ['Name', 'Note', 'Memo', 'Stage', 'Tags', 'Score', 'Seen', 'Founded', 'Active', 'Owner'];
const REFERENCES = ['Parent', 'Friends'];
const SHOWN = [...FIELDS, ...REFERENCES, 'Twice'];
const TEXTS = ['Name', 'Note', 'Memo'];
const ORDERED = ['Name', 'Note', 'Stage', 'Score', 'Seen', 'Founded', 'Active', 'Twice'];

const DEFAULT_LIMITS = { ...asOfLimits };
const setLimits = (limits: Partial<typeof asOfLimits>) => Object.assign(asOfLimits, limits);

const toPlainValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toPlainValue);
  return typeof value === 'object' && value !== null && 'id' in value ? value.id : value;
};
const toPlainRow = (row: Row): PlainValues =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      name === 'Founded' && typeof value === 'string' ? value.slice(0, 10) : toPlainValue(value),
    ]),
  );
const toIdSet = (list: readonly [number, PlainValues][]) => new Set(list.map(([id]) => id));
const toSortValue = (value: unknown): unknown => (typeof value === 'string' ? value.slice(0, 200) : value);

/** A row with its texts truncated to `textLimit` characters. */
function truncate(held: PlainValues, most: number | undefined): PlainValues {
  const text = (name: string) => {
    const value = held[name];
    return typeof value === 'string' ? value : '';
  };
  const long = TEXTS.filter((name) => most !== undefined && text(name).length > most);
  if (long.length === 0) return held;
  return {
    ...held,
    ...Object.fromEntries(long.map((name) => [name, text(name).slice(0, most)])),
    $cut: long,
  };
}

onEachApp((context) => {
  let things: Things;
  beforeEach(async () => {
    things = await makeThings(context());
  });
  afterEach(() => {
    setLimits(DEFAULT_LIMITS);
  });
  const queryAsOf = (body: object) => things.api.post<RowsAsOf>(`${DATA}/entrydata/rows/asof/Thing`, body);

  test('compares the choices that entries held at the date', async () => {
    const [red, blue] = [things.choice('Tags', 'Red'), things.choice('Tags', 'Blue')];
    const [one = 0] = await things.create({ Name: 'One', Tags: [red, blue] }, { Name: 'Two', Tags: [blue] });
    const asOf = await nextTimestamp();
    await things.update(one, { Tags: [blue] });
    const listNames = async (query: object) =>
      (await queryAsOf({ asOf, query: { Tags: query } })).body.rows.map(({ Name }) => Name);
    expect(await listNames({ $in: [red] })).toEqual(['One']);
    expect(await listNames({ $nin: [red] })).toEqual(['Two']);
    expect(await things.names({ Tags: { $in: [red] } })).toEqual([]);
  });

  test('sorts by the dates that entries held then', async () => {
    const [one = 0] = await things.create(
      { Name: 'One', Seen: '2020-01-01T08:00:00Z', Founded: '2020-01-01' },
      { Name: 'Two', Seen: '2021-01-01T08:00:00Z', Founded: '2021-01-01' },
    );
    const asOf = await nextTimestamp();
    await things.update(one, { Seen: '2022-01-01T08:00:00Z', Founded: '2022-01-01' });
    for (const limits of [{}, { maxInline: 0 }])
      for (const orderBy of ['Seen', 'Founded']) {
        setLimits(limits);
        const { body } = await queryAsOf({ asOf, query: {}, orderBy });
        expect(body.rows.map(({ Name }) => Name)).toEqual(['One', 'Two']);
      }
  });

  test(`lists as of a date match a simple model (seed ${SEED})`, async () => {
    const random = new SeededRandom(SEED);
    const model = new EntryModel();
    const snapshots: { at: string; states: Map<number, PlainValues> }[] = [];
    const value = (name: string) => randomValue(name, things, model, random);
    const values = (most: number) =>
      Object.fromEntries(
        random
          .sample([...FIELDS.slice(1), ...(model.entries.size > 0 ? REFERENCES : [])], most)
          .map((name) => [name, random.happens(0.2) ? null : value(name)]),
      );
    const step = async () => {
      const what = random.next();
      if (model.entries.size < 4 || what < 0.35) {
        const fresh = Array.from({ length: 1 + random.int(3) }, () => ({
          Name: value('Name'),
          ...values(6),
        }));
        const made = await things.create(...fresh);
        for (const [at, id] of made.entries()) {
          model.add(id, {});
          for (const [name, held] of Object.entries(fresh[at] ?? {})) model.set(id, name, held);
        }
      } else if (what < 0.7) {
        const id = random.pick(model.ids());
        const changes = values(4);
        await things.update(id, changes);
        for (const [name, held] of Object.entries(changes)) model.set(id, name, held);
      } else if (what < 0.8) {
        const away = random.sample(model.ids(), 2);
        await things.remove(...away);
        model.remove(away, undefined);
      } else if (what < 0.9) {
        const [stays, ...away] = random.sample(model.ids(), 3);
        if (stays !== undefined && away.length > 0) {
          await things.merge(stays, ...away);
          model.remove(away, stays);
        }
      } else if (what < 0.95 && model.deleted.size > 0) {
        const back = random.sample([...model.deleted.keys()], 2);
        await as(context().app, things.person, 'console').post(`${DATA}/entrydata/Thing/restore`, back);
        model.restore(back);
      } else {
        await recalculate(context().db);
        model.calculate();
      }
    };
    const check = async ({ at, states }: (typeof snapshots)[number]) => {
      // Pages are read alone, or cut from a list that is sorted once.
      setLimits({
        maxInline: random.pick([0, 4, DEFAULT_LIMITS.maxInline, DEFAULT_LIMITS.maxInline]),
        batchSize: random.pick([3, DEFAULT_LIMITS.batchSize]),
      });
      // Unfiltered lists in the order of ids have their own statement.
      const isPlain = random.happens(0.5);
      const query = isPlain || random.happens(0.3) ? {} : randomQuery(SHOWN, value, random, 2);
      const by = isPlain ? '' : random.pick(['', ...ORDERED]);
      const descending = by !== '' && random.happens(0.5);
      const [limit, skip] = [random.pick([1, 3, 1000]), random.pick([0, 2, 7, 15])];
      const [withAdded, textLimit] = [random.happens(0.4), random.happens(0.4) ? 2 : undefined];
      const request = {
        asOf: at,
        query,
        limit,
        skip,
        fields: SHOWN,
        wrapIntoArrays: true,
        withAdded,
        ...(textLimit && { textLimit }),
      };
      const { status, body, text } = await queryAsOf({
        ...request,
        orderBy: `${descending ? '-' : ''}${by}`,
      });
      expect([status, text]).toEqual([200, text]);
      const matchedThen = [...states].filter(([, held]) => matches(query, held));
      const matchNow = [...model.entries].filter(([, held]) => matches(query, held));
      const added = withAdded ? matchNow.filter(([id]) => !toIdSet(matchedThen).has(id)) : [];
      const rows = [...matchedThen, ...added]
        .toSorted(([a, one], [b, other]) => {
          const ties = descending && one[by] !== undefined ? b - a : a - b;
          return compare(toSortValue(one[by]), toSortValue(other[by]), descending) || ties;
        })
        .slice(skip, skip + limit)
        .map(([EntryId, { No: _no, ...held }]) => ({ EntryId, ...truncate(held, textLimit) }));
      const differs = ([id, held]: [number, PlainValues]) =>
        SHOWN.some((name) => JSON.stringify(held[name]) !== JSON.stringify(model.entries.get(id)?.[name]));
      const both = matchedThen.filter(([id]) => toIdSet(matchNow).has(id));
      expect({ ...request, ...body, differences: [], rows: body.rows.map(toPlainRow) }).toEqual({
        ...request,
        totalRecords: matchedThen.length + added.length,
        added: toIdSet(matchNow).difference(toIdSet(matchedThen)).size,
        removed: toIdSet(matchedThen).difference(toIdSet(matchNow)).size,
        changed: both.filter(differs).length,
        differences: [],
        rows,
      });
      const reported = new Map(body.differences.map(({ entryId, state }) => [entryId, state]));
      for (const { EntryId } of rows) {
        const isRemoved = !toIdSet(matchNow).has(EntryId);
        const changed = differs([EntryId, states.get(EntryId) ?? {}]);
        const state = toIdSet(added).has(EntryId)
          ? 'added'
          : isRemoved
            ? 'removed'
            : changed
              ? 'changed'
              : undefined;
        expect(reported.get(EntryId)).toBe(state);
      }
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      await step();
      if (round % 4 === 0) snapshots.push({ at: await nextTimestamp(), states: model.copy() });
      if (round % 5 === 0) await check(random.pick(snapshots));
    }
    await finishSchema(context().db);
    for (const each of [...snapshots, ...snapshots, ...snapshots]) await check(each);
  }, 30_000);

  test('differences have current values, and one kind of changed rows can be requested alone', async () => {
    const [one = 0, two = 0, three = 0, four = 0] = await things.create(
      { Name: 'One', Note: 'hamburg', Score: 1 },
      { Name: 'Two', Note: 'hamburg' },
      { Name: 'Three', Note: 'hamburg' },
      { Name: 'Four', Note: 'hamburg' },
    );
    const at = await nextTimestamp();
    await things.update(one, { Note: 'Hamburg' });
    await things.update(two, { Note: 'Kiel' });
    await things.merge(four, three);
    const [five = 0] = await things.create({ Name: 'Five', Note: 'Hamburg' });
    const query = { Note: 'hamburg' };
    const request = { asOf: at, query, fields: ['Name', 'Note'] };
    const { body } = await queryAsOf(request);
    expect(body.rows.map(({ EntryId }) => EntryId)).toEqual([one, two, three, four]);
    expect([body.added, body.removed, body.changed]).toEqual([1, 2, 1]);
    expect(body.differences).toEqual([
      { entryId: one, state: 'changed', fields: ['Note'], today: { EntryId: one, Note: 'Hamburg' } },
      {
        entryId: two,
        state: 'removed',
        isDeleted: false,
        fields: ['Note'],
        today: { EntryId: two, Note: 'Kiel' },
      },
      { entryId: three, state: 'removed', isDeleted: true, mergedEntryId: four },
    ]);
    const only = async (state: string) => {
      const { totalRecords, rows } = (await queryAsOf({ ...request, only: state })).body;
      return [totalRecords, rows.map(({ EntryId }) => EntryId)];
    };
    expect(await only('added')).toEqual([1, [five]]);
    expect(await only('removed')).toEqual([2, [two, three]]);
    expect(await only('changed')).toEqual([1, [one]]);
  });

  describe('rejects', () => {
    test.each([
      ['a date in the future', { asOf: '2999-01-01' }, 'asOf'],
      ['an invalid date', { asOf: '2026-02-31' }, 'asOf'],
      ['an unknown field', { asOf: '2026-01-01', fields: ['Nope'] }, 'fields.0'],
    ])('%s', async (_, body, path) => {
      const { status, text } = await queryAsOf(body);
      expect([status, text]).toEqual([400, expect.stringContaining(`"path":"${path}"`)]);
    });
  });
});
