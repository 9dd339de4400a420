import type { Holder } from '../../api/session-gate.ts';
import { createShelf } from '../../app/jobs/shelf.ts';
import type { Labels, Planned, SentRow } from './plan.ts';

/** What is imported, and how the page speaks of it. */
export interface About {
  /** Where it is followed: `people`, or the entries of a type. */
  place: string;
  /** Of the entries; absent for people. */
  typeId?: number;
  /** One and several of them: "person", "people". */
  words: readonly [one: string, many: string];
  labels: Labels;
  /** What stands under a name, where there is anything. */
  detail?: string;
  /** The column in which a file says which ones its rows are about, where rows need none to be told apart. */
  idHeading?: string;
}

/** An import that was agreed to, as it is kept for the time after a reload. */
export interface ImportJob<Work = unknown> {
  id: string;
  /** Who began it, and where: nobody else goes on with it. */
  holder: Holder;
  about: About;
  fileName: string;
  /** The sheet of a workbook. */
  sheet?: string | undefined;
  headings: readonly string[];
  rows: readonly SentRow<Work>[];
}

/** What came of a row: all of it, a part, nothing. */
export interface RowResult {
  result: 'done' | 'partly' | 'failed';
  /** Which one it is, where it is there. */
  id: number | undefined;
  /** What the service has said yes to, in words. */
  done: readonly string[];
  why?: string | undefined;
  requestId?: string | undefined;
  /** No answer came; it was looked for afterwards and is there, so it is taken for the work of this import. */
  assumed?: boolean;
  /** What is still to be sent of it, by the numbers of the fields: it names rows that come later. */
  open?: readonly number[];
}

/** Whether nothing more is sent for a row. */
export const isThrough = (result: RowResult | undefined): boolean =>
  result !== undefined && result.open === undefined;

/** How far a row has come: kept over a stop, so that nothing is sent twice. */
export interface Progress {
  id: number | undefined;
  done: string[];
  /** It was sent and no answer came: whether it arrived is not known. */
  unsure: boolean;
  /** What is created has a greater number than this. */
  above?: number | undefined;
}

export const begin = ({ id }: Planned): Progress => ({ id, done: [], unsure: false });

/** What is noted of a row: that it is about to be sent, or what came of it. */
export type RowNote = { row: number } & (
  | { sending: true; above?: number | undefined }
  | { result: RowResult }
);

const shelf = createShelf<Omit<ImportJob, 'rows'>, SentRow, RowNote>('import');

export const keepImport = ({ rows, ...job }: ImportJob): Promise<void> => shelf.put(job, rows);
export const noteRows = (id: string, notes: readonly RowNote[]): Promise<void> => shelf.note(id, notes);
export const dropImport = (id: string): Promise<void> => shelf.drop(id);

/** The imports that this person began on this site, with what is noted of their rows. */
export async function keptImports(holder: Holder): Promise<{ job: ImportJob; notes: RowNote[] }[]> {
  const kept = await shelf.whole(holder);
  return kept.map(({ job, items: rows, outcomes: notes }) => ({ job: { ...job, rows }, notes }));
}

/** How far an import has come by its notes. */
export function resumed(rows: readonly Planned[], notes: readonly RowNote[]) {
  const results = new Map(
    notes.flatMap((note) => ('result' in note ? [[note.row, note.result] as const] : [])),
  );
  const sent = new Map(notes.flatMap((note) => ('sending' in note ? [[note.row, note.above] as const] : [])));
  const progress = new Map<number, Progress>();
  // Whether the call arrived is not known: what is there now is taken for its work.
  for (const plan of rows)
    if (sent.has(plan.row) && !results.has(plan.row))
      progress.set(plan.row, { ...begin(plan), unsure: true, above: sent.get(plan.row) });
  return { results, progress };
}
