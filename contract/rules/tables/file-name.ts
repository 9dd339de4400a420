import { cutText } from '../cut-text.ts';
import { foldText } from '../fold-text.ts';

const MAX_FILTER_LENGTH = 80;

/** Day of a timestamp where the program runs: `2026-11-21`. */
const formatLocalDay = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-');

/** Builds the file name of an export from subject, filter and day: `users-license-standard-2026-11-21.csv`. */
export function buildFileName(
  subject: string,
  filter: string | undefined,
  extension: string,
  day = formatLocalDay(new Date()),
): string {
  const words = foldText(filter ?? '').replaceAll(/[^\p{L}\p{N}]+/gu, '-');
  const filterText = cutText(words, MAX_FILTER_LENGTH).replaceAll(/^-+|-+$/g, '');
  return `${[subject, filterText, day].filter((part) => part !== '').join('-')}.${extension}`;
}
