/** A simple in-memory model of entries and reproducible random data, with which tests compare the service. */
import type { Things } from './entries.ts';
import type { PlainValues } from './entry-oracle.ts';

/** Generates numbers in [0, 1) from a seed (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Random choices that a seed reproduces. */
export class SeededRandom {
  readonly next: () => number;
  constructor(seed: number) {
    this.next = numbersFrom(seed);
  }
  happens = (than: number): boolean => this.next() < than;
  int = (count: number): number => Math.floor(this.next() * count);
  pick = <T>(list: readonly [T, ...T[]] | readonly T[]): T => {
    const item = list[this.int(list.length)];
    if (item === undefined) throw new Error('Cannot pick from an empty list');
    return item;
  };
  sample = <T>(list: readonly T[], most: number): T[] => [
    ...new Set(Array.from({ length: 1 + this.int(most) }, () => this.pick(list))),
  ];
}

/** Values of entries by apiName, as the service must have them after the same changes. */
export class EntryModel {
  readonly entries = new Map<number, Record<string, unknown>>();
  /** Last values of deleted entries. */
  readonly deleted = new Map<number, PlainValues>();
  #counted = 0;

  ids = (): number[] => [...this.entries.keys()];

  add(id: number, values: PlainValues): void {
    this.#counted += 1;
    this.entries.set(id, { ...values, No: this.#counted });
  }

  set(id: number, name: string, value: unknown): void {
    const held = this.entries.get(id) ?? {};
    const isEmpty = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
    if (isEmpty) delete held[name];
    else held[name] = value;
  }

  /** Deletes entries; references to them are removed or, for a merge, replaced by `to`. */
  remove(away: readonly number[], to: number | undefined): void {
    for (const id of away) {
      this.deleted.set(id, { ...this.entries.get(id) });
      this.entries.delete(id);
    }
    for (const [id, { Parent, Friends }] of this.entries) {
      if (away.includes(Number(Parent))) this.set(id, 'Parent', to);
      const left = ((Friends ?? []) as number[]).flatMap((each) =>
        away.includes(each) ? (to ?? []) : [each],
      );
      this.set(id, 'Friends', [...new Set(left)]);
    }
  }

  /** Restores deleted entries with their last values, without references to entries that are deleted. */
  restore(ids: readonly number[]): void {
    for (const id of ids) {
      this.entries.set(id, { ...this.deleted.get(id) });
      this.deleted.delete(id);
    }
    for (const id of ids) {
      const { Parent, Friends } = this.entries.get(id) ?? {};
      if (!this.entries.has(Number(Parent))) this.set(id, 'Parent', undefined);
      this.set(
        id,
        'Friends',
        ((Friends ?? []) as number[]).filter((each) => this.entries.has(each)),
      );
    }
  }

  calculate(): void {
    for (const [id, { Score }] of this.entries)
      this.set(id, 'Twice', Score === undefined ? undefined : Number(Score) * 2);
  }

  copy = (): Map<number, PlainValues> =>
    new Map([...this.entries].map(([id, values]) => [id, { ...values }]));
}

const LONG = 'x'.repeat(250);
const TEXTS = ['Alpha', 'alPHA beta', '100%', 'a_b', 'Ärger', 'zz', 'O\\n', LONG, `${LONG}Y`];
const TIMESTAMPS = ['2026-03-01T08:00:00.000Z', '1999-12-31T23:59:59.999Z', '2026-03-01T08:00:00.001Z'];
const DAYS = ['2026-03-01', '1999-12-31', '0001-01-01'];
const NUMBERS = [-3, -0.5, 0, 1, 2, 2.5, 1e9];

/** A random valid value of a field of Thing; fields with other names are numbers. */
export function randomValue(name: string, things: Things, model: EntryModel, random: SeededRandom): unknown {
  const makers: Readonly<Record<string, () => unknown>> = {
    Name: () => `${random.pick(TEXTS)} ${random.int(100)}`,
    Note: () => random.pick(TEXTS),
    Memo: () => random.pick(TEXTS),
    Stage: () => things.choice('Stage', random.pick(['Open', 'Won'])),
    Tags: () => random.sample(['Red', 'Green', 'Blue'], 3).map((choice) => things.choice('Tags', choice)),
    Seen: () => random.pick(TIMESTAMPS),
    Founded: () => random.pick(DAYS),
    Active: () => random.happens(0.5),
    Owner: () => things.person.userId,
    Parent: () => random.pick(model.ids()),
    Friends: () => random.sample(model.ids(), 3),
  };
  return makers[name]?.() ?? random.pick(NUMBERS);
}

const TEXT_FIELDS = new Set(['Name', 'Note', 'Memo']);
const UNORDERED = new Set([...TEXT_FIELDS, 'Stage', 'Tags', 'Active', 'Owner', 'Parent', 'Friends']);

/** A random comparison of one field. */
function randomComparison(
  name: string,
  valueOf: (name: string) => unknown,
  random: SeededRandom,
): PlainValues {
  if (random.happens(0.15)) return { [name]: random.pick(['$noData', '$notNoData']) };
  const value = valueOf(name);
  const [single] = (Array.isArray(value) ? value : [value]) as readonly unknown[];
  if (TEXT_FIELDS.has(name) && random.happens(0.6)) {
    const part = String(single).slice(random.int(3), 3 + random.int(8));
    return { [name]: { [random.pick(['$contains', '$doesntContain', '$startswith', '$endswith'])]: part } };
  }
  if (!UNORDERED.has(name) && random.happens(0.6))
    return random.happens(0.3)
      ? { [name]: { $between: [valueOf(name), valueOf(name)] } }
      : { [name]: { [random.pick(['$gt', '$gte', '$lt', '$lte'])]: single } };
  if (name !== 'Active' && random.happens(0.5))
    return { [name]: { [random.pick(['$in', '$nin'])]: [single, ...[valueOf(name)].flat()] } };
  return random.happens(0.5) ? { [name]: single } : { [name]: { $not: single } };
}

/** A random query on these fields, nested up to `depth` levels. */
export function randomQuery(
  names: readonly string[],
  valueOf: (name: string) => unknown,
  random: SeededRandom,
  depth: number,
): PlainValues {
  if (depth === 0 || random.happens(0.5)) return randomComparison(random.pick(names), valueOf, random);
  const part = () => randomQuery(names, valueOf, random, depth - 1);
  return { [random.pick(['$and', '$or'])]: [part(), part()] };
}
