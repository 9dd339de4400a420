/** Compares windows of cached lists with a simple model, with random writes between two windows. */
import { expect, test } from 'vitest';
import type { Db } from '../../../kernel/db/database.ts';
import {
  recalculate,
  DATA,
  makeThings,
  type Row,
  setIndexesReady,
  type Things,
} from '../../../testing/entries/entries.ts';
import { SeededRandom, EntryModel, randomQuery, randomValue } from '../../../testing/entries/entry-model.ts';
import { compare, matches, type PlainValues } from '../../../testing/entries/entry-oracle.ts';
import { as, makePerson, onEachApp } from '../../../testing/site.ts';

/** STEWARD_SEED=… repeats a run, STEWARD_ROUNDS=… makes it longer. */
const SEED = Number(process.env.STEWARD_SEED ?? Date.now() % 1_000_000_000);
const ROUNDS = Number(process.env.STEWARD_ROUNDS ?? 50);

const FIELD_NAMES = ['Memo', 'Stage', 'Tags', 'Score', 'Active', 'Owner', 'Parent'];
const ORDERS = ['', 'Memo', 'Stage', 'Score', 'Active', 'Owner', 'Parent'];
const FIRST_NAMES = ['Ada', 'ben', 'Zoe', 'Mia'];
/** Number of queries that are repeated, so that their lists are cached. */
const QUERY_COUNT = 8;

interface ListQuery {
  query: PlainValues;
  sortName: string;
  descending: boolean;
}

const getOrderBy = ({ sortName, descending }: ListQuery): string =>
  descending && sortName !== '' ? `-${sortName}` : sortName;

class RandomRun {
  readonly things: Things;
  readonly db: Db;
  readonly restore: (id: number) => Promise<unknown>;
  readonly random = new SeededRandom(SEED);
  readonly model = new EntryModel();
  /** First names of users by id. */
  readonly firstNames = new Map<number, string>();
  readonly listQueries: ListQuery[] = [];

  constructor(things: Things, db: Db, restore: (id: number) => Promise<unknown>) {
    this.things = things;
    this.db = db;
    this.restore = restore;
  }

  createValue = (name: string): unknown =>
    name === 'Owner'
      ? this.random.pick([...this.firstNames.keys()])
      : randomValue(name, this.things, this.model, this.random);
  createValues = (maxCount: number, mayClear: boolean): PlainValues =>
    Object.fromEntries(
      this.random
        .sample(this.model.entries.size > 0 ? FIELD_NAMES : FIELD_NAMES.slice(0, -1), maxCount)
        .map((name) => [name, mayClear && this.random.happens(0.25) ? null : this.createValue(name)]),
    );

  async create(): Promise<void> {
    const values = { Name: this.createValue('Name'), ...this.createValues(7, false) };
    const [id = 0] = await this.things.create(values);
    this.model.add(id, values);
  }

  async update(id: number): Promise<void> {
    const newName = this.random.happens(0.2) ? { Name: this.createValue('Name') } : {};
    const values = { ...this.createValues(2, true), ...newName };
    await this.things.update(id, values);
    for (const [name, value] of Object.entries(values)) this.model.set(id, name, value);
  }

  /** Concurrent updates and reads. */
  async updateMany(): Promise<void> {
    const ids = this.random.sample(this.model.ids(), 4);
    // The array is sparse until each index was drawn once.
    const listQueries = this.random.sample(Object.values(this.listQueries), 3);
    const read = (listQuery: ListQuery) =>
      this.things.query(listQuery.query, { orderBy: getOrderBy(listQuery), limit: 3 });
    await Promise.all([...ids.map((id) => this.update(id)), ...listQueries.map(read)]);
  }

  async remove(): Promise<void> {
    const removedIds = this.random.sample(this.model.ids(), 2);
    await this.things.remove(...removedIds);
    this.model.remove(removedIds, undefined);
  }

  async merge(): Promise<void> {
    const [targetId, ...mergedIds] = this.random.sample(this.model.ids(), 3);
    if (targetId === undefined || mergedIds.length === 0) return;
    await this.things.merge(targetId, ...mergedIds);
    this.model.remove(mergedIds, targetId);
  }

