/** Entries as simply as can be, and chance that a seed repeats: what a run of random changes is held against. */
import type { Things } from './entries.ts';
import type { Plain } from './entry-oracle.ts';

/** Numbers in [0, 1) that follow from the seed (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export class Chance {
  readonly next: () => number;
  constructor(seed: number) {
    this.next = numbersFrom(seed);
  }
  isLess = (than: number): boolean => this.next() < than;
  upTo = (count: number): number => Math.floor(this.next() * count);
  one = <T>(list: readonly [T, ...T[]] | readonly T[]): T => {
    const item = list[this.upTo(list.length)];
    if (item === undefined) throw new Error('There is nothing to choose from');
    return item;
  };
  some = <T>(list: readonly T[], most: number): T[] => [
    ...new Set(Array.from({ length: 1 + this.upTo(most) }, () => this.one(list))),
  ];
}

export class EntryModel {
  readonly living = new Map<number, Record<string, unknown>>();
  /** What deleted entries held last. */
  readonly gone = new Map<number, Plain>();
  #counted = 0;

  ids = (): number[] => [...this.living.keys()];

  add(id: number, values: Plain): void {
    this.#counted += 1;
    this.living.set(id, { ...values, No: this.#counted });
  }

  set(id: number, name: string, value: unknown): void {
    const held = this.living.get(id) ?? {};
    const isEmpty = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
    if (isEmpty) delete held[name];
    else held[name] = value;
  }

  /** Entries go away; what referred to them refers to another one, or to none. */
  leave(away: readonly number[], to: number | undefined): void {
    for (const id of away) {
      this.gone.set(id, { ...this.living.get(id) });
      this.living.delete(id);
    }
    for (const [id, { Parent, Friends }] of this.living) {
      if (away.includes(Number(Parent))) this.set(id, 'Parent', to);
      const left = ((Friends ?? []) as number[]).flatMap((each) =>
        away.includes(each) ? (to ?? []) : [each],
      );
      this.set(id, 'Friends', [...new Set(left)]);
    }
  }

  /** Deleted entries come back as they went, but for what they referred to and is gone. */
  comeBack(ids: readonly number[]): void {
    for (const id of ids) {
      this.living.set(id, { ...this.gone.get(id) });
      this.gone.delete(id);
    }
    for (const id of ids) {
      const { Parent, Friends } = this.living.get(id) ?? {};
      if (!this.living.has(Number(Parent))) this.set(id, 'Parent', undefined);
      this.set(
        id,
        'Friends',
        ((Friends ?? []) as number[]).filter((each) => this.living.has(each)),
      );
    }
  }

  calculate(): void {
    for (const [id, { Score }] of this.living)
      this.set(id, 'Twice', Score === undefined ? undefined : Number(Score) * 2);
  }

  copy = (): Map<number, Plain> => new Map([...this.living].map(([id, values]) => [id, { ...values }]));
}

const LONG = 'x'.repeat(250);
const TEXTS = ['Alpha', 'alPHA beta', '100%', 'a_b', 'Ärger', 'zz', 'O\\n', LONG, `${LONG}Y`];
const MOMENTS = ['2026-03-01T08:00:00.000Z', '1999-12-31T23:59:59.999Z', '2026-03-01T08:00:00.001Z'];
const DAYS = ['2026-03-01', '1999-12-31', '0001-01-01'];
const NUMBERS = [-3, -0.5, 0, 1, 2, 2.5, 1e9];

/** A value that the field may be given; fields of other names hold numbers. */
export function randomValue(name: string, things: Things, model: EntryModel, chance: Chance): unknown {
  const makers: Readonly<Record<string, () => unknown>> = {
    Name: () => `${chance.one(TEXTS)} ${chance.upTo(100)}`,
    Note: () => chance.one(TEXTS),
    Memo: () => chance.one(TEXTS),
    Stage: () => things.choice('Stage', chance.one(['Open', 'Won'])),
    Tags: () => chance.some(['Red', 'Green', 'Blue'], 3).map((choice) => things.choice('Tags', choice)),
    Seen: () => chance.one(MOMENTS),
    Founded: () => chance.one(DAYS),
    Active: () => chance.isLess(0.5),
    Owner: () => things.person.userId,
    Parent: () => chance.one(model.ids()),
    Friends: () => chance.some(model.ids(), 3),
  };
  return makers[name]?.() ?? chance.one(NUMBERS);
}

const TEXT_FIELDS = new Set(['Name', 'Note', 'Memo']);
const UNORDERED = new Set([...TEXT_FIELDS, 'Stage', 'Tags', 'Active', 'Owner', 'Parent', 'Friends']);

/** A question about one field. */
function question(name: string, valueOf: (name: string) => unknown, chance: Chance): Plain {
  if (chance.isLess(0.15)) return { [name]: chance.one(['$noData', '$notNoData']) };
  const value = valueOf(name);
  const [single] = (Array.isArray(value) ? value : [value]) as readonly unknown[];
  if (TEXT_FIELDS.has(name) && chance.isLess(0.6)) {
    const part = String(single).slice(chance.upTo(3), 3 + chance.upTo(8));
    return { [name]: { [chance.one(['$contains', '$doesntContain', '$startswith', '$endswith'])]: part } };
  }
  if (!UNORDERED.has(name) && chance.isLess(0.6))
    return chance.isLess(0.3)
      ? { [name]: { $between: [valueOf(name), valueOf(name)] } }
      : { [name]: { [chance.one(['$gt', '$gte', '$lt', '$lte'])]: single } };
  if (name !== 'Active' && chance.isLess(0.5))
    return { [name]: { [chance.one(['$in', '$nin'])]: [single, ...[valueOf(name)].flat()] } };
  return chance.isLess(0.5) ? { [name]: single } : { [name]: { $not: single } };
}

/** A query about these fields, nested up to so deep. */
export function randomQuery(
  names: readonly string[],
  valueOf: (name: string) => unknown,
  chance: Chance,
  depth: number,
): Plain {
  if (depth === 0 || chance.isLess(0.5)) return question(chance.one(names), valueOf, chance);
  const part = () => randomQuery(names, valueOf, chance, depth - 1);
  return { [chance.one(['$and', '$or'])]: [part(), part()] };
}
