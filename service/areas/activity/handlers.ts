import { ACTIVITY, writeActivity } from '../../kernel/audit/activity.store.ts';
import { actorOf, change } from '../../kernel/change.ts';
import { forbidden, notFound } from '../../kernel/http/errors.ts';
import { done, ok, type Handlers } from '../../kernel/http/handler.ts';
import { pageOf } from '../../kernel/http/page.ts';
import { isKnown, listChanges } from './changes.store.ts';
import { investigationHandlers } from './investigations.ts';
import { readFilter } from './rules.ts';
import { shown } from './shown.ts';
import { inSnapshot, readReport } from './store.ts';
import { summarize } from './summary.ts';

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
