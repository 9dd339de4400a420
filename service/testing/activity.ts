/** Test data of the activity report: random rows and queries, and a reference filter in memory. */
import { BlockList, isIPv4 } from 'node:net';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import type { UserActivityQuery } from '../../contract/generated/types.gen.ts';
import type { Db } from '../kernel/db/database.ts';

export interface ActivityRow {
  id: number;
  at: number;
  userId: number;
  type: number;
  source: number;
  ip: string | null;
  principalId: number | null;
  exportKind: number | null;
}

const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Random rows with few distinct values, so that any filter matches some; times cluster at the beginnings of hours, days
 * and weeks.
 */
export const arbitraryRow = (userIds: readonly number[], now: number) =>
  fc
    .record({
      daysBack: fc.integer({ min: 0, max: 95 }),
      hour: fc.integer({ min: 0, max: 23 }),
      ms: fc.constantFrom(0, 1, HOUR_MS - 1, 1_234_567, HOUR_MS / 2),
      userId: fc.constantFrom(...userIds),
      type: fc.integer({ min: 1, max: 10 }),
      source: fc.integer({ min: 1, max: 4 }),
      ip: fc.constantFrom(
        null,
        '10.1.2.3',
        '10.1.9.9',
        '10.200.0.1',
        '192.0.2.255',
        '255.255.255.255',
        '2001:db8::1',
        '2001:db8:ffff::1',
        '2001:db9::1',
        '::1',
      ),
      principalId: fc.option(fc.constantFrom(...userIds), { freq: 2 }),
      kind: fc.integer({ min: 0, max: 4 }),
    })
    .map(({ daysBack, hour, ms, kind, ...row }) => ({
      ...row,
      exportKind: row.type === 8 ? kind : null,
      at: Math.min(now, Math.floor(now / DAY_MS) * DAY_MS - daysBack * DAY_MS + hour * HOUR_MS + ms),
    }));

/** Inserts the rows and returns them with their ids. */
export async function insertRows(
  db: Db,
  siteId: number,
  rows: readonly Omit<ActivityRow, 'id'>[],
): Promise<ActivityRow[]> {
  const inserted = rows.map(async (row) => {
    const { rows: ids } = await sql<{ id: number }>`
      insert into activity (site_id, at, user_id, activity_type_id, source_type_id, ip_address, session_id,
        principal_user_id, export_data_type)
      values (${siteId}, ${new Date(row.at)}, ${row.userId}, ${row.type}, ${row.source}, ${row.ip}::inet, null,
        ${row.principalId}, ${row.exportKind}) returning activity_id as id`.execute(db);
    return { ...row, id: ids[0]?.id ?? 0 };
  });
  return Promise.all(inserted);
}

function isInNetwork(ip: string, network: string): boolean {
  const [base = '', prefix] = network.split('/');
  const list = new BlockList();
  const family = isIPv4(base) ? 'ipv4' : 'ipv6';
  list.addSubnet(base, prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix), family);
  return isIPv4(ip) === isIPv4(base) && list.check(ip, family);
}

/** An absent or empty list matches everything. */
const matchesList = <T>(list: readonly T[] | undefined, item: T | null) =>
  list === undefined || list.length === 0 || (item !== null && list.includes(item));

/** Rows that match the query, newest first. */
export function filterRows(
  rows: readonly ActivityRow[],
  query: UserActivityQuery,
  now: number,
): ActivityRow[] {
  const from = query.dateFrom ? Date.parse(query.dateFrom) : Math.floor(now / DAY_MS) * DAY_MS - 90 * DAY_MS;
  const to = query.dateTo ? Date.parse(query.dateTo) : Infinity;
  return rows
    .filter(
      (row) =>
        row.at >= from &&
        row.at < to &&
        matchesList(query.userIds, row.userId) &&
        matchesList(query.principalUserIds, row.principalId) &&
        matchesList(query.activity === undefined ? query.activities : [query.activity], row.type) &&
        matchesList(query.source === undefined ? query.sources : [query.source], row.source) &&
        (query.exportDataType === undefined || row.exportKind === query.exportDataType) &&
        (!query.onlyProxy || row.principalId !== null) &&
        (query.ipAddress === undefined || (row.ip !== null && isInNetwork(row.ip, query.ipAddress))),
    )
    .toSorted((one, other) => other.at - one.at || other.id - one.id);
}

/** Random queries with every combination of filters; export types only with their activity. */
export const arbitraryQuery = (userIds: readonly number[], now: number): fc.Arbitrary<UserActivityQuery> => {
  const fewUserIds = fc.uniqueArray(fc.constantFrom(...userIds), { minLength: 1, maxLength: 3 });
  // Many ids use another query plan than few; most of these users have no rows.
  const unknownUserIds = Array.from({ length: 60 }, (_, index) => 2_000_000_000 + index);
  const someUserIds = fc.oneof(
    fewUserIds,
    fewUserIds.map((ids) => [...ids, ...unknownUserIds]),
  );
  const period = fc
    .record({
      back: fc.integer({ min: 1, max: 90 }),
      days: fc.integer({ min: 1, max: 60 }),
      ms: fc.constantFrom(0, 1, 90_000_000),
    })
    .map(({ back, days, ms }) => {
      const from = Math.floor(now / DAY_MS) * DAY_MS - back * DAY_MS + ms;
      return {
        dateFrom: new Date(from).toISOString(),
        dateTo: new Date(from + days * DAY_MS + ms / 7).toISOString(),
      };
    });
  const kindFilter = fc.oneof(
    fc.constant({}),
    fc.record({ activity: fc.integer({ min: 1, max: 10 }) }),
    fc.record({
      activities: fc.uniqueArray(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 4 }),
    }),
    fc.record({ activity: fc.constant(8), exportDataType: fc.integer({ min: 0, max: 4 }) }),
  );
  const ipAddress = fc.constantFrom(
    '10.1.2.3',
    '10.1.0.0/16',
    '10.0.0.0/8',
    '10.1.2.0/24',
    '0.0.0.0/0',
    '192.0.2.254/31',
    '255.255.255.255',
    '2001:db8::/32',
    '2001:db8::/31',
    '2001:db8::/48',
    '2001:db8::1',
    '::/0',
    '::1/128',
    '203.0.113.0/24',
  );
  return fc
    .tuple(
      fc.option(period, { nil: {} }),
      kindFilter,
      fc.oneof(
        fc.constant({}),
        fc.record({ source: fc.integer({ min: 1, max: 4 }) }),
        fc.record({ sources: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 2 }) }),
      ),
      fc.record(
        { userIds: someUserIds, principalUserIds: someUserIds, ipAddress, onlyProxy: fc.boolean() },
        { requiredKeys: [] },
      ),
    )
    .map((parts) => Object.assign({}, ...parts) as UserActivityQuery);
};
