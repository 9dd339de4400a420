import type { Page } from '../db/list-page.ts';

/** Page number and size of a management list as an offset (spec 4.1 rule 4: defaults 1 and 10). */
export function pageOf(query: { pageNumber?: number; pageSize?: number }): Page {
  const limit = query.pageSize ?? 10;
  return { limit, offset: ((query.pageNumber ?? 1) - 1) * limit };
}
