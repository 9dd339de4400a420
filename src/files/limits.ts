const MB = 1024 * 1024;
const MOST_MB = 100;
const MOST_UNPACKED_MB = 512;

/** So large a file may be, and so large what a workbook unpacks to. */
export const MOST_BYTES = MOST_MB * MB;
export const MOST_UNPACKED = MOST_UNPACKED_MB * MB;

/** The limits, where a file is chosen. */
export const LIMITS_TEXT = `A file may have ${MOST_MB} MB, a workbook unpacked ${MOST_UNPACKED_MB} MB.`;

const AS_CSV = `Save the sheet as CSV, which may have ${MOST_MB} MB; split it where it is larger.`;
export const TOO_LARGE_BOOK = `The workbook unpacks to more than ${MOST_UNPACKED_MB} MB. ${AS_CSV}`;
export const TOO_MANY_CELLS = `A sheet of the workbook has too many cells to be read. ${AS_CSV}`;

/** Why a file of this name is refused before it is read. */
export const tooLarge = (name: string): string =>
  `${name} is larger than ${MOST_MB} MB. ${/\.xls\w?$/i.test(name) ? AS_CSV : 'Split it into several files.'}`;

/** As many as a text of that size could well have: a few rows may bring far more names or columns than any table has. */
export const MOST_CELLS = 20_000_000;
