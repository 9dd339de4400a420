import type { WriteOperation } from '../../api/effects.ts';
import type { About, Progress, RowResult } from './keep.ts';
import type { Planned } from './plan.ts';

/** Some rows on their way: how far each is, by its row. */
export interface Piece {
  rows: readonly Planned[];
  progress: ReadonlyMap<number, Progress>;
  /** What came of all rows so far, these included. */
  results: ReadonlyMap<number, RowResult>;
  /** What is there already by this import. */
  made: ReadonlySet<number>;
  /** Tells what came of a row, as soon as that is known. */
  tell: (row: number, result: RowResult) => void;
}

/** How rows of one kind are sent. */
export interface Performer {
  /** Pieces that are on their way at the same time. */
  atOnce: number;
  /** Rows as they are sent: those of a piece in one call. */
  pieces: (rows: readonly Planned[]) => readonly (readonly Planned[])[];
  /** The greatest number of what is there, where what is created can be told by a greater one. */
  mark?: (() => Promise<number>) | undefined;
  /**
   * Sends a piece; tells of the rows what came of them. One that waits for others is asked for again after these.
   * @throws ServiceError where the fault is not the rows': they can be tried again later
   */
  perform: (piece: Piece) => Promise<void>;
  /** What may have changed at the end. */
  effects: readonly WriteOperation[];
}

/** How the rows of an import are sent; read with the first of them. */
export async function performerFor({ typeId }: About): Promise<Performer> {
  if (typeId === undefined) return (await import('../users/import/performer.ts')).peoplePerformer;
  return (await import('../entries/import/performer.ts')).entriesPerformer(typeId);
}
