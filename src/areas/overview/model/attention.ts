import type {
  ActivityCount,
  ActivityOfUser,
  ApiKeyInfo,
  Destination,
  GetBackupsResponse,
  InvitationInfoResponse,
  Job,
  SiteSettings,
  TwoFactorCoverage,
  UserSyncStatus,
} from '../../../../contract/generated/types.gen.ts';
import { EVENT_RETENTION_DAYS } from '../../../../contract/rules/events.ts';
import { formatDistance, formatMoment, formatShortDate, isWithinDays } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { formatSize } from '../../../lib/sizes.ts';
import {
  formatTimeToClose,
  getMonthClose,
  listWithoutImport,
  rankBySilence,
} from '../../relationship-intelligence/index.ts';

const DAY_MS = 86_400_000;
/** Lost events of a destination are shown for as long as the service keeps events. */
const LOSS_SHOWN_MS = EVENT_RETENTION_DAYS * DAY_MS;

/** Codes of refused sign-ins in the activity report (contract/rules/activity.ts), and of those with a locked account. */
const FAILED_SIGN_INS: readonly number[] = [2, 5, 6, 7];
export const LOCKED_OUT = 5;
/** Code of successful sign-ins. */
export const SIGN_IN = 1;

/** Facts of the site that the viewer may read; undefined while they are loaded, or without the permission. */
export interface SiteFacts {
  /** Counts by day (UTC) of the last 30 days. */
  activity?: readonly ActivityCount[] | undefined;
  /** People whose sign-ins were refused since yesterday because their account is locked; the service names ten. */
  lockedOut?: readonly ActivityOfUser[] | undefined;
  backups?: readonly GetBackupsResponse[] | undefined;
  isDailyBackup?: boolean | undefined;
  coverage?: TwoFactorCoverage | undefined;
  jobs?: readonly Job[] | undefined;
  /** Parts of the background work that failed. */
  taskFailures?: number | undefined;
  apiKey?: ApiKeyInfo | null | undefined;
  expiredApiKey?: ApiKeyInfo | null | undefined;
  settings?: SiteSettings | undefined;
  /** Accepted invitations whose temporary membership ends soon. */
  endingMemberships?: readonly InvitationInfoResponse[] | undefined;
  destinations?: readonly Destination[] | undefined;
  /** Time zone in which the month of imports closes. */
  importTimeZone?: string | undefined;
  /** Users enabled for imports with their last ones; not read before the close is near. */
  importStatus?: readonly UserSyncStatus[] | undefined;
}

/** Something to act on, and where it is done. */
export interface AttentionItem {
  id:
    | 'failedSignIns'
    | 'lockedOut'
    | 'backup'
    | 'secondFactor'
    | 'jobs'
    | 'tasks'
    | 'apiKey'
    | 'storage'
    | 'memberships'
    | 'deliveries'
    | 'lostEvents'
    | 'imports';
  tone: 'bad' | 'warn';
  /** The fact in one sentence without a full stop. */
  title: string;
  /** The evidence. */
  detail: string;
}

