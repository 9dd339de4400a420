import type { ExportCell } from '../../files/cells.ts';
import type { ListSearch } from './keep.ts';

/** A table that can be exported: it comes in portions, and its cells are ready to be written. */
export interface ExportSource {
  /** What it is recorded as, and what its file is called first: `users`. */
  subject: string;
  /** The name of its sheet. */
  sheet: string;
  /** So many of its rows in words: "120 people". */
  words: (rows: number) => string;
  columns: readonly { heading: string; width: number }[];
  /** How many rows there are, as far as that is known before. */
  total: number;
  /** What the rows have in common, in words; stands in the file's name and its sheet "About". */
  filter: string | undefined;
  /** Of which moment the rows are, in words; stands beside the formats and in the sheet "About". */
  note?: string;
  /** The list that they were, to come back to it. */
  search: ListSearch | undefined;
  /** What a CSV file of it is good for. */
  csvHint?: string;
  /** It takes a while even where it is small. */
  slow?: boolean;
  /** The same table with more in it, offered beside the formats. */
  more?: { label: string; hint: string; source: ExportSource };
  /** The same table told otherwise, offered beside the formats; the first is this one. */
  variants?: { label: string; options: readonly { label: string; source: ExportSource }[] };
  portions: (signal: AbortSignal) => AsyncIterable<readonly (readonly ExportCell[])[]>;
}
