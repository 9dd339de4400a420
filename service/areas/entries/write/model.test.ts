import { expect, test } from 'vitest';
import { FIELD } from '../../../../contract/rules/fields.ts';
import type { Db } from '../../../kernel/db/database.ts';
import {
  calculate,
  DATA,
  finishSchema,
  makeThings,
  moment,
  type Row,
  SCHEMA,
  type Things,
} from '../../../testing/entries.ts';
import { Chance, EntryModel, randomQuery, randomValue } from '../../../testing/entry-model.ts';
import { compare, matches, type Plain } from '../../../testing/entry-oracle.ts';
import { onEachApp } from '../../../testing/site.ts';

/** STEWARD_SEED=… repeats a run: the name of the test tells it. STEWARD_ROUNDS=… makes it longer. */
const SEED = Number(process.env.STEWARD_SEED ?? Date.now() % 1_000_000_000);
const ROUNDS = Number(process.env.STEWARD_ROUNDS ?? 90);

const PLAIN = ['Note', 'Memo', 'Stage', 'Tags', 'Score', 'Price', 'Seen', 'Founded', 'Active', 'Owner'];
const ORDERED = ['Name', 'Note', 'Stage', 'Score', 'Seen', 'Founded', 'Active', 'Price', 'No', 'Twice'];

/** A value as it was written: ids for what is answered with names. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null)
    return 'id' in value ? value.id : (value as { value: unknown }).value;
  return value;
}

const plainRow = (row: Row): Plain =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      name === 'Founded' && typeof value === 'string' ? value.slice(0, 10) : plain(value),
    ]),
  );

/** Texts are ordered by their first 200 characters. */
const ordered = (value: unknown): unknown => (typeof value === 'string' ? value.slice(0, 200) : value);

/** Random changes and questions, the same to the service and to the model. */
class Run {
  readonly things: Things;
  readonly db: Db;
  readonly chance = new Chance(SEED);
  readonly model = new EntryModel();
  /** Fields that were added meanwhile, with their ids. */
  readonly extra = new Map<string, number>();
  readonly moments: { at: string; states: Map<number, Plain> }[] = [];
  #extras = 0;

  constructor(things: Things, db: Db) {
    this.things = things;
    this.db = db;
  }

  value = (name: string): unknown => randomValue(name, this.things, this.model, this.chance);
  fields = (): string[] => [
    ...PLAIN,
    ...(this.model.living.size > 0 ? ['Parent', 'Friends'] : []),
    ...this.extra.keys(),
  ];
  values = (most: number, clears: boolean): Plain =>
    Object.fromEntries(
      this.chance
        .some(this.fields(), most)
        .map((name) => [name, clears && this.chance.isLess(0.25) ? null : this.value(name)]),
    );

  items = (entryId: number, values: Plain): object[] =>
    Object.entries(values).map(([name, value]) => ({
      entryId,
      fieldId: this.extra.get(name) ?? this.things.field(name).id,
      value,
      ignoreNearDups: true,
      ...(name === 'Price' && { currencyCode: 'EUR' }),
    }));

  async create(): Promise<void> {
    const fresh = Array.from({ length: 1 + this.chance.upTo(4) }, () => ({
      Name: this.value('Name'),
      ...this.values(8, false),
    }));
    const items = fresh.flatMap((values, at) => this.items(-1 - at, values));
    const { body } = await this.things.store('post', items);
    const ids = [...new Set(body.map(({ entryId }) => entryId ?? 0))];
    for (const [at, id] of ids.entries()) this.model.add(id, fresh[at] ?? {});
  }

  async update(): Promise<void> {
    const changes = this.chance.some(this.model.ids(), 3).map((id) => ({ id, values: this.values(5, true) }));
    const items = changes.flatMap(({ id, values }) => this.items(id, values));
    const { status, text } = await this.things.store('put', items);
    if (status !== 200) throw new Error(text);
    for (const { id, values } of changes)
      for (const [name, value] of Object.entries(values)) this.model.set(id, name, value);
  }

  /** One bad item: nothing of the request may be seen afterwards. */
  async fail(): Promise<void> {
    const id = this.chance.one(this.model.ids());
    const values = { Score: this.value('Score'), Stage: 2_000_000_000, Note: this.value('Note') };
    const { status } = await this.things.store('put', this.items(id, values));
    if (status !== 400) throw new Error('A bad item was stored');
  }

  async remove(): Promise<void> {
    const away = this.chance.some(this.model.ids(), 2);
    await this.things.remove(...away);
    this.model.leave(away, undefined);
  }

  async merge(): Promise<void> {
    const [stays, ...away] = this.chance.some(this.model.ids(), 3);
    if (stays === undefined || away.length === 0) return;
    await this.things.merge(stays, ...away);
    this.model.leave(away, stays);
  }

  async calculate(): Promise<void> {
    await calculate(this.db);
    this.model.calculate();
  }

