import type { UserActivitySummary } from '../../../contract/generated/types.gen.ts';
import { forbidden, notFound } from '../../kernel/api-error.ts';
import { ACTIVITY_TYPE, insertActivity } from '../../kernel/audit/activity.store.ts';
import { getActor, change } from '../../kernel/audit/change.ts';
import { type Db, readInSnapshot } from '../../kernel/db/database.ts';
import { noContent, ok, type Handlers } from '../../kernel/http/handler.ts';
import { parsePage, UNVERSIONED_ETAG } from '../../kernel/http/parameters.ts';
import { configurationHandlers } from './configuration.ts';
import { activityExportHandlers } from './export.ts';
import { type ActivityFilter, parseFilter } from './filter.ts';
import { investigationHandlers } from './investigations.ts';
import { findRow, readReport, toActivityEntry } from './report.store.ts';
import { loadUserNames, readSummary } from './summary.store.ts';
import { isUserKnownToSite, listUserChanges, readLastActivity } from './user-changes.store.ts';

type Operations =
  | 'queryUserActivity'
  | 'getUserActivity'
  | 'summarizeUserActivity'
  | 'readLastActivity'
  | 'listUserChanges'
  | 'recordExport';

export const activityHandlers: Handlers<Operations> &
  typeof investigationHandlers &
  typeof configurationHandlers &
  typeof activityExportHandlers = {
  ...configurationHandlers,
  ...investigationHandlers,
  ...activityExportHandlers,

  async queryUserActivity({ readDb: db, caller, query, body }) {
    const filter = parseFilter(body, { now: Date.now() });
    const { total, rows } = await readInSnapshot(db, (tx) =>
      readReport(tx, caller.siteId, filter, parsePage(query)),
    );
    return ok({ totalRecords: total, rows: rows.map(toActivityEntry) });
  },

  async getUserActivity({ readDb: db, caller, params: { activityId } }) {
    const row = await findRow(db, caller.siteId, activityId);
    if (!row) throw notFound(`Activity ${activityId}`);
    return ok(toActivityEntry(row), { etag: UNVERSIONED_ETAG });
  },

  async summarizeUserActivity({ readDb: db, caller, body }) {
    const now = Date.now();
    // The summary is our extension: it accepts any period.
    return ok(await summarize(db, caller.siteId, parseFilter(body, { now, minPeriodMs: 1 }), now));
  },

  async readLastActivity({ readDb: db, caller, body }) {
    const rows = await readLastActivity(db, caller.siteId, body.userIds);
    return ok(
      rows.map(({ userId, lastActivityDate }) => ({
        userId,
        lastActivityDate: lastActivityDate?.toISOString() ?? null,
      })),
    );
  },

  async listUserChanges({ readDb: db, caller, params, query }) {
    if (!(await isUserKnownToSite(db, caller.siteId, params.userId))) throw notFound(`User ${params.userId}`);
    const changes = await listUserChanges(db, caller.siteId, params.userId, parsePage(query));
    return ok(changes.map((each) => ({ ...each, date: each.date.toISOString() })));
  },

  async recordExport(call) {
    const { db, caller, body, origin } = call;
    if (caller.acting) throw forbidden('You cannot export while acting for another user');
    const { exportDataType, subject, rows } = body;
    await change(db, getActor(call), async (tx, record) => {
      record({
        action: 'user.export',
        subject: ['export', subject],
        changes: { exportDataType: [null, exportDataType], rows: [null, rows] },
      });
      const { siteId, userId, tokenHash: session } = caller;
      const kind = ACTIVITY_TYPE.exported;
      await insertActivity(tx, { siteId, userId, session, kind, exportDataType, ip: origin.ip });
    });
    return noContent;
  },
};

const DAY_MS = 86_400_000;
/** Longest period in days that is counted by the hour; longer ones are counted by the day. */
const MAX_HOURLY_DAYS = 7;

/** Counts of the rows that match the filter, with the names of users. */
async function summarize(
  db: Db,
  siteId: number,
  filter: ActivityFilter,
  now: number,
): Promise<UserActivitySummary> {
  const days = ((filter.to?.getTime() ?? now) - filter.from.getTime()) / DAY_MS;
  const bucket = days <= MAX_HOURLY_DAYS ? 'hour' : 'day';
  const { summary, names } = await readInSnapshot(db, async (tx) => {
    const found = await readSummary(tx, siteId, filter, bucket);
    const ids = found.users.map(({ id }) => id);
    return { summary: found, names: await loadUserNames(tx, ids) };
  });
  const unknown = { userName: '', fullName: '' };
  return {
    totalRecords: summary.counts.reduce((sum, { count }) => sum + count, 0),
    bucket,
    counts: summary.counts.map((each) => ({
      date: each.bucket.toISOString(),
      activityTypeId: each.type,
      count: each.count,
    })),
    topUsers: summary.users.map(({ id, count }) => ({ userId: id, ...(names.get(id) ?? unknown), count })),
    topAddresses: summary.addresses.map(({ id, count }) => ({ ipAddress: id, count })),
  };
}
