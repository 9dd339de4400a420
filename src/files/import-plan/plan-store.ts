import { expose } from 'comlink';
import { readTable } from '../read-table.ts';
import type { FileRow } from '../table/table.ts';
import type { ReadOptions, TableSource, Table } from '../table/table.ts';
import { formatRetryCsv } from './file-columns.ts';
import type { OutcomeCounts, FieldLabels, RowOutcome, ImportRowPlan } from './plan.ts';
import { formatRowError } from './plan.ts';

/** Columns and rows found in a file. */
export interface OpenedFile {
  headings: readonly string[];
  /** First values of each column, joined for display. */
  samples: readonly string[];
  rows: number;
  source: TableSource;
}

/** Content of a file, or the reason why it cannot be read. */
export type OpenResult = OpenedFile | { error: string };

const SAMPLE_COUNT = 3;
const EMPTY_TABLE: Table = {
  headings: [],
  rows: [],
  source: { kind: 'text', separator: ',', encoding: 'utf-8' },
};

/** Holds the rows of a file in a worker while an import is prepared, with the plan for each row. */
export function createPlanStore<Work>() {
  let table = EMPTY_TABLE;
  let rowByNumber = new Map<number, FileRow>();
  let plans: readonly ImportRowPlan<Work>[] = [];
  let indexesByOutcome: Record<RowOutcome, number[]> = { create: [], update: [], skip: [], cannot: [] };
  let confirmedPlans: readonly ImportRowPlan<Work>[] = [];

  const getCells = (row: number): readonly string[] => rowByNumber.get(row)?.cells ?? [];
  /** Indexes of the rows with one of these outcomes, in the order of the file. */
  const getIndexes = (outcomes: readonly RowOutcome[]): readonly number[] => {
    const [first, ...others] = outcomes;
    if (first === undefined) return [];
    return others.length === 0
      ? indexesByOutcome[first]
      : outcomes.flatMap((outcome) => indexesByOutcome[outcome]).toSorted((a, b) => a - b);
  };

  return {
    getTable: () => table,
    getPlans: () => plans,

    open: async (file: Blob, onProgress: (share: number) => void, as?: ReadOptions): Promise<OpenResult> => {
      const read = await readTable(file, onProgress, as);
      if ('error' in read) return read;
      table = read;
      const { headings, rows, source } = read;
      rowByNumber = new Map(rows.map((row) => [row.row, row]));
      return {
        headings,
        samples: headings.map((_, at) => formatSamples(rows, at)),
        rows: rows.length,
        source,
      };
    },

    /** Stores the plans of all rows, in the order of the file. @returns the number of rows by outcome */
    setPlans(nextPlans: readonly ImportRowPlan<Work>[]): OutcomeCounts {
      plans = nextPlans;
      indexesByOutcome = { create: [], update: [], skip: [], cannot: [] };
      for (const [at, { outcome }] of plans.entries()) indexesByOutcome[outcome].push(at);
      const { create, update, skip, cannot } = indexesByOutcome;
      return { create: create.length, update: update.length, skip: skip.length, cannot: cannot.length };
    },

    /** A range of the plans with one of these outcomes, in the order of the file; all plans if `outcomes` is empty. */
    getPlansByOutcome: (
      outcomes: readonly RowOutcome[],
      from: number,
      to: number,
    ): readonly ImportRowPlan<Work>[] => {
      if (outcomes.length === 0) return plans.slice(from, to);
      return getIndexes(outcomes)
        .slice(from, to)
        .flatMap((at) => plans[at] ?? []);
    },

    /** CSV of the rows that cannot be imported, with their problems. */
    formatProblems: (labels: FieldLabels): string =>
      formatRetryCsv(
        table.headings,
        indexesByOutcome.cannot.flatMap((at) => {
          const one = plans[at];
          const note = one?.errors.map((error) => formatRowError(error, labels)).join('. ') ?? '';
          return one ? [{ row: one.row, cells: getCells(one.row), note }] : [];
        }),
      ),

    /**
     * A range of the plans to import, with the cells of their rows. The plans are fixed by the first call (from 0), even if the rows are checked again in
     * between.
     */
    getConfirmedPlans: (from: number, to: number): readonly ImportRowPlan<Work>[] => {
      if (from === 0) confirmedPlans = getIndexes(['create', 'update']).flatMap((at) => plans[at] ?? []);
      return confirmedPlans.slice(from, to).map((plan) => ({ ...plan, cells: getCells(plan.row) }));
    },
  };
}

/** Methods that the page uses, whatever is imported. */
export type PlanStore = Pick<
  ReturnType<typeof createPlanStore>,
  'getPlansByOutcome' | 'formatProblems' | 'getConfirmedPlans'
>;

function formatSamples(rows: readonly FileRow[], at: number): string {
  const values: string[] = [];
  for (const { cells } of rows) {
    const value = cells[at]?.trim() ?? '';
    if (value !== '' && !values.includes(value)) values.push(value);
    if (values.length === SAMPLE_COUNT) break;
  }
  return values.join(' · ');
}

export interface FileWorker {
  /** Opens a file in the worker; its bytes do not pass through the page. */
  open: (file: Blob, onProgress: (share: number) => void, as?: ReadOptions) => Promise<OpenResult>;
}

/** Exposes the worker's methods to the page; called in the worker. */
export const serveWorker = (worker: FileWorker): void => expose(worker);
