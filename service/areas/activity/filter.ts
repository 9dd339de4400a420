import { isIP } from 'node:net';
import type { UserActivityQuery } from '../../../contract/generated/types.gen.ts';
import { ACTIVITY_RETENTION_DAYS, EXPORT_ACTIVITY_TYPE } from '../../../contract/rules/activity.ts';
import { ApiError, badRequest, type FieldError } from '../../kernel/api-error.ts';
import { parseTimestamp } from '../../kernel/http/parameters.ts';

const DAY_MS = 86_400_000;

/** Filter of the activity report; all conditions that are present must match. */
export interface ActivityFilter {
  /** Start of the period, inclusive. */
  from: Date;
  /** End of the period, exclusive; undefined: up to now. */
  to: Date | undefined;
  userIds: readonly number[] | undefined;
  principalIds: readonly number[] | undefined;
  activities: readonly number[] | undefined;
  sources: readonly number[] | undefined;
  exportKind: number | undefined;
  /** Name of what was exported (`exportDetail.type`). */
  exportedType: string | undefined;
  onlyProxy: boolean;
  network: Network | undefined;
}

interface Network {
  /** Address or network as PostgreSQL reads it. */
  cidr: string;
  /**
   * Whether the network is at least as wide as those with cells by the day: /16 of IPv4, /32 of IPv6
   * (migrations/0005_activity.ts).
   */
  isWide: boolean;
}

/** Start of the report: the beginning of the day (UTC) 90 days ago. */
const getEarliestDate = (now: number): Date =>
  new Date(Math.floor(now / DAY_MS) * DAY_MS - ACTIVITY_RETENTION_DAYS * DAY_MS);

/**
 * Parses an address or a network in CIDR notation; undefined when it is neither. Bits beyond the prefix are ignored.
 */
function parseNetwork(text: string): Network | undefined {
  const [address = '', prefix, ...rest] = text.trim().split('/');
  const ip = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const family = isIP(ip);
  if (family === 0 || ip.includes('%') || rest.length > 0) return undefined;
  if (prefix === undefined) return { cidr: ip, isWide: false };
  const bits = family === 4 ? 32 : 128;
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits || ip !== address) return undefined;
  return { cidr: `${ip}/${Number(prefix)}`, isWide: Number(prefix) <= (family === 4 ? 16 : 32) };
}

/** An empty list means no filter, like an absent one: clients send both for "all". */
export const toNonEmpty = <T>(items: readonly T[] | undefined) =>
  items && items.length > 0 ? items : undefined;

interface ParseOptions {
  now: number;
  /** Minimum length of the period in milliseconds; by default a day, as the report requires (shapes 2). */
  minPeriodMs?: number;
  /** Prefix of error paths, when the query is a property of the body. */
  pathPrefix?: string;
}

/** Parses a time of a request and reports an invalid one together with the other errors of the request. */
export function parseOptionalTimestamp(
  path: string,
  text: string | undefined,
  addError: (path: string, message: string) => void,
): Date | undefined {
  try {
    return text === undefined ? undefined : parseTimestamp(path, text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    addError(path, error.fields[0]?.message ?? error.message);
  }
  return undefined;
}

function parsePeriod(
  query: UserActivityQuery,
  { now, minPeriodMs = DAY_MS }: ParseOptions,
  addError: (path: string, message: string) => void,
) {
  const earliestDate = getEarliestDate(now);
  const [from, to] = (['dateFrom', 'dateTo'] as const).map((path) =>
    parseOptionalTimestamp(path, query[path], addError)?.getTime(),
  );
  if (from !== undefined && from < earliestDate.getTime())
    addError(
      'dateFrom',
      `must be at most ${ACTIVITY_RETENTION_DAYS} days back: ${earliestDate.toISOString()} or later`,
    );
  const start = from ?? earliestDate.getTime();
  if (to !== undefined && to < start + minPeriodMs)
    addError(
      'dateTo',
      minPeriodMs === DAY_MS ? 'must be at least a day after dateFrom' : 'must be after dateFrom',
    );
  return { from: new Date(start), to: to === undefined ? undefined : new Date(to) };
}

/**
 * Parses the query of the activity report.
 * @throws ApiError 400 with all errors
 */
export function parseFilter(query: UserActivityQuery, options: ParseOptions): ActivityFilter {
  const errors: FieldError[] = [];
  const addError = (path: string, message: string) =>
    errors.push({ path: (options.pathPrefix ?? '') + path, message });
  const period = parsePeriod(query, options, addError);
  const activities = toNonEmpty(query.activities);
  const sources = toNonEmpty(query.sources);
  if (activities && query.activity !== undefined)
    addError('activities', 'must not be combined with activity');
  if (sources && query.source !== undefined) addError('sources', 'must not be combined with source');
  const selectedActivities = query.activity === undefined ? activities : [query.activity];
  const isOfExports = selectedActivities?.length === 1 && selectedActivities[0] === EXPORT_ACTIVITY_TYPE;
  for (const path of ['exportDataType', 'exportedType'] as const)
    if (query[path] !== undefined && !isOfExports)
      addError(path, `requires activity ${EXPORT_ACTIVITY_TYPE} and no other`);
  const network = query.ipAddress === undefined ? undefined : parseNetwork(query.ipAddress);
  if (query.ipAddress !== undefined && !network)
    addError(
      'ipAddress',
      'must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24 or 2001:db8::/32',
    );
  if (errors.length > 0) throw badRequest(errors);
  return {
    ...period,
    userIds: toNonEmpty(query.userIds),
    principalIds: toNonEmpty(query.principalUserIds),
    activities: selectedActivities,
    sources: query.source === undefined ? sources : [query.source],
    exportKind: query.exportDataType,
    exportedType: query.exportedType,
    onlyProxy: query.onlyProxy ?? false,
    network,
  };
}