  /** Restores a deleted entry with its values; the entry that it referred to may be deleted. */
  async restoreDeleted(): Promise<void> {
    const [id] = this.model.deleted.keys();
    if (id === undefined) return;
    await this.restore(id);
    const { Parent, ...values } = this.model.deleted.get(id) ?? {};
    this.model.deleted.delete(id);
    this.model.entries.set(id, values);
    // The entry may refer to itself.
    if (this.model.entries.has(Number(Parent))) this.model.set(id, 'Parent', Parent);
  }

  async renameUser(): Promise<void> {
    const id = this.random.pick([...this.firstNames.keys()]);
    const name = this.random.pick(FIRST_NAMES);
    await this.db.updateTable('account').set({ first_name: name }).where('user_id', '=', id).execute();
    this.firstNames.set(id, name);
  }

  async step(): Promise<void> {
    const step = this.random.next();
    if (this.model.entries.size < 6 || step < 0.2) await this.create();
    else if (step < 0.5) await this.update(this.random.pick(this.model.ids()));
    else if (step < 0.6) await this.updateMany();
    else if (step < 0.66) await this.remove();
    else if (step < 0.72) await this.merge();
    else if (step < 0.79) await this.restoreDeleted();
    else if (step < 0.86) await this.renameUser();
    else if (step < 0.93) await recalculate(this.db);
    else await setIndexesReady(this.db, this.things.siteId, this.random.happens(0.3));
  }

  createListQuery(): ListQuery {
    const query = this.random.happens(0.4) ? {} : randomQuery(FIELD_NAMES, this.createValue, this.random, 1);
    return { query, sortName: this.random.pick(ORDERS), descending: this.random.happens(0.5) };
  }

  /** Sort key of a value: the name of a user or an entry, the first 200 characters of a text. */
  getSortKey(values: PlainValues, sortName: string): unknown {
    const value = values[sortName];
    if (value === undefined) return undefined;
    if (sortName === 'Owner') return this.firstNames.get(Number(value));
    const text = sortName === 'Parent' ? this.model.entries.get(Number(value))?.['Name'] : value;
    return typeof text === 'string' ? text.slice(0, 200) : text;
  }

  /** A random window of one of the lists, as the service returns it and as the model expects it. */
  async read(): Promise<readonly [answer: object, expected: object]> {
    const { random, listQueries, model } = this;
    const index = random.int(QUERY_COUNT);
    const listQuery = (random.happens(0.9) ? listQueries[index] : undefined) ?? this.createListQuery();
    listQueries[index] = listQuery;
    const { query, sortName, descending } = listQuery;
    const matching = [...model.entries].filter(([, values]) => matches(query, values));
    const ids = matching
      .toSorted(
        ([a, one], [b, other]) =>
          compare(this.getSortKey(one, sortName), this.getSortKey(other, sortName), descending) ||
          (descending && one[sortName] !== undefined ? b - a : a - b),
      )
      .map(([id]) => id);
    const positionOf = random.pick(model.ids());
    const window = {
      orderBy: getOrderBy(listQuery),
      limit: random.pick([2, 3, 5]),
      skip: random.pick([0, 2, 3, 5]),
      positionOf,
    };
    const answer = await this.things.query(query, { ...window, fields: ['Name'] });
    const position = ids.indexOf(positionOf);
    return [
      { ...window, query, total: answer.totalRecords, ids: getIds(answer.rows), position: answer.position },
      {
        ...window,
        query,
        total: ids.length,
        ids: ids.slice(window.skip, window.skip + window.limit),
        position: position < 0 ? null : position,
      },
    ];
  }
}

const getIds = (rows: readonly Row[]): number[] => rows.map(({ EntryId }) => EntryId);

onEachApp((context) => {
  test(
    `windows of cached lists match a simple model (seed ${SEED})`,
    async () => {
      const { app, db } = context();
      const things = await makeThings(context());
      const { siteId, person } = things;
      const admin = as(app, person, 'console');
      const run = new RandomRun(things, db, (id) => admin.post(`${DATA}/entrydata/Thing/restore`, [id]));
      for (const { userId } of [person, await makePerson(db, siteId)]) run.firstNames.set(userId, 'Ada');
      await setIndexesReady(db, siteId, false);
      for (let round = 0; round < ROUNDS; round += 1) {
        await run.step();
        for (const [answer, expected] of [await run.read(), await run.read(), await run.read()])
          expect(answer).toEqual(expected);
      }
    },
    20_000 + ROUNDS * 300,
  );
});
