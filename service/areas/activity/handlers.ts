import { ok, type Handlers } from '../../kernel/http/handler.ts';
import { pageOf } from '../../kernel/http/page.ts';
import { readFilter } from './rules.ts';
import { shown } from './shown.ts';
import * as store from './store.ts';

export const activityHandlers: Handlers<'queryUserActivity'> = {
  async queryUserActivity({ db, caller, query, body }) {
    const filter = readFilter(body, Date.now());
    const totalRecords = await store.countActivity(db, caller.siteId, filter);
    const rows = await store.listActivity(db, caller.siteId, filter, pageOf(query));
    return ok({ totalRecords, rows: rows.map(shown) });
  },
};
