import { cutText } from '../../../contract/rules/cut-text.ts';

const MAX_NAME_LENGTH = 120;
// oxlint-disable-next-line no-control-regex -- control characters are invalid in file names
const INVALID_CHARACTERS = /[\\/:*?"<>|\0-\x1f\x7f]/g;

/** Name of a file from a text that users chose, without its extension. */
function toFileName(text: string): string {
  const valid = text.toWellFormed().replaceAll(INVALID_CHARACTERS, ' ').replaceAll(/\s+/g, ' ');
  const name = cutText(valid, MAX_NAME_LENGTH).replaceAll(/^[. ]+|[. ]+$/g, '');
  return name === '' ? 'Report' : name;
}

/** Name of the file of a report: `Company profile - Acme 2026-03-01.docx`. */
export const buildReportName = (
  template: string,
  entry: { name: string } | undefined,
  at: Date,
  extension: string,
): string =>
  `${toFileName(entry ? `${template} - ${entry.name}` : template)} ${at.toISOString().slice(0, 10)}.${extension}`;

/** Name of a document within a ZIP file, which no other entry has: `Acme (58231).docx`. */
export const buildMemberName = (entry: { id: number; name: string }, extension: string): string =>
  `${toFileName(entry.name)} (${entry.id}).${extension}`;