  /** What was left is done; searching is turned off and on; an added field goes; a new one comes. */
  async changeSchema(): Promise<void> {
    const { chance, extra } = this;
    const { api } = this.things;
    const [gone] = extra;
    const what = chance.upTo(4);
    if (what === 0) await finishSchema(this.db);
    else if (what === 1) {
      const note = this.things.field('Note').id;
      await api.put(`${SCHEMA}/fields/${note}`, { isSearchable: chance.isLess(0.5) });
    } else if (what === 2 && gone) {
      const [name, id] = gone;
      await api.del(`${SCHEMA}/fields/${id}`);
      extra.delete(name);
      for (const entryId of this.model.ids()) this.model.set(entryId, name, undefined);
    } else {
      this.#extras += 1;
      const apiName = `Extra${this.#extras}`;
      const info = { apiName, name: apiName, fieldType: FIELD.number };
      const { body } = await api.post<{ id: number }>(`${SCHEMA}/entrytypes/Thing/fields`, info);
      extra.set(apiName, body.id);
    }
  }

  /** A random question with the answer that it has and the one that it should have. */
  async read(): Promise<readonly [answer: object, expected: object]> {
    const { chance, model } = this;
    const asked = ['Name', 'No', 'Twice', ...this.fields()];
    const query = chance.isLess(0.2) ? {} : randomQuery(asked, this.value, chance, 2);
    const by = chance.one(['', ...ORDERED, ...this.extra.keys()]);
    const descending = by !== '' && chance.isLess(0.5);
    const orderBy = `${descending ? '-' : ''}${by}`;
    const [limit, skip] = [chance.one([3, 10, 1000]), chance.one([0, 0, 3, 7])];
    const found = [...model.living].filter(([, values]) => matches(query, values));
    const rows = found
      .toSorted(([a, one], [b, other]) => {
        const ties = descending && one[by] !== undefined ? b - a : a - b;
        return compare(ordered(one[by]), ordered(other[by]), descending) || ties;
      })
      .slice(skip, skip + limit)
      .map(([EntryId, values]) => ({ EntryId, ...values }));
    const window = { query, orderBy, limit, skip, wrapIntoArrays: true };
    const answer = await this.things.query(query, window);
    return [
      { ...window, totalRecords: answer.totalRecords, rows: answer.rows.map(plainRow) },
      { ...window, totalRecords: found.length, rows },
    ];
  }

  async note(): Promise<void> {
    this.moments.push({ at: await moment(), states: this.model.copy() });
  }

  /** Values at a moment that was noted, as they are answered and as they were: of entries that are gone the last. */
  async past(at: number): Promise<readonly [answer: object, expected: object]> {
    const { at: fromDate, states } = this.moments[at] ?? { at: '', states: new Map<number, Plain>() };
    const names = ['Name', 'Note', 'Stage', 'Tags', 'Score', 'Price', 'Founded', 'Parent', 'Friends', 'No'];
    const fields = names.map((name) => this.things.field(name).id);
    const { body } = await this.things.api.post<{ rows: Row[] }>(
      `${DATA}/entrydata/getHistoricalData?wrapIntoArrays=true`,
      { entryTypeId: this.things.typeId, fields, fromDate },
    );
    const were = new Set(this.moments.slice(0, at + 1).flatMap((each) => [...each.states.keys()]));
    const expected = [...were]
      .toSorted((a, b) => a - b)
      .map((EntryId) => {
        const held = this.model.gone.get(EntryId) ?? states.get(EntryId) ?? {};
        return {
          EntryId,
          ...Object.fromEntries(Object.entries(held).filter(([name]) => names.includes(name))),
        };
      });
    // One that came and went between two moments was noted at none.
    return [body.rows.map(plainRow).filter(({ EntryId }) => were.has(Number(EntryId))), expected];
  }

  async step(): Promise<void> {
    const step = this.chance.next();
    if (this.model.living.size < 4 || step < 0.3) await this.create();
    else if (step < 0.6) await this.update();
    else if (step < 0.65) await this.fail();
    else if (step < 0.72) await this.remove();
    else if (step < 0.8) await this.merge();
    else if (step < 0.9) await this.changeSchema();
    else await this.calculate();
  }
}

onEachApp((house) => {
  test(
    `entries are what a simple model of them says (seed ${SEED})`,
    async () => {
      const run = new Run(await makeThings(house()), house().db);
      for (let round = 0; round < ROUNDS; round += 1) {
        await run.step();
        for (const [answer, expected] of [await run.read(), await run.read()])
          expect(answer).toEqual(expected);
        if (round % 10 === 0) await run.note();
      }
      await finishSchema(house().db);
      await run.calculate();
      for (let round = 0; round < 10; round += 1) {
        const [answer, expected] = await run.read();
        expect(answer).toEqual(expected);
      }
      for (const at of run.moments.keys()) {
        const [answer, expected] = await run.past(at);
        expect(answer).toEqual(expected);
      }
    },
    20_000 + ROUNDS * 200,
  );
});
