import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RowsAsOf } from '../../../../contract/generated/types.gen.ts';
import {
  calculate,
  DATA,
  finishSchema,
  makeThings,
  moment,
  type Row,
  type Things,
} from '../../../testing/entries.ts';
import { Chance, EntryModel, randomQuery, randomValue } from '../../../testing/entry-model.ts';
import { compare, matches, type Plain } from '../../../testing/entry-oracle.ts';
import { as, onEachApp } from '../../../testing/site.ts';
import { pastBounds } from './past-compare.ts';

/** STEWARD_SEED=… repeats a run: the name of the test tells it. */
const SEED = Number(process.env.STEWARD_SEED ?? Date.now() % 1_000_000_000);
const ROUNDS = 40;

const FIELDS = ['Name', 'Note', 'Memo', 'Stage', 'Tags', 'Score', 'Seen', 'Founded', 'Active', 'Owner'];
const REFERENCES = ['Parent', 'Friends'];
const SHOWN = [...FIELDS, ...REFERENCES, 'Twice'];
const TEXTS = ['Name', 'Note', 'Memo'];
const ORDERED = ['Name', 'Note', 'Stage', 'Score', 'Seen', 'Founded', 'Active', 'Twice'];

const BOUNDS = { ...pastBounds };

const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === 'object' && value !== null && 'id' in value ? value.id : value;
};
const plainRow = (row: Row): Plain =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      name === 'Founded' && typeof value === 'string' ? value.slice(0, 10) : plain(value),
    ]),
  );
const ids = (list: readonly [number, Plain][]) => new Set(list.map(([id]) => id));
const cut = (value: unknown): unknown => (typeof value === 'string' ? value.slice(0, 200) : value);

