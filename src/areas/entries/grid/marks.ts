import type { FieldValue, PastState, RowVm } from '../../../api/generated/types.gen.ts';

/** How a row of a list as it was is different today. */
export interface RowMark {
  state: PastState;
  /** What became of it, in a word or two; longer where there is room. */
  short: string;
  words: string;
  /** What its fields hold today, by apiName, where that is something else. */
  today: ReadonlyMap<string, { value: FieldValue | undefined }>;
}

/** What makes a grid one of a moment that is past. */
export interface PastMarks {
  at: string;
  /** The same row has the same mark, so that it is not drawn again. */
  markOf: (row: RowVm) => RowMark | undefined;
}
