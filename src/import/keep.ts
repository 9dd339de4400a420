import type { Holder } from '../api/session-gate.ts';
import { createShelf } from '../bulk/shelf.ts';
import { begin } from './perform.ts';
import type { Progress, RowResult } from './perform.ts';
import type { Planned, SentRow } from './plan.ts';

/** An import that was agreed to, as it is kept for the time after a reload. */
export interface ImportJob {
  id: string;
  /** Who began it, and where: nobody else goes on with it. */
  holder: Holder;
  fileName: string;
  headings: readonly string[];
  rows: readonly SentRow[];
}

/** What is noted of a row: that its person is about to be created, or what came of it. */
export type RowNote = { row: number } & ({ creating: true } | { result: RowResult });

const shelf = createShelf<Omit<ImportJob, 'rows'>, SentRow, RowNote>('import');

export const keepImport = ({ rows, ...job }: ImportJob): Promise<void> => shelf.put(job, rows);
export const noteRows = (id: string, notes: readonly RowNote[]): Promise<void> => shelf.note(id, notes);
export const dropImport = (id: string): Promise<void> => shelf.drop(id);

/** The imports that this person began on this site, with what is noted of their rows. */
export async function keptImports(holder: Holder): Promise<{ job: ImportJob; notes: RowNote[] }[]> {
  return Promise.all(
    (await shelf.jobs(holder)).map(async (job) => ({
      job: { ...job, rows: await shelf.items(job.id) },
      notes: await shelf.outcomes(job.id),
    })),
  );
}

/** How far an import has come by its notes. */
export function resumed(rows: readonly Planned[], notes: readonly RowNote[]) {
  const results = new Map(
    notes.flatMap((note) => ('result' in note ? [[note.row, note.result] as const] : [])),
  );
  const creating = new Set(notes.flatMap((note) => ('creating' in note ? [note.row] : [])));
  const progress = new Map<number, Progress>();
  // Whether the call that created somebody arrived is not known: whoever is there now is taken for its work.
  for (const plan of rows)
    if (creating.has(plan.row) && !results.has(plan.row))
      progress.set(plan.row, { ...begin(plan), unsure: true });
  return { results, progress };
}
