import type { ActingStep } from '../../../api/generated/types.gen.ts';

/** One step of a report with its parameters apart. */
export interface ToldStep extends ActingStep {
  key: string;
  /** How often it was made one after the other. */
  times: number;
  parts: readonly { name: string; value: string }[];
}

const PARAMETER = /(?:^|\s)([A-Za-z]\w*)=/;
// Which page was turned to, or since when somebody had the rest already, is nobody's question.
const UNTOLD = new Set(['pagenumber', 'pagesize', 'modifiedsince']);
const USERS = new Set(['userid', 'proxyuserid']);

/** Takes "userId=7 q=ann marsh" apart; a value may have spaces of its own. */
export function partsOf(subject: string): { name: string; value: string }[] {
  const [, ...rest] = subject.split(PARAMETER);
  const parts: { name: string; value: string }[] = [];
  for (let at = 0; at + 1 < rest.length; at += 2)
    parts.push({ name: rest[at] ?? '', value: (rest[at + 1] ?? '').trim() });
  return parts.filter(({ name, value }) => value !== '' && !UNTOLD.has(name.toLowerCase()));
}

/** The user whom a parameter names by id. */
export function userIn({ name, value }: { name: string; value: string }): number | undefined {
  const id = Number(value);
  return USERS.has(name.toLowerCase()) && Number.isInteger(id) && id > 0 ? id : undefined;
}

const isSame = (a: ToldStep, b: ToldStep): boolean =>
  a.operationId === b.operationId &&
  a.status === b.status &&
  JSON.stringify(a.parts) === JSON.stringify(b.parts);

// The console brings what it knows of everybody up to date by itself, every minute.
const BY_ITSELF = new Set(['searchUsers', 'listGroups', 'searchUserLicenses']);

/**
 * The steps of a report as they are told: what was read again at once is one line, and so is what the console reads again
 * by itself, whatever stands between; a change never is.
 */
export function toldSteps(steps: readonly ActingStep[]): ToldStep[] {
  const told: ToldStep[] = [];
  for (const [at, step] of steps.entries()) {
    const next = { ...step, key: `${at} ${step.date}`, times: 1, parts: partsOf(step.subject) };
    const before = BY_ITSELF.has(step.operationId) ? told : told.slice(-1);
    const same = step.isWrite ? undefined : before.findLast((one) => isSame(one, next));
    if (same) same.times += 1;
    else told.push(next);
  }
  return told;
}

/** What came of a step, in words. */
export function outcomeOf({ status }: Pick<ActingStep, 'status'>): { words: string; bad: boolean } {
  if (status === null) return { words: 'Not known: it was broken off', bad: true };
  if (status < 400) return { words: 'Done', bad: false };
  if (status === 401 || status === 403) return { words: `Refused (${status})`, bad: true };
  return { words: `Failed (${status})`, bad: true };
}

/** A parameter's name in words: "licenseTypeId" is "license type id". */
export const inWords = (name: string): string => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();

/** How many steps read, changed, and were refused or failed. */
export function countsOf(steps: readonly ActingStep[]): { reads: number; writes: number; refused: number } {
  const writes = steps.filter(({ isWrite }) => isWrite).length;
  return {
    reads: steps.length - writes,
    writes,
    refused: steps.filter((step) => outcomeOf(step).bad).length,
  };
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How long it lasted: "20 min", "2 h 5 min". */
export function lasted(startedDate: string, endedDate: string): string {
  const ms = Math.max(0, Date.parse(endedDate) - Date.parse(startedDate));
  if (ms < MINUTE) return 'under a minute';
  const hours = Math.floor(ms / HOUR);
  const minutes = Math.floor((ms % HOUR) / MINUTE);
  return [...(hours > 0 ? [`${hours} h`] : []), ...(minutes > 0 ? [`${minutes} min`] : [])].join(' ');
}
