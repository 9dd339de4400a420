import type { EntryFate } from '../../../../contract/generated/types.gen.ts';
import { omitUndefined, readSearchText } from '../../../lib/search-params.ts';
import type { Search } from '../../../lib/search-params.ts';

const HOUR_MS = 3_600_000;

/** Periods of the changes page; the API goes back 180 days (shapes 1). */
export const PERIODS = [
  { id: 'hour', label: 'Last hour', ms: HOUR_MS },
  { id: 'day', label: 'Last day', ms: 24 * HOUR_MS },
  { id: 'week', label: 'Last week', ms: 7 * 24 * HOUR_MS },
  { id: 'month', label: 'Last 30 days', ms: 30 * 24 * HOUR_MS },
  // An hour less than 180 days, since the service's clock may be ahead.
  { id: 'all', label: 'Last 180 days', ms: (180 * 24 - 1) * HOUR_MS },
] as const;
type Period = (typeof PERIODS)[number]['id'];

/** State of the changes page in its URL. */
export interface ChangesView {
  period: Period;
  /** Includes calculations and changes caused by deletions of other entries. */
  indirect: boolean;
  /** API name of an entry type; empty for the one with the most changes. */
  type: string;
  fate: EntryFate | undefined;
  /** Restricts the list to entries last changed by this user. */
  userId: number | undefined;
}

const FATES: readonly EntryFate[] = ['created', 'changed', 'gone'];

/** Parses the state from search parameters; invalid ones are ignored. */
export const parseChangesView = ({ since, indirect, type, fate, by }: Search): ChangesView => ({
  period: PERIODS.find(({ id }) => id === since)?.id ?? 'day',
  indirect: indirect === true,
  type: readSearchText(type),
  fate: FATES.find((candidate) => candidate === fate),
  userId: typeof by === 'number' && Number.isInteger(by) && by > 0 && by < 2 ** 31 ? by : undefined,
});

/** Formats the state as search parameters without defaults. */
export const formatChangesView = ({ period, indirect, type, fate, userId }: ChangesView) =>
  omitUndefined({
    since: period === 'day' ? undefined : period,
    indirect: indirect ? true : undefined,
    type: type === '' ? undefined : type,
    fate,
    by: userId,
  });

/** Search parameters of the page; defaults are left out. */
export type ChangesSearch = ReturnType<typeof formatChangesView>;
