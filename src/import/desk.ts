import { rowsAgain } from './again.ts';
import { checkWishes } from './check.ts';
import { decode } from './decode.ts';
import type { Encoding } from './decode.ts';
import { emailKey } from './email-key.ts';
import { faultWords } from './row-words.ts';
import type { Mapping } from './fields.ts';
import { parse } from './parse.ts';
import type { Parsed, Row } from './parse.ts';
import type { Checking, Known, Outcome, Planned, SentRow } from './plan.ts';
import { groupBook } from './values.ts';
import { readWish } from './wish.ts';
import type { Wish } from './wish.ts';

/** What was found in a file, or why it cannot be read. */
export type Opened =
  | {
      headings: readonly string[];
      /** The first values of each column. */
      samples: readonly string[];
      rows: number;
      separator: string;
      encoding: Encoding;
    }
  | { fault: string };

export type Counts = Record<Outcome, number>;

/** What the rows are checked against, as it passes to a worker. */
export interface Question extends Omit<Checking, 'people' | 'book' | 'barred'> {
  mapping: Mapping;
  groups: readonly { id: number; name: string }[];
}

type Barred = Checking['barred'];
const NONE: Barred = new Map();

const SAMPLES = 3;

/** Where a file lies while it is prepared: it is read once, and checked again whenever its columns change. */
export function createDesk() {
  let parsed: Parsed = { headings: [], rows: [], separator: ',' };
  let byRow = new Map<number, Row>();
  let planned: readonly Planned[] = [];
  let places: Record<Outcome, number[]> = { create: [], update: [], skip: [], cannot: [] };
  let byId = new Map<number, Known>();
  let byEmail = new Map<string, Known>();

  const cellsOf = (row: number): readonly string[] => byRow.get(row)?.cells ?? [];
  const wishesOf = ({ mapping, groups }: Question): Wish[] => {
    const book = groupBook(groups);
    return parsed.rows.map((row) => readWish(row, mapping, book));
  };
  /** The places of the rows with one of these outcomes, in the order of the file. */
  const placesOf = (outcomes: readonly Outcome[]): readonly number[] => {
    const [first, ...others] = outcomes;
    if (first === undefined) return [];
    return others.length === 0
      ? places[first]
      : outcomes.flatMap((outcome) => places[outcome]).toSorted((a, b) => a - b);
  };

  return {
    open(bytes: Uint8Array, onProgress: (share: number) => void): Opened {
      if (bytes[0] === 0x50 && bytes[1] === 0x4b)
        return { fault: 'This is a workbook. Save it as CSV and choose that file.' };
      const { text, encoding } = decode(bytes);
      if (text.trim() === '') return { fault: 'The file is empty.' };
      parsed = parse(text, onProgress);
      byRow = new Map(parsed.rows.map((row) => [row.row, row]));
      const { headings, rows, separator } = parsed;
      if (rows.length === 0) return { fault: 'The file has a heading and no rows under it.' };
      return {
        headings,
        samples: headings.map((_, at) => sampleOf(rows, at)),
        rows: rows.length,
        separator,
        encoding,
      };
    },

    /** People come in portions; the first one begins anew. */
    addPeople(people: readonly Known[], anew: boolean): void {
      if (anew) {
        byId = new Map();
        byEmail = new Map();
      }
      for (const one of people) {
        byId.set(one.id, one);
        byEmail.set(emailKey(one.email), one);
      }
    },

    /** Whose federation id has to be read before the rows can be compared: the directory does not hold it. */
    federationOf(question: Question): number[] {
      if (!question.mapping.includes('federationId')) return [];
      return wishesOf(question).flatMap(({ id, email, federationId }) => {
        const known = id === undefined ? byEmail.get(emailKey(email ?? '')) : byId.get(id);
        return known && federationId !== undefined && known.federationId === undefined ? [known.id] : [];
      });
    },
    addFederation(known: readonly (readonly [id: number, federationId: string])[]): void {
      for (const [id, federationId] of known) {
        const one = byId.get(id);
        if (one) one.federationId = federationId;
      }
    },

    check(question: Question, barred = NONE): Counts {
      const { choices, may, me } = question;
      const book = groupBook(question.groups);
      planned = checkWishes(wishesOf(question), {
        people: { byId, byEmail },
        book,
        choices,
        may,
        barred,
        me,
      });
      places = { create: [], update: [], skip: [], cannot: [] };
      for (const [at, { outcome }] of planned.entries()) places[outcome].push(at);
      const { create, update, skip, cannot } = places;
      return { create: create.length, update: update.length, skip: skip.length, cannot: cannot.length };
    },

    /** The groups that the checked rows would give or take. */
    groupsTouched: (): number[] => [
      ...new Set(
        planned.flatMap(({ work: { create, addGroups = [], removeGroups = [] } }) => [
          ...(create?.groups ?? []),
          ...addGroups,
          ...removeGroups,
        ]),
      ),
    ],

    /** Some of the rows with one of these outcomes, in the order of the file; without one, of all. */
    some(outcomes: readonly Outcome[], from: number, to: number): readonly Planned[] {
      if (outcomes.length === 0) return planned.slice(from, to);
      return placesOf(outcomes)
        .slice(from, to)
        .flatMap((at) => planned[at] ?? []);
    },

    /** The rows that cannot be imported, as they stand in the file, each with what is wrong. */
    problems(): string {
      return rowsAgain(
        parsed.headings,
        places.cannot.flatMap((at) => {
          const one = planned[at];
          const note = one?.faults.map(faultWords).join('. ') ?? '';
          return one ? [{ row: one.row, cells: cellsOf(one.row), note }] : [];
        }),
      );
    },

    /** Some of the rows that would be sent, each with its cells: what goes on after a reload has no file. */
    toSend: (from: number, to: number): SentRow[] =>
      placesOf(['create', 'update'])
        .slice(from, to)
        .flatMap((at) => {
          const plan = planned[at];
          return plan ? [{ plan, cells: cellsOf(plan.row) }] : [];
        }),
  };
}

function sampleOf(rows: readonly Row[], at: number): string {
  const values: string[] = [];
  for (const { cells } of rows) {
    const value = cells[at]?.trim() ?? '';
    if (value !== '' && !values.includes(value)) values.push(value);
    if (values.length === SAMPLES) break;
  }
  return values.join(' · ');
}
