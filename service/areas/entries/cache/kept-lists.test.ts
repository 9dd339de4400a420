/** Lists that are kept in their order say what a simple model says, whatever was written between two of their pages. */
import { expect, test } from 'vitest';
import type { Db } from '../../../kernel/db/database.ts';
import { calculate, DATA, makeThings, type Row, setReady, type Things } from '../../../testing/entries.ts';
import { Chance, EntryModel, randomQuery, randomValue } from '../../../testing/entry-model.ts';
import { compare, matches, type Plain } from '../../../testing/entry-oracle.ts';
import { as, makePerson, onEachApp } from '../../../testing/site.ts';

/** STEWARD_SEED=… repeats a run, STEWARD_ROUNDS=… makes it longer. */
const SEED = Number(process.env.STEWARD_SEED ?? Date.now() % 1_000_000_000);
const ROUNDS = Number(process.env.STEWARD_ROUNDS ?? 50);

const WRITTEN = ['Memo', 'Stage', 'Tags', 'Score', 'Active', 'Owner', 'Parent'];
const ORDERS = ['', 'Memo', 'Stage', 'Score', 'Active', 'Owner', 'Parent'];
const FIRST_NAMES = ['Ada', 'ben', 'Zoe', 'Mia'];
/** So many questions are asked over and over, so that their lists are kept. */
const QUESTIONS = 8;

interface Question {
  query: Plain;
  by: string;
  descending: boolean;
}

const orderOf = ({ by, descending }: Question): string => (descending && by !== '' ? `-${by}` : by);

class Run {
  readonly things: Things;
  readonly db: Db;
  readonly restore: (id: number) => Promise<unknown>;
  readonly chance = new Chance(SEED);
  readonly model = new EntryModel();
  /** People with their first names. */
  readonly people = new Map<number, string>();
  readonly questions: Question[] = [];

  constructor(things: Things, db: Db, restore: (id: number) => Promise<unknown>) {
    this.things = things;
    this.db = db;
    this.restore = restore;
  }

  value = (name: string): unknown =>
    name === 'Owner'
      ? this.chance.one([...this.people.keys()])
      : randomValue(name, this.things, this.model, this.chance);
  values = (most: number, clears: boolean): Plain =>
    Object.fromEntries(
      this.chance
        .some(this.model.living.size > 0 ? WRITTEN : WRITTEN.slice(0, -1), most)
        .map((name) => [name, clears && this.chance.isLess(0.25) ? null : this.value(name)]),
    );

  async create(): Promise<void> {
    const values = { Name: this.value('Name'), ...this.values(7, false) };
    const [id = 0] = await this.things.create(values);
    this.model.add(id, values);
  }

  async update(id: number): Promise<void> {
    const renamed = this.chance.isLess(0.2) ? { Name: this.value('Name') } : {};
    const values = { ...this.values(2, true), ...renamed };
    await this.things.update(id, values);
    for (const [name, value] of Object.entries(values)) this.model.set(id, name, value);
  }

  /** Several at once, and somebody reads while they do. */
  async updateMany(): Promise<void> {
    const ids = this.chance.some(this.model.ids(), 4);
    const asked = this.chance.some(this.questions, 3);
    const read = (question: Question) =>
      this.things.query(question.query, { orderBy: orderOf(question), limit: 3 });
    await Promise.all([...ids.map((id) => this.update(id)), ...asked.map(read)]);
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

  /** It comes back with what it held; what that referred to may be gone. */
  async bringBack(): Promise<void> {
    const [id] = this.model.gone.keys();
    if (id === undefined) return;
    await this.restore(id);
    const { Parent, ...held } = this.model.gone.get(id) ?? {};
    this.model.gone.delete(id);
    this.model.living.set(id, held);
    // It may have referred to itself.
    if (this.model.living.has(Number(Parent))) this.model.set(id, 'Parent', Parent);
  }

  async rename(): Promise<void> {
    const id = this.chance.one([...this.people.keys()]);
    const name = this.chance.one(FIRST_NAMES);
    await this.db.updateTable('account').set({ first_name: name }).where('user_id', '=', id).execute();
    this.people.set(id, name);
  }

  async step(): Promise<void> {
    const step = this.chance.next();
    if (this.model.living.size < 6 || step < 0.2) await this.create();
    else if (step < 0.5) await this.update(this.chance.one(this.model.ids()));
    else if (step < 0.6) await this.updateMany();
    else if (step < 0.66) await this.remove();
    else if (step < 0.72) await this.merge();
    else if (step < 0.79) await this.bringBack();
    else if (step < 0.86) await this.rename();
    else if (step < 0.93) await calculate(this.db);
    else await setReady(this.db, this.things.siteId, this.chance.isLess(0.3));
  }

  question(): Question {
    const query = this.chance.isLess(0.4) ? {} : randomQuery(WRITTEN, this.value, this.chance, 1);
    return { query, by: this.chance.one(ORDERS), descending: this.chance.isLess(0.5) };
  }

  /** What stands for a value in an order: the names of people and entries, texts up to their 200th letter. */
  ordered(values: Plain, by: string): unknown {
    const value = values[by];
    if (value === undefined) return undefined;
    if (by === 'Owner') return this.people.get(Number(value));
    const text = by === 'Parent' ? this.model.living.get(Number(value))?.['Name'] : value;
    return typeof text === 'string' ? text.slice(0, 200) : text;
  }

  /** Another window of one of the questions, as it is answered and as it should be. */
  async read(): Promise<readonly [answer: object, expected: object]> {
    const { chance, questions, model } = this;
    const at = chance.upTo(QUESTIONS);
    const asked = (chance.isLess(0.9) ? questions[at] : undefined) ?? this.question();
    questions[at] = asked;
    const { query, by, descending } = asked;
    const found = [...model.living].filter(([, values]) => matches(query, values));
    const ids = found
      .toSorted(
        ([a, one], [b, other]) =>
          compare(this.ordered(one, by), this.ordered(other, by), descending) ||
          (descending && one[by] !== undefined ? b - a : a - b),
      )
      .map(([id]) => id);
    const positionOf = chance.one(model.ids());
    const window = {
      orderBy: orderOf(asked),
      limit: chance.one([2, 3, 5]),
      skip: chance.one([0, 2, 3, 5]),
      positionOf,
    };
    const answer = await this.things.query(query, { ...window, fields: ['Name'] });
    const position = ids.indexOf(positionOf);
    return [
      { ...window, query, total: answer.totalRecords, ids: idsOf(answer.rows), position: answer.position },
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

const idsOf = (rows: readonly Row[]): number[] => rows.map(({ EntryId }) => EntryId);

onEachApp((house) => {
  test(
    `windows of kept lists are those of a simple model (seed ${SEED})`,
    async () => {
      const { app, db } = house();
      const things = await makeThings(house());
      const { siteId, person } = things;
      const admin = as(app, person, 'console');
      const run = new Run(things, db, (id) => admin.post(`${DATA}/entrydata/Thing/restore`, [id]));
      for (const { userId } of [person, await makePerson(db, siteId)]) run.people.set(userId, 'Ada');
      await setReady(db, siteId, false);
      for (let round = 0; round < ROUNDS; round += 1) {
        await run.step();
        for (const [answer, expected] of [await run.read(), await run.read(), await run.read()])
          expect(answer).toEqual(expected);
      }
    },
    20_000 + ROUNDS * 300,
  );
});
