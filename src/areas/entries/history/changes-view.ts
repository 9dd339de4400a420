import type { EntryFate } from '../../../api/generated/types.gen.ts';
import { spoken, written } from '../../../lib/address.ts';
import type { Search } from '../../../lib/address.ts';

const HOUR = 3_600_000;

/** How far back changes are asked for; the interface goes back 180 days (shapes 1). */
export const PERIODS = [
  { id: 'hour', label: 'Last hour', ms: HOUR },
  { id: 'day', label: 'Last day', ms: 24 * HOUR },
  { id: 'week', label: 'Last week', ms: 7 * 24 * HOUR },
  { id: 'month', label: 'Last 30 days', ms: 30 * 24 * HOUR },
  // A little less than 180 days: the service's clock may be ahead of this one.
  { id: 'all', label: 'Last 180 days', ms: (180 * 24 - 1) * HOUR },
] as const;
type Period = (typeof PERIODS)[number]['id'];

/** What the page of changes shows. */
export interface ChangesView {
  period: Period;
  /** Also calculations and what was changed because something else went away. */
  indirect: boolean;
  /** ApiName of an entry type; empty for the first one that has changes. */
  type: string;
  fate: EntryFate | undefined;
  /** Only what this person did last. */
  userId: number | undefined;
}

const FATES: readonly EntryFate[] = ['created', 'changed', 'gone'];

export const readChangesView = ({ since, indirect, type, fate, by }: Search): ChangesView => ({
  period: PERIODS.find(({ id }) => id === since)?.id ?? 'day',
  indirect: indirect === true,
  type: written(type),
  fate: FATES.find((one) => one === fate),
  userId: typeof by === 'number' && Number.isInteger(by) && by > 0 && by < 2 ** 31 ? by : undefined,
});

export const writeChangesView = ({ period, indirect, type, fate, userId }: ChangesView) =>
  spoken({
    since: period === 'day' ? undefined : period,
    indirect: indirect ? true : undefined,
    type: type === '' ? undefined : type,
    fate,
    by: userId,
  });
