import { cutText } from '../../../contract/rules/cut-text.ts';
import { toWallTime } from '../../../contract/rules/dates/wall-time.ts';

const MAX_NAME_LENGTH = 120;
// oxlint-disable-next-line no-control-regex -- control characters are invalid in file names
const INVALID_CHARACTERS = /[\\/:*?"<>|\0-\x1f\x7f]/g;

/** Name of a file from a text that users chose, without its extension. */
function toFileName(text: string): string {
  const valid = text.toWellFormed().replaceAll(INVALID_CHARACTERS, ' ').replaceAll(/\s+/g, ' ');
  const name = cutText(valid, MAX_NAME_LENGTH).replaceAll(/^[. ]+|[. ]+$/g, '');
  return name === '' ? 'Report' : name;
}

/** Name of the file of a report, with the day of its data in the time zone of the report: `Company profile - Acme 2026-03-01.docx`. */
export function buildReportName(
  { template, entry }: { template: string; entry?: { name: string } | undefined },
  { at, timeZone }: { at: Date; timeZone: string },
  extension: string,
): string {
  const day = new Date(toWallTime(at.getTime(), timeZone)).toISOString().slice(0, 10);
  return `${toFileName(entry ? `${template} - ${entry.name}` : template)} ${day}.${extension}`;
}

/** Name of a document within a ZIP file, which no other entry has: `Acme (58231).docx`. */
export const buildMemberName = (entry: { id: number; name: string }, extension: string): string =>
  `${toFileName(entry.name)} (${entry.id}).${extension}`;
