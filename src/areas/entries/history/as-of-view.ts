import type { PastState } from '../../../../contract/generated/types.gen.ts';
import { omitUndefined } from '../../../lib/search-params.ts';
import type { Search } from '../../../lib/search-params.ts';
import { parseView, formatView } from '../views/view.ts';
import type { EntriesView } from '../views/view.ts';
import { parseTimestamps } from './timestamps.ts';

/** State of a list as of a past time in its URL. */
export interface AsOfView extends EntriesView {
  /** ISO timestamp; undefined until one is selected. */
  asOf: string | undefined;
  /** Restricts the list to rows with this change since. */
  only: PastState | undefined;
  /** Includes rows added since. */
  withAdded: boolean;
}

const STATES: readonly PastState[] = ['added', 'removed', 'changed'];

/** Parses the state from search parameters; invalid ones are ignored. */
export const parseAsOfView = (search: Search): AsOfView => ({
  ...parseView(search),
  asOf: parseTimestamps(search.asOf)[0],
  only: STATES.find((state) => state === search.only),
  withAdded: search.added === true,
});

/** Formats the state as search parameters. */
export const formatAsOfView = (view: AsOfView) => ({
  ...formatView(view),
  ...omitUndefined({ asOf: view.asOf, only: view.only, added: view.withAdded ? true : undefined }),
});

/** Search parameters of the page; defaults are left out. */
export type AsOfSearch = ReturnType<typeof formatAsOfView>;
