import type { ConfigurationChange } from '../../../contract/generated/types.gen.ts';
import { badRequest, type FieldError } from '../../kernel/api-error.ts';
import { readInSnapshot } from '../../kernel/db/database.ts';
import { decodeCursor, encodeCursor } from '../../kernel/http/cursor.ts';
import { ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import * as store from './configuration.store.ts';
import { parseOptionalTimestamp, toNonEmpty } from './filter.ts';
import { limitChanges } from './limit-changes.ts';

/** Changes on a page when the request names no number. */
const DEFAULT_PAGE_ROWS = 50;
/**
 * Changes that one request reads at most while it looks for matches. A page of a search that matches little has fewer changes than
 * requested, and `next`.
 */
export const MAX_SCANNED_ROWS = 2_000;

export const configurationHandlers: Handlers<'listConfigurationChanges'> = {
  async listConfigurationChanges({ readDb, caller, query }) {
    const filter = parseFilter(query);
    const before = decodeCursor(query.cursor, ['bigint']);
    const limit = query.limit ?? DEFAULT_PAGE_ROWS;
    const { rows, end } = await readInSnapshot(readDb, async (tx) => {
      const scanEnd = await store.findScanEnd(tx, caller.siteId, filter, { before, rows: MAX_SCANNED_ROWS });
      const page = { before, end: scanEnd, limit: limit + 1 };
      return {
        end: scanEnd,
        rows: await store.listConfigurationChanges(tx, caller.siteId, filter, page),
      };
    });
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    const next = last ? ([last.date.toISOString(), last.id] as const) : end;
    return ok({
      changes: rows.slice(0, limit).map(toConfigurationChange),
      ...(next && { next: encodeCursor(next), readUntil: next[0] }),
    });
  },
};

const toConfigurationChange = (row: store.StoredConfigurationChange): ConfigurationChange => ({
  ...row,
  date: row.date.toISOString(),
  ...limitChanges(row.changes),
});

/** @throws ApiError 400 with all errors */
function parseFilter(query: Call<'listConfigurationChanges'>['query']): store.ConfigurationFilter {
  const errors: FieldError[] = [];
  const addError = (path: string, message: string) => errors.push({ path, message });
  const from = parseOptionalTimestamp('from', query.from, addError);
  const to = parseOptionalTimestamp('to', query.to, addError);
  if (from && to && from >= to) addError('to', 'must be after from');
  if (errors.length > 0) throw badRequest(errors);
  const search = query.search?.trim();
  return {
    from,
    to,
    kinds: toNonEmpty(query.kinds),
    userIds: toNonEmpty(query.userIds),
    search: search === '' ? undefined : search,
  };
}
