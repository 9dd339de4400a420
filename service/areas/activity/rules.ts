import { isIP } from 'node:net';
import type { UserActivityQuery } from '../../../contract/generated/types.gen.ts';
import { ACTIVITY_DAYS, EXPORT_ACTIVITY } from '../../../contract/rules/activity.ts';
import { ApiError, invalid, type FieldError } from '../../kernel/http/errors.ts';
import { readMoment } from '../../kernel/http/moments.ts';

const DAY_MS = 86_400_000;

/** What the report is asked for: every part that is there must fit. */
export interface Filter {
  /** Part of the report from this moment on … */
  from: Date;
  /** … and before this one; undefined: up to now. */
  to: Date | undefined;
  userIds: readonly number[] | undefined;
  principalIds: readonly number[] | undefined;
  activities: readonly number[] | undefined;
  sources: readonly number[] | undefined;
  exportKind: number | undefined;
  onlyProxy: boolean;
  /** An address or a network, as PostgreSQL reads it. */
  network: Network | undefined;
}

interface Network {
  cidr: string;
  /** As wide as what is counted by the day, or wider: /16 of IPv4, /32 of IPv6 (migrations/0005_activity.ts). */
  isWide: boolean;
}

/** The first moment of the report: the day (UTC) that lies 90 days back, from its beginning. */
const earliest = (now: number): Date => new Date(Math.floor(now / DAY_MS) * DAY_MS - ACTIVITY_DAYS * DAY_MS);

/** An address or a network in CIDR notation; undefined for what is neither. Bits beyond the prefix do not count. */
function networkOf(text: string): Network | undefined {
  const [address = '', prefix, ...more] = text.trim().split('/');
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const family = isIP(plain);
  if (family === 0 || plain.includes('%') || more.length > 0) return undefined;
  if (prefix === undefined) return { cidr: plain, isWide: false };
  const bits = family === 4 ? 32 : 128;
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits || plain !== address) return undefined;
  return { cidr: `${plain}/${Number(prefix)}`, isWide: Number(prefix) <= (family === 4 ? 16 : 32) };
}

// A list without anything in it filters as little as one that is absent: clients write both for "all".
const listed = <T>(items: readonly T[] | undefined) => (items && items.length > 0 ? items : undefined);

interface Reading {
  now: number;
  /** The least period; a day where rows are reported (shapes 2). */
  leastMs?: number;
  /** Where the query stands in the body. */
  at?: string;
}

function readPeriod(
  query: UserActivityQuery,
  { now, leastMs = DAY_MS }: Reading,
  fault: (path: string, message: string) => void,
) {
  const first = earliest(now);
  const [from, to] = (['dateFrom', 'dateTo'] as const).map((path) => {
    const text = query[path];
    try {
      return text === undefined ? undefined : readMoment(path, text).getTime();
    } catch (error) {
      // Told with every other fault of the query.
      if (!(error instanceof ApiError)) throw error;
      fault(path, error.fields[0]?.message ?? error.message);
    }
    return undefined;
  });
  if (from !== undefined && from < first.getTime())
    fault('dateFrom', `must be at most ${ACTIVITY_DAYS} days back: ${first.toISOString()} or later`);
  const begin = from ?? first.getTime();
  if (to !== undefined && to < begin + leastMs)
    fault('dateTo', leastMs === DAY_MS ? 'must be at least a day after dateFrom' : 'must be after dateFrom');
  return { from: new Date(begin), to: to === undefined ? undefined : new Date(to) };
}

/**
 * The filter that a query asks for.
 * @throws ApiError 400 with every fault at once
 */
export function readFilter(query: UserActivityQuery, reading: Reading): Filter {
  const faults: FieldError[] = [];
  const fault = (path: string, message: string) => faults.push({ path: (reading.at ?? '') + path, message });
  const period = readPeriod(query, reading, fault);
  const activities = listed(query.activities);
  const sources = listed(query.sources);
  if (activities && query.activity !== undefined) fault('activities', 'must not be together with activity');
  if (sources && query.source !== undefined) fault('sources', 'must not be together with source');
  const asked = query.activity === undefined ? activities : [query.activity];
  if (query.exportDataType !== undefined && !(asked?.length === 1 && asked[0] === EXPORT_ACTIVITY))
    fault('exportDataType', `must be together with activity ${EXPORT_ACTIVITY} alone`);
  const network = query.ipAddress === undefined ? undefined : networkOf(query.ipAddress);
  if (query.ipAddress !== undefined && !network)
    fault(
      'ipAddress',
      'must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24 or 2001:db8::/32',
    );
  if (faults.length > 0) throw invalid(faults);
  return {
    ...period,
    userIds: listed(query.userIds),
    principalIds: listed(query.principalUserIds),
    activities: asked,
    sources: query.source === undefined ? sources : [query.source],
    exportKind: query.exportDataType,
    onlyProxy: query.onlyProxy ?? false,
    network,
  };
}
