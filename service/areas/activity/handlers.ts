import { ACTIVITY, writeActivity } from '../../kernel/audit/activity.store.ts';
import { actorOf, change } from '../../kernel/change.ts';
import { forbidden, notFound } from '../../kernel/http/errors.ts';
import { done, ok, type Handlers } from '../../kernel/http/handler.ts';
import { pageOf } from '../../kernel/http/page.ts';
import { isKnown, listChanges } from './changes.store.ts';
import { investigationHandlers } from './investigations.ts';
import { readFilter, type Filter } from './rules.ts';
import { shown } from './shown.ts';
import { inSnapshot, readReport } from './store.ts';
import type { UserActivitySummary } from '../../../contract/generated/types.gen.ts';
import type { Db } from '../../kernel/db/database.ts';
import { namesOf, readSummary } from './summary.store.ts';

type Operations = 'queryUserActivity' | 'summarizeUserActivity' | 'listUserChanges' | 'recordExport';

export const activityHandlers: Handlers<Operations> & typeof investigationHandlers = {
  ...investigationHandlers,

  async queryUserActivity({ reads: db, caller, query, body }) {
    const filter = readFilter(body, { now: Date.now() });
    const { total, rows } = await inSnapshot(db, (tx) =>
      readReport(tx, caller.siteId, filter, pageOf(query)),
    );
    return ok({ totalRecords: total, rows: rows.map(shown) });
  },

  async summarizeUserActivity({ reads: db, caller, body }) {
    const now = Date.now();
    // Counts are ours: they are told of any period.
    return ok(await summarize(db, caller.siteId, readFilter(body, { now, leastMs: 1 }), now));
  },

  async listUserChanges({ reads: db, caller, params, query }) {
    if (!(await isKnown(db, caller.siteId, params.userId))) throw notFound(`User ${params.userId}`);
    const changes = await listChanges(db, caller.siteId, params.userId, pageOf(query));
    return ok(changes.map((each) => ({ ...each, date: each.date.toISOString() })));
  },

  async recordExport(call) {
    const { db, caller, body, origin } = call;
    if (caller.acting) throw forbidden('Nothing is exported while you act for somebody else');
    const { exportDataType, subject, rows } = body;
    await change(db, actorOf(call), async (tx, record) => {
      record({
        action: 'user.export',
        subject: ['export', subject],
        changes: { exportDataType: [null, exportDataType], rows: [null, rows] },
      });
      const { siteId, userId, tokenHash: session } = caller;
      const kind = ACTIVITY.exported;
      await writeActivity(tx, { siteId, userId, session, kind, exportDataType, ip: origin.ip });
    });
    return done;
  },
};

const DAY_MS = 86_400_000;
/** A longer period is counted by days. */
const DAYS_BY_HOUR = 7;

/** The counts of the rows that fit, with names. */
async function summarize(db: Db, siteId: number, filter: Filter, now: number): Promise<UserActivitySummary> {
  const days = ((filter.to?.getTime() ?? now) - filter.from.getTime()) / DAY_MS;
  const bucket = days <= DAYS_BY_HOUR ? 'hour' : 'day';
  const { summary, names } = await inSnapshot(db, async (tx) => {
    const found = await readSummary(tx, siteId, filter, bucket);
    const ids = found.users.map(({ of }) => of);
    return { summary: found, names: await namesOf(tx, ids) };
  });
  const unknown = { userName: '', fullName: '' };
  return {
    totalRecords: summary.counts.reduce((sum, { n }) => sum + n, 0),
    bucket,
    counts: summary.counts.map((each) => ({
      date: each.bucket.toISOString(),
      activityTypeId: each.type,
      count: each.n,
    })),
    topUsers: summary.users.map(({ of, n }) => ({ userId: of, ...(names.get(of) ?? unknown), count: n })),
    topAddresses: summary.addresses.map(({ of, n }) => ({ ipAddress: of, count: n })),
  };
}
