import { expect, test } from 'vitest';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import type { Db } from '../../../kernel/db/database.ts';
import {
  recalculate,
  DATA,
  finishSchema,
  makeThings,
  nextTimestamp,
  type Row,
  SCHEMA,
  type Things,
} from '../../../testing/entries/entries.ts';
import { SeededRandom, EntryModel, randomQuery, randomValue } from '../../../testing/entries/entry-model.ts';
import { compare, matches, type PlainValues } from '../../../testing/entries/entry-oracle.ts';
import { onEachApp } from '../../../testing/site.ts';

/** STEWARD_SEED=… repeats a run; its seed is in the name of the test. STEWARD_ROUNDS=… sets its length. */
const SEED = Number(process.env.STEWARD_SEED ?? Date.now() % 1_000_000_000);
const ROUNDS = Number(process.env.STEWARD_ROUNDS ?? 90);

const PLAIN = ['Note', 'Memo', 'Stage', 'Tags', 'Score', 'Price', 'Seen', 'Founded', 'Active', 'Owner'];
const ORDERED = ['Name', 'Note', 'Stage', 'Score', 'Seen', 'Founded', 'Active', 'Price', 'No', 'Twice'];

/** Converts a value of a response to the request format: ids instead of objects with names. */
function toPlainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlainValue);
  if (typeof value === 'object' && value !== null)
    return 'id' in value ? value.id : (value as { value: unknown }).value;
  return value;
}

const toPlainRow = (row: Row): PlainValues =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      name === 'Founded' && typeof value === 'string' ? value.slice(0, 10) : toPlainValue(value),
    ]),
  );

/** Texts are sorted by their first 200 characters. */
const toSortValue = (value: unknown): unknown => (typeof value === 'string' ? value.slice(0, 200) : value);

/** Applies the same random changes and queries to the service and to the model. */
class Run {
  readonly things: Things;
  readonly db: Db;
  readonly random = new SeededRandom(SEED);
  readonly model = new EntryModel();
  /** Ids of the fields added during the run, by name. */
  readonly extra = new Map<string, number>();
  readonly snapshots: { at: string; states: Map<number, PlainValues> }[] = [];
  #extras = 0;

  constructor(things: Things, db: Db) {
    this.things = things;
    this.db = db;
  }

  value = (name: string): unknown => randomValue(name, this.things, this.model, this.random);
  fields = (): string[] => [
    ...PLAIN,
    ...(this.model.entries.size > 0 ? ['Parent', 'Friends'] : []),
    ...this.extra.keys(),
  ];
  values = (most: number, clears: boolean): PlainValues =>
    Object.fromEntries(
      this.random
        .sample(this.fields(), most)
        .map((name) => [name, clears && this.random.happens(0.25) ? null : this.value(name)]),
    );

  items = (entryId: number, values: PlainValues): object[] =>
    Object.entries(values).map(([name, value]) => ({
      entryId,
      fieldId: this.extra.get(name) ?? this.things.field(name).id,
      value,
      ignoreNearDups: true,
      ...(name === 'Price' && { currencyCode: 'EUR' }),
    }));

  async create(): Promise<void> {
    const fresh = Array.from({ length: 1 + this.random.int(4) }, () => ({
      Name: this.value('Name'),
      ...this.values(8, false),
    }));
    const items = fresh.flatMap((values, at) => this.items(-1 - at, values));
    const { body } = await this.things.store('post', items);
    const ids = [...new Set(body.map(({ entryId }) => entryId ?? 0))];
    for (const [at, id] of ids.entries()) this.model.add(id, fresh[at] ?? {});
  }

  async update(): Promise<void> {
    const changes = this.random
      .sample(this.model.ids(), 3)
      .map((id) => ({ id, values: this.values(5, true) }));
    const items = changes.flatMap(({ id, values }) => this.items(id, values));
    const { status, text } = await this.things.store('put', items);
    if (status !== 200) throw new Error(text);
    for (const { id, values } of changes)
      for (const [name, value] of Object.entries(values)) this.model.set(id, name, value);
  }

  /** Sends a request with an invalid item; it must not change anything. */
  async fail(): Promise<void> {
    const id = this.random.pick(this.model.ids());
    const values = { Score: this.value('Score'), Stage: 2_000_000_000, Note: this.value('Note') };
    const { status } = await this.things.store('put', this.items(id, values));
    if (status !== 400) throw new Error('An invalid item was stored');
  }

  async remove(): Promise<void> {
    const away = this.random.sample(this.model.ids(), 2);
    await this.things.remove(...away);
    this.model.remove(away, undefined);
  }

  async merge(): Promise<void> {
    const [stays, ...away] = this.random.sample(this.model.ids(), 3);
    if (stays === undefined || away.length === 0) return;
    await this.things.merge(stays, ...away);
    this.model.remove(away, stays);
  }

