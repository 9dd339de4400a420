import { rowsAgain } from './again.ts';
import type { Row } from '../../files/parse.ts';
import type { Counts, Labels, Outcome, Planned, SentRow } from './plan.ts';
import { readTable } from '../../files/read-table.ts';
import type { Reading, Source, Table } from '../../files/read-table.ts';
import { faultWords } from './row-words.ts';

/** What was found in a file. */
export interface OpenedFile {
  headings: readonly string[];
  /** The first values of each column. */
  samples: readonly string[];
  rows: number;
  source: Source;
}

/** What was found in a file, or why it cannot be read. */
export type Opened = OpenedFile | { fault: string };

const SAMPLES = 3;
const NOTHING: Table = {
  headings: [],
  rows: [],
  source: { kind: 'text', separator: ',', encoding: 'utf-8' },
};

/** Where the rows of a file lie while they are prepared, with what would become of each. */
export function createBoard<Work>() {
  let table = NOTHING;
  let byRow = new Map<number, Row>();
  let planned: readonly Planned<Work>[] = [];
  let places: Record<Outcome, number[]> = { create: [], update: [], skip: [], cannot: [] };
  let agreed: readonly Planned<Work>[] = [];

  const cellsOf = (row: number): readonly string[] => byRow.get(row)?.cells ?? [];
  /** The places of the rows with one of these outcomes, in the order of the file. */
  const placesOf = (outcomes: readonly Outcome[]): readonly number[] => {
    const [first, ...others] = outcomes;
    if (first === undefined) return [];
    return others.length === 0
      ? places[first]
      : outcomes.flatMap((outcome) => places[outcome]).toSorted((a, b) => a - b);
  };

  return {
    table: () => table,
    planned: () => planned,

    open: async (file: Blob, onProgress: (share: number) => void, as?: Reading): Promise<Opened> => {
      const read = await readTable(file, onProgress, as);
      if ('fault' in read) return read;
      table = read;
      const { headings, rows, source } = read;
      byRow = new Map(rows.map((row) => [row.row, row]));
      return {
        headings,
        samples: headings.map((_, at) => sampleOf(rows, at)),
        rows: rows.length,
        source,
      };
    },

    /** Takes what would become of the rows, in the order of the file. */
    put(plans: readonly Planned<Work>[]): Counts {
      planned = plans;
      places = { create: [], update: [], skip: [], cannot: [] };
      for (const [at, { outcome }] of planned.entries()) places[outcome].push(at);
      const { create, update, skip, cannot } = places;
      return { create: create.length, update: update.length, skip: skip.length, cannot: cannot.length };
    },

    /** Some of the rows with one of these outcomes, in the order of the file; without one, of all. */
    some: (outcomes: readonly Outcome[], from: number, to: number): readonly Planned<Work>[] => {
      if (outcomes.length === 0) return planned.slice(from, to);
      return placesOf(outcomes)
        .slice(from, to)
        .flatMap((at) => planned[at] ?? []);
    },

    /** The rows that cannot be imported, as they stand in the file, each with what is wrong. */
    problems: (labels: Labels): string =>
      rowsAgain(
        table.headings,
        places.cannot.flatMap((at) => {
          const one = planned[at];
          const note = one?.faults.map((fault) => faultWords(fault, labels)).join('. ') ?? '';
          return one ? [{ row: one.row, cells: cellsOf(one.row), note }] : [];
        }),
      ),

    /**
     * Some of the rows that would be sent, each with its cells: what goes on after a reload has no file. All are as they
     * were when the first of them was asked for, even if the rows are checked again meanwhile.
     */
    toSend: (from: number, to: number): SentRow<Work>[] => {
      if (from === 0) agreed = placesOf(['create', 'update']).flatMap((at) => planned[at] ?? []);
      return agreed.slice(from, to).map((plan) => ({ plan, cells: cellsOf(plan.row) }));
    },
  };
}

/** What the page asks of any board. */
export type Board = Pick<ReturnType<typeof createBoard>, 'some' | 'problems' | 'toSend'>;

function sampleOf(rows: readonly Row[], at: number): string {
  const values: string[] = [];
  for (const { cells } of rows) {
    const value = cells[at]?.trim() ?? '';
    if (value !== '' && !values.includes(value)) values.push(value);
    if (values.length === SAMPLES) break;
  }
  return values.join(' · ');
}