/** What a row tells of texts that end after so many characters. */
function begun(held: Plain, most: number | undefined): Plain {
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

onEachApp((house) => {
  let things: Things;
  beforeEach(async () => {
    things = await makeThings(house());
  });
  afterEach(() => {
    Object.assign(pastBounds, BOUNDS);
  });
  const ask = (body: object) => things.api.post<RowsAsOf>(`${DATA}/entrydata/rows/asof/Thing`, body);

  test(`lists at a moment are what a simple model remembers of it (seed ${SEED})`, async () => {
    const chance = new Chance(SEED);
    const model = new EntryModel();
    const moments: { at: string; states: Map<number, Plain> }[] = [];
    const value = (name: string) => randomValue(name, things, model, chance);
    const values = (most: number) =>
      Object.fromEntries(
        chance
          .some([...FIELDS.slice(1), ...(model.living.size > 0 ? REFERENCES : [])], most)
          .map((name) => [name, chance.isLess(0.2) ? null : value(name)]),
      );
    const step = async () => {
      const what = chance.next();
      if (model.living.size < 4 || what < 0.35) {
        const fresh = Array.from({ length: 1 + chance.upTo(3) }, () => ({
          Name: value('Name'),
          ...values(6),
        }));
        const made = await things.create(...fresh);
        for (const [at, id] of made.entries()) {
          model.add(id, {});
          for (const [name, held] of Object.entries(fresh[at] ?? {})) model.set(id, name, held);
        }
      } else if (what < 0.7) {
        const id = chance.one(model.ids());
        const changes = values(4);
        await things.update(id, changes);
        for (const [name, held] of Object.entries(changes)) model.set(id, name, held);
      } else if (what < 0.8) {
        const away = chance.some(model.ids(), 2);
        await things.remove(...away);
        model.leave(away, undefined);
      } else if (what < 0.9) {
        const [stays, ...away] = chance.some(model.ids(), 3);
        if (stays !== undefined && away.length > 0) {
          await things.merge(stays, ...away);
          model.leave(away, stays);
        }
      } else if (what < 0.95 && model.gone.size > 0) {
        const back = chance.some([...model.gone.keys()], 2);
        await as(house().app, things.person, 'console').post(`${DATA}/entrydata/Thing/restore`, back);
        model.comeBack(back);
      } else {
        await calculate(house().db);
        model.calculate();
      }
    };
    const check = async ({ at, states }: (typeof moments)[number]) => {
      // Windows are read by themselves, or cut from a list that is put in order once.
      Object.assign(pastBounds, {
        few: chance.one([0, 4, BOUNDS.few, BOUNDS.few]),
        atOnce: chance.one([3, BOUNDS.atOnce]),
      });
      // All entries by their ids are read in a way of their own.
      const isPlain = chance.isLess(0.5);
      const query = isPlain || chance.isLess(0.3) ? {} : randomQuery(SHOWN, value, chance, 2);
      const by = isPlain ? '' : chance.one(['', ...ORDERED]);
      const descending = by !== '' && chance.isLess(0.5);
      const [limit, skip] = [chance.one([1, 3, 1000]), chance.one([0, 2, 7, 15])];
      const [withAdded, textLimit] = [chance.isLess(0.4), chance.isLess(0.4) ? 2 : undefined];
      const asked = {
        asOf: at,
        query,
        limit,
        skip,
        fields: SHOWN,
        wrapIntoArrays: true,
        withAdded,
        ...(textLimit && { textLimit }),
      };
      const { status, body, text } = await ask({ ...asked, orderBy: `${descending ? '-' : ''}${by}` });
      expect([status, text]).toEqual([200, text]);
      const was = [...states].filter(([, held]) => matches(query, held));
      const is = [...model.living].filter(([, held]) => matches(query, held));
      const since = withAdded ? is.filter(([id]) => !ids(was).has(id)) : [];
      const rows = [...was, ...since]
        .toSorted(([a, one], [b, other]) => {
          const ties = descending && one[by] !== undefined ? b - a : a - b;
          return compare(cut(one[by]), cut(other[by]), descending) || ties;
        })
        .slice(skip, skip + limit)
        .map(([EntryId, { No: _no, ...held }]) => ({ EntryId, ...begun(held, textLimit) }));
      const differs = ([id, held]: [number, Plain]) =>
        SHOWN.some((name) => JSON.stringify(held[name]) !== JSON.stringify(model.living.get(id)?.[name]));
      const both = was.filter(([id]) => ids(is).has(id));
      expect({ ...asked, ...body, differences: [], rows: body.rows.map(plainRow) }).toEqual({
        ...asked,
        totalRecords: was.length + since.length,
        added: ids(is).difference(ids(was)).size,
        removed: ids(was).difference(ids(is)).size,
        changed: both.filter(differs).length,
        differences: [],
        rows,
      });
      const told = new Map(body.differences.map((each) => [each.entryId, each.state]));
      for (const { EntryId } of rows) {
        const gone = !ids(is).has(EntryId);
        const changed = differs([EntryId, states.get(EntryId) ?? {}]);
        const state = ids(since).has(EntryId) ? 'added' : gone ? 'removed' : changed ? 'changed' : undefined;
        expect(told.get(EntryId)).toBe(state);
      }
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      await step();
      if (round % 4 === 0) moments.push({ at: await moment(), states: model.copy() });
      if (round % 5 === 0) await check(chance.one(moments));
    }
    await finishSchema(house().db);
    for (const each of [...moments, ...moments, ...moments]) await check(each);
  }, 30_000);

  test('a difference tells what is today, and only what is different may be asked for', async () => {
    const [one = 0, two = 0, three = 0, four = 0] = await things.create(
      { Name: 'One', Note: 'hamburg', Score: 1 },
      { Name: 'Two', Note: 'hamburg' },
      { Name: 'Three', Note: 'hamburg' },
      { Name: 'Four', Note: 'hamburg' },
    );
    const at = await moment();
    await things.update(one, { Note: 'Hamburg' });
    await things.update(two, { Note: 'Kiel' });
    await things.merge(four, three);
    const [five = 0] = await things.create({ Name: 'Five', Note: 'Hamburg' });
    const query = { Note: 'hamburg' };
    const asked = { asOf: at, query, fields: ['Name', 'Note'] };
    const { body } = await ask(asked);
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
      const { totalRecords, rows } = (await ask({ ...asked, only: state })).body;
      return [totalRecords, rows.map(({ EntryId }) => EntryId)];
    };
    expect(await only('added')).toEqual([1, [five]]);
    expect(await only('removed')).toEqual([2, [two, three]]);
    expect(await only('changed')).toEqual([1, [one]]);
  });

  describe('is refused', () => {
    test.each([
      ['a moment that lies ahead', { asOf: '2999-01-01' }, 'asOf'],
      ['what is no moment', { asOf: '2026-02-31' }, 'asOf'],
      ['a field that does not exist', { asOf: '2026-01-01', fields: ['Nope'] }, 'fields.0'],
    ])('%s', async (_, body, path) => {
      const { status, text } = await ask(body);
      expect([status, text]).toEqual([400, expect.stringContaining(`"path":"${path}"`)]);
    });
  });
});