  async calculate(): Promise<void> {
    await recalculate(this.db);
    this.model.calculate();
  }

  /** Finishes field jobs, toggles search, deletes an added field, or adds a field. */
  async changeSchema(): Promise<void> {
    const { random, extra } = this;
    const { api } = this.things;
    const [firstExtra] = extra;
    const what = random.int(4);
    if (what === 0) await finishSchema(this.db);
    else if (what === 1) {
      const note = this.things.field('Note').id;
      await api.put(`${SCHEMA}/fields/${note}`, { isSearchable: random.happens(0.5) });
    } else if (what === 2 && firstExtra) {
      const [name, id] = firstExtra;
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

  /** Sends a random query; returns the actual and the expected response. */
  async read(): Promise<readonly [answer: object, expected: object]> {
    const { random, model } = this;
    const fieldNames = ['Name', 'No', 'Twice', ...this.fields()];
    const query = random.happens(0.2) ? {} : randomQuery(fieldNames, this.value, random, 2);
    const by = random.pick(['', ...ORDERED, ...this.extra.keys()]);
    const descending = by !== '' && random.happens(0.5);
    const orderBy = `${descending ? '-' : ''}${by}`;
    const [limit, skip] = [random.pick([3, 10, 1000]), random.pick([0, 0, 3, 7])];
    const found = [...model.entries].filter(([, values]) => matches(query, values));
    const rows = found
      .toSorted(([a, one], [b, other]) => {
        const ties = descending && one[by] !== undefined ? b - a : a - b;
        return compare(toSortValue(one[by]), toSortValue(other[by]), descending) || ties;
      })
      .slice(skip, skip + limit)
      .map(([EntryId, values]) => ({ EntryId, ...values }));
    const window = { query, orderBy, limit, skip, wrapIntoArrays: true };
    const answer = await this.things.query(query, window);
    return [
      { ...window, totalRecords: answer.totalRecords, rows: answer.rows.map(toPlainRow) },
      { ...window, totalRecords: found.length, rows },
    ];
  }

  async note(): Promise<void> {
    this.snapshots.push({ at: await nextTimestamp(), states: this.model.copy() });
  }

  /** Historical values at a snapshot: those of the response and the expected ones; of deleted entries their last values. */
  async past(at: number): Promise<readonly [answer: object, expected: object]> {
    const { at: fromDate, states } = this.snapshots[at] ?? { at: '', states: new Map<number, PlainValues>() };
    const names = ['Name', 'Note', 'Stage', 'Tags', 'Score', 'Price', 'Founded', 'Parent', 'Friends', 'No'];
    const fields = names.map((name) => this.things.field(name).id);
    const { body } = await this.things.api.post<{ rows: Row[] }>(
      `${DATA}/entrydata/getHistoricalData?wrapIntoArrays=true`,
      { entryTypeId: this.things.typeId, fields, fromDate },
    );
    const were = new Set(this.snapshots.slice(0, at + 1).flatMap((each) => [...each.states.keys()]));
    const expected = [...were]
      .toSorted((a, b) => a - b)
      .map((EntryId) => {
        const held = this.model.deleted.get(EntryId) ?? states.get(EntryId) ?? {};
        return {
          EntryId,
          ...Object.fromEntries(Object.entries(held).filter(([name]) => names.includes(name))),
        };
      });
    // One that came and went between two moments was noted at none.
    return [body.rows.map(toPlainRow).filter(({ EntryId }) => were.has(Number(EntryId))), expected];
  }

  async step(): Promise<void> {
    const step = this.random.next();
    if (this.model.entries.size < 4 || step < 0.3) await this.create();
    else if (step < 0.6) await this.update();
    else if (step < 0.65) await this.fail();
    else if (step < 0.72) await this.remove();
    else if (step < 0.8) await this.merge();
    else if (step < 0.9) await this.changeSchema();
    else await this.calculate();
  }
}

onEachApp((context) => {
  test(
    `entries match a simple model after random changes (seed ${SEED})`,
    async () => {
      const run = new Run(await makeThings(context()), context().db);
      for (let round = 0; round < ROUNDS; round += 1) {
        await run.step();
        for (const [answer, expected] of [await run.read(), await run.read()])
          expect(answer).toEqual(expected);
        if (round % 10 === 0) await run.note();
      }
      await finishSchema(context().db);
      await run.calculate();
      for (let round = 0; round < 10; round += 1) {
        const [answer, expected] = await run.read();
        expect(answer).toEqual(expected);
      }
      for (const at of run.snapshots.keys()) {
        const [answer, expected] = await run.past(at);
        expect(answer).toEqual(expected);
      }
    },
    20_000 + ROUNDS * 200,
  );
});
