import type { ActingStep } from '../../../../contract/generated/types.gen.ts';
import { formatOutcome } from '../../../../contract/rules/people/acting-steps.ts';

/** Row of the report: an audit trail entry with its parameters, or several equal ones. */
export interface ReportLine extends ActingStep {
  key: string;
  /** Number of equal entries combined into this row. */
  repeatCount: number;
  parameters: readonly { name: string; value: string }[];
}

const PARAMETER = /(?:^|\s)([A-Za-z]\w*)=/;
// Paging and incremental loading do not say what was viewed.
const HIDDEN_PARAMETERS = new Set(['pagenumber', 'pagesize', 'modifiedsince']);
const USER_ID_PARAMETERS = new Set(['userid', 'proxyuserid']);

/** Parses a subject such as "userId=7 q=ann marsh"; values may contain spaces. */
export function parseParameters(subject: string): { name: string; value: string }[] {
  const [, ...rest] = subject.split(PARAMETER);
  const parameters: { name: string; value: string }[] = [];
  for (let index = 0; index + 1 < rest.length; index += 2)
    parameters.push({ name: rest[index] ?? '', value: (rest[index + 1] ?? '').trim() });
  return parameters.filter(({ name, value }) => value !== '' && !HIDDEN_PARAMETERS.has(name.toLowerCase()));
}

/** User id in the value of a parameter; undefined for other parameters. */
export function getUserId({ name, value }: { name: string; value: string }): number | undefined {
  const id = Number(value);
  return USER_ID_PARAMETERS.has(name.toLowerCase()) && Number.isInteger(id) && id > 0 ? id : undefined;
}

const isSameStep = (a: ReportLine, b: ReportLine): boolean =>
  a.operationId === b.operationId &&
  a.status === b.status &&
  JSON.stringify(a.parameters) === JSON.stringify(b.parameters);

// The console repeats these every minute to refresh its directory.
const BACKGROUND_OPERATIONS = new Set(['searchUsers', 'listGroups', 'searchUserLicenses']);

/**
 * Combines repeated reads into one row: equal reads that follow each other, and equal background reads of the console
 * anywhere in the report. Changes are never combined.
 */
export function groupSteps(steps: readonly ActingStep[]): ReportLine[] {
  const lines: ReportLine[] = [];
  for (const [index, step] of steps.entries()) {
    const line: ReportLine = {
      ...step,
      key: `${index} ${step.date}`,
      repeatCount: 1,
      parameters: parseParameters(step.subject),
    };
    const candidates = BACKGROUND_OPERATIONS.has(step.operationId) ? lines : lines.slice(-1);
    const equal = step.isWrite ? undefined : candidates.findLast((one) => isSameStep(one, line));
    if (equal) equal.repeatCount += 1;
    else lines.push(line);
  }
  return lines;
}

/** Name of a parameter in words: "licenseTypeId" becomes "license type id". */
export const formatParameterName = (name: string): string =>
  name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();

/** Number of reads, of changes, and of requests that were refused or failed. */
export function countSteps(steps: readonly ActingStep[]): { reads: number; writes: number; refused: number } {
  const writes = steps.filter(({ isWrite }) => isWrite).length;
  return {
    reads: steps.length - writes,
    writes,
    refused: steps.filter((step) => formatOutcome(step).isFailure).length,
  };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Duration between two dates: "20 min", "2 h 5 min". */
export function formatDuration(startedDate: string, endedDate: string): string {
  const ms = Math.max(0, Date.parse(endedDate) - Date.parse(startedDate));
  if (ms < MINUTE_MS) return 'under a minute';
  const hours = Math.floor(ms / HOUR_MS);
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
  return [...(hours > 0 ? [`${hours} h`] : []), ...(minutes > 0 ? [`${minutes} min`] : [])].join(' ');
}
