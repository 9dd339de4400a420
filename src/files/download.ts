import { foldText } from '../lib/fold-text.ts';

// Large files are still being read after the click.
const REVOKE_DELAY_MS = 60_000;

/** Downloads a text or a file. */
export function saveFile(name: string, content: string | Blob, type = 'text/csv'): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_DELAY_MS);
}

const MAX_FILTER_LENGTH = 80;

/** Builds the file name of an export from subject, filter and date: `users-license-standard-2026-11-21.csv`. */
export function buildFileName(
  subject: string,
  filter: string | undefined,
  extension: string,
  at = new Date(),
): string {
  const filterText = foldText(filter ?? '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, MAX_FILTER_LENGTH)
    .replaceAll(/^-+|-+$/g, '');
  const date = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${[subject, filterText, ...date].filter((part) => part !== '').join('-')}.${extension}`;
}
