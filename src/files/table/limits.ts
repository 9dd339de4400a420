const BYTES_PER_MB = 1024 * 1024;
const MAX_FILE_MB = 100;
const MAX_UNPACKED_MB = 512;

/** Maximum size of a file. */
export const MAX_FILE_BYTES = MAX_FILE_MB * BYTES_PER_MB;
/** Maximum unpacked size of a workbook. */
export const MAX_UNPACKED_BYTES = MAX_UNPACKED_MB * BYTES_PER_MB;

/** Text about the limits, shown where a file is chosen. */
export const LIMITS_TEXT = `Files up to ${MAX_FILE_MB} MB, workbooks up to ${MAX_UNPACKED_MB} MB unpacked.`;

const SAVE_AS_CSV = `Save the sheet as CSV (up to ${MAX_FILE_MB} MB), and split it if it is larger.`;
export const WORKBOOK_TOO_LARGE = `The workbook unpacks to more than ${MAX_UNPACKED_MB} MB. ${SAVE_AS_CSV}`;
export const TOO_MANY_CELLS = `A sheet of the workbook has too many cells. ${SAVE_AS_CSV}`;

/** Formats the message for a file that is too large. */
export const formatFileTooLarge = (name: string): string =>
  `${name} is larger than ${MAX_FILE_MB} MB. ${/\.xls\w?$/i.test(name) ? SAVE_AS_CSV : 'Split it into several files.'}`;

/** Maximum cells of a table: a small JSON or XLSX file can have far more columns than a CSV file of the maximum size. */
export const MAX_CELLS = 20_000_000;
