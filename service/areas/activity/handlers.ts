import { ok, type Handlers } from '../../kernel/http/handler.ts';
import { pageOf } from '../../kernel/http/page.ts';
import { readFilter } from './rules.ts';
import { shown } from './shown.ts';
import * as store from './store.ts';

export const activityHandlers: Handlers<'queryUserActivity'> = {
  async queryUserActivity({ db, caller, query, body }) {
    const filter = readFilter(body, Date.now());
    const { total, rows } = await store.inSnapshot(db, (tx) =>
      store.readReport(tx, caller.siteId, filter, pageOf(query)),
    );
    return ok({ totalRecords: total, rows: rows.map(shown) });
  },
};