/** Days (UTC) of the last `days` days, oldest first, as "2026-03-01". */
export const listDays = (now: Date, days: number): string[] =>
  Array.from({ length: days }, (_, index) =>
    new Date(now.getTime() - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );

/** Number of activities of some types on each of the days. */
export function countByDay(
  counts: readonly ActivityCount[],
  types: readonly number[],
  days: readonly string[],
): number[] {
  const byDay = new Map<string, number>();
  for (const { date, activityTypeId, count } of counts) {
    if (!types.includes(activityTypeId)) continue;
    const day = date.slice(0, 10);
    byDay.set(day, (byDay.get(day) ?? 0) + count);
  }
  return days.map((day) => byDay.get(day) ?? 0);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const PERIOD_DAYS = 30;
/** Days that count as now: yesterday and today, which has just begun for some. */
const RECENT_DAYS = 2;

/** The first of the days that count as now (UTC), as "2026-03-29". */
export const getRecentDay = (now: Date): string => listDays(now, RECENT_DAYS)[0] ?? '';

/** Whether somebody was refused since yesterday because their account is locked. */
export const hasLockOuts = (activity: readonly ActivityCount[], now: Date): boolean =>
  sum(countByDay(activity, [LOCKED_OUT], listDays(now, RECENT_DAYS))) > 0;

const MIN_FAILED = 10;
const UNUSUAL_FACTOR = 3;

const MAX_NAMES = 3;

/** The first names, and how many more there are: "Ada Okafor, Ben Li, Cy Fox, 2 more". */
function abbreviateNames(names: readonly string[], count = names.length): string {
  const shown = names.slice(0, MAX_NAMES);
  const more = count - shown.length;
  return [...shown, ...(more > 0 ? [`${formatNumber(more)} more`] : [])].join(', ');
}

/** People of one summary of the activity: the service names no more. */
const MAX_LOCKED_OUT = 10;

function findLockedOut({ lockedOut = [] }: SiteFacts): AttentionItem[] {
  const count = lockedOut.length;
  if (count === 0) return [];
  const names = lockedOut.map(({ fullName, userName }) => fullName.trim() || userName);
  const people = pluralize(count, 'person', 'people');
  return [
    {
      id: 'lockedOut',
      tone: 'warn',
      title: `${count < MAX_LOCKED_OUT ? people : `${people} or more`} could not sign in because their account is locked`,
      detail: `${abbreviateNames(names)}, since yesterday. A new password unlocks an account immediately.`,
    },
  ];
}

function findFailedSignIns({ activity }: SiteFacts, now: Date): AttentionItem[] {
  if (!activity) return [];
  const days = listDays(now, PERIOD_DAYS);
  const failed = countByDay(activity, FAILED_SIGN_INS, days);
  const recent = sum(failed.slice(-RECENT_DAYS));
  const usual = Math.round(RECENT_DAYS * median(failed.slice(0, -RECENT_DAYS)));
  if (recent < MIN_FAILED || recent <= UNUSUAL_FACTOR * usual) return [];
  return [
    {
      id: 'failedSignIns',
      tone: 'bad',
      title: `${formatNumber(recent)} failed sign-ins since yesterday, usually ${formatNumber(usual)}`,
      detail: 'The usual number is the median of the last four weeks.',
    },
  ];
}

const MAX_DAYS_WITH_SCHEDULE = 2;
const MAX_DAYS_WITHOUT_SCHEDULE = 7;

function findMissingBackup({ backups, isDailyBackup }: SiteFacts, now: Date): AttentionItem[] {
  // A site without any backup has its place in the first steps.
  const newest = backups
    ?.filter(({ status = 'Ready' }) => status === 'Ready')
    .map(({ createdDate = '' }) => createdDate)
    .toSorted()
    .at(-1);
  if (newest === undefined) return [];
  const days = Math.floor((now.getTime() - Date.parse(newest)) / DAY_MS);
  if (days < (isDailyBackup ? MAX_DAYS_WITH_SCHEDULE : MAX_DAYS_WITHOUT_SCHEDULE)) return [];
  return [
    {
      id: 'backup',
      tone: 'bad',
      title: `No backup for ${pluralize(days, 'day', 'days')}`,
      detail: `${isDailyBackup ? 'The daily backup is on.' : 'No daily backup is scheduled.'} The last one is of ${formatShortDate(newest, now)}.`,
    },
  ];
}

function findMissingFactors({ coverage }: SiteFacts): AttentionItem[] {
  const count = coverage?.administratorsNotSetUp ?? 0;
  if (!coverage || count === 0) return [];
  const names = coverage.people
    .filter(({ isAdministrator }) => isAdministrator)
    .map(({ fullName }) => fullName);
  return [
    {
      id: 'secondFactor',
      tone: 'warn',
      title:
        count === 1
          ? '1 administrator of users, groups, settings or backups has no second factor'
          : `${formatNumber(count)} administrators of users, groups, settings or backups have no second factor`,
      detail: abbreviateNames(names, count),
    },
  ];
}

const JOB_DAYS = 7;

/** Jobs of the last days that stopped or had failures. */
export const findFailedJobs = (jobs: readonly Job[], now: Date): Job[] =>
  jobs.filter(
    ({ state, failed, finishedDate }) =>
      (state === 'stopped' || (failed > 0 && finishedDate !== null)) &&
      finishedDate !== null &&
      now.getTime() - Date.parse(finishedDate) < JOB_DAYS * DAY_MS,
  );

function findFailedWork({ jobs = [], taskFailures = 0 }: SiteFacts, now: Date): AttentionItem[] {
  const failed = findFailedJobs(jobs, now);
  const [first] = failed;
  return [
    ...(first
      ? [
          {
            id: 'jobs' as const,
            tone: 'warn' as const,
            title:
              failed.length === 1
                ? '1 job of yours had failures'
                : `${formatNumber(failed.length)} jobs of yours had failures`,
            detail: first.title,
          },
        ]
      : []),
    ...(taskFailures > 0
      ? [
          {
            id: 'tasks' as const,
            tone: 'bad' as const,
            title: `${pluralize(taskFailures, 'part', 'parts')} of the background work failed`,
            detail: 'The settings name each with its reason, and retry it.',
          },
        ]
      : []),
  ];
}

const KEY_NOTICE_DAYS = 14;

function findEndingKey({ apiKey, expiredApiKey }: SiteFacts, now: Date): AttentionItem[] {
  const end = apiKey?.expiresDate;
  if (end && isWithinDays(end, KEY_NOTICE_DAYS, now))
    return [
      {
        id: 'apiKey',
        tone: 'warn',
        title: `Your API key expires ${formatDistance(end, now)}`,
        detail: 'Programs that use it are then refused. Replace it with a new key before.',
      },
    ];
  if (!expiredApiKey || apiKey) return [];
  return [
    {
      id: 'apiKey',
      tone: 'bad',
      title: 'Your API key has expired',
      detail: 'Programs that use it are refused. Turn on a new key.',
    },
  ];
}

const FULL_SHARE = 0.9;

function findFullStorage({ settings }: SiteFacts): AttentionItem[] {
  const limit = settings?.storageLimitBytes ?? null;
  if (!settings || limit === null || settings.storageUsedBytes < FULL_SHARE * limit) return [];
  return [
    {
      id: 'storage',
      tone: 'warn',
      title: `${formatSize(settings.storageUsedBytes)} of ${formatSize(limit)} for files are used`,
      detail: 'At the limit, no further files are stored. A platform administrator can raise it.',
    },
  ];
}

function findEndingMemberships({ endingMemberships = [] }: SiteFacts, now: Date): AttentionItem[] {
  const ends = endingMemberships.flatMap(({ membershipExpiresDate: end }) => (end ? [end] : [])).toSorted();
  const [first] = ends;
  if (first === undefined) return [];
  const next = endingMemberships.find(({ membershipExpiresDate }) => membershipExpiresDate === first);
  return [
    {
      id: 'memberships',
      tone: 'warn',
      title:
        ends.length === 1
          ? '1 membership ends within a week'
          : `${formatNumber(ends.length)} memberships end within a week`,
      detail: `${ends.length === 1 ? '' : 'The first '}${formatDistance(first, now)}: ${next?.email ?? ''}. Extend those that go on.`,
    },
  ];
}

function findFailedDeliveries({ destinations = [] }: SiteFacts): AttentionItem[] {
  const failing = destinations.filter(({ isEnabled, disabledReason, failingSince }) =>
    isEnabled ? typeof failingSince === 'string' : typeof disabledReason === 'string',
  );
  if (failing.length === 0) return [];
  const waiting = sum(failing.map(({ lag }) => lag));
  const since = failing.flatMap(({ failingSince }) => failingSince ?? []).toSorted()[0];
  return [
    {
      id: 'deliveries',
      tone: 'bad',
      title:
        failing.length === 1
          ? '1 destination receives no events'
          : `${formatNumber(failing.length)} destinations receive no events`,
      detail: `${abbreviateNames(failing.map(({ name }) => name))}${since === undefined ? '' : `, since ${formatMoment(since)}`}. ${pluralize(waiting, 'event waits', 'events wait')}.`,
    },
  ];
}

/** Destinations that have lost events within the days for which events are kept. */
function findLostEvents({ destinations = [] }: SiteFacts, now: Date): AttentionItem[] {
  const losing = destinations.filter(
    ({ lostDate }) => typeof lostDate === 'string' && now.getTime() - Date.parse(lostDate) < LOSS_SHOWN_MS,
  );
  if (losing.length === 0) return [];
  const lost = sum(losing.map(({ lostEvents }) => lostEvents));
  return [
    {
      id: 'lostEvents',
      tone: 'bad',
      title:
        losing.length === 1
          ? '1 destination has lost events'
          : `${formatNumber(losing.length)} destinations have lost events`,
      detail: `${abbreviateNames(losing.map(({ name }) => name))}. ${pluralize(lost, 'event was', 'events were')} deleted before delivery.`,
    },
  ];
}

function findLateImports({ importTimeZone, importStatus }: SiteFacts, now: Date): AttentionItem[] {
  if (importTimeZone === undefined || !importStatus) return [];
  const { month, closesAt, isNear } = getMonthClose(now.getTime(), importTimeZone);
  const late = listWithoutImport(rankBySilence(importStatus, now.getTime()), month);
  if (!isNear || late.length === 0) return [];
  const name = new Intl.DateTimeFormat(undefined, { timeZone: importTimeZone, month: 'long' }).format(month);
  return [
    {
      id: 'imports',
      tone: 'warn',
      title: `${name} closes in ${formatTimeToClose(now.getTime(), closesAt)}, and ${pluralize(late.length, 'person has', 'people have')} no import of it`,
      detail: `${abbreviateNames(late.map(({ emailAddress }) => emailAddress))}. Later items are accepted and marked late.`,
    },
  ];
}

/** Lists what needs attention, failures before warnings. */
export const findAttention = (facts: SiteFacts, now: Date): AttentionItem[] =>
  [
    ...findFailedSignIns(facts, now),
    ...findLockedOut(facts),
    ...findMissingBackup(facts, now),
    ...findFailedWork(facts, now),
    ...findFailedDeliveries(facts),
    ...findLostEvents(facts, now),
    ...findLateImports(facts, now),
    ...findEndingMemberships(facts, now),
    ...findEndingKey(facts, now),
    ...findMissingFactors(facts),
    ...findFullStorage(facts),
  ].toSorted((a, b) => Number(a.tone === 'warn') - Number(b.tone === 'warn'));
