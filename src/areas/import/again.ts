import { toCsv } from '../../files/csv.ts';

/** A row of the file with what is wrong with it. */
interface Faulty {
  row: number;
  cells: readonly string[];
  note: string;
  /** Which one it is, where it is there. */
  id?: number | undefined;
}

const ADDED = ['Row', 'Problem'] as const;

/** How many of these columns are the file's own: not those that stand behind rows which are to be imported again. */
export const ownColumns = (headings: readonly string[]): number =>
  headings.at(-2) === ADDED[0] && headings.at(-1) === ADDED[1] ? headings.length - 2 : headings.length;

/**
 * These rows as they stand in the file, to be imported again; what is there of them already is told by its id in a
 * column that is called so, which is added where the file has none.
 */
export function rowsAgain(headings: readonly string[], rows: readonly Faulty[], idHeading?: string): string {
  const file = headings.slice(0, ownColumns(headings));
  const needsIds = idHeading !== undefined && rows.some(({ id }) => id !== undefined);
  const own = needsIds && !file.includes(idHeading) ? [...file, idHeading] : file;
  const ids = needsIds ? own.indexOf(idHeading) : -1;
  return toCsv([
    [...own, ...ADDED],
    ...rows.map(({ row, cells, note, id }) => [
      ...own.map((_, at) =>
        at === ids && id !== undefined ? String(id) : (file[at] !== undefined && cells[at]) || '',
      ),
      String(row),
      note,
    ]),
  ]);
}
