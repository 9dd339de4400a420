import { CONFIGURATION_KINDS } from '../../../../contract/rules/configuration.ts';
import type { ConfigurationKind } from '../../../../contract/rules/configuration.ts';
import { getStartOfDay } from '../../../lib/dates/time-zones.ts';
import {
  formatList,
  omitUndefined,
  parseIds,
  parseList,
  readSearchText,
  toSearchValue,
} from '../../../lib/search-params.ts';

export const PERIODS = ['all', 'today', '7', '30', '90', '365'] as const;
export type LogPeriod = (typeof PERIODS)[number];

export const LOG_PERIOD_LABELS: Readonly<Record<LogPeriod, string>> = {
  all: 'Any time',
  today: 'Today',
  '7': 'Last 7 days',
  '30': 'Last 30 days',
  '90': 'Last 90 days',
  '365': 'Last 12 months',
};

/** The state of the configuration log in the address. */
export interface ConfigurationView {
  q: string;
  kinds: readonly ConfigurationKind[];
  people: readonly number[];
  period: LogPeriod;
}

export interface ConfigurationSearch {
  q?: string | number;
  kind?: string | number;
  people?: string | number;
  range?: string | number;
}

/** Longest search text that the service accepts. */
const MAX_SEARCH_LENGTH = 200;
const KIND = new RegExp(`^(${CONFIGURATION_KINDS.join('|')})$`);
const isKind = (value: string): value is ConfigurationKind => KIND.test(value);

export const parseConfigurationView = (search: Readonly<Record<string, unknown>>): ConfigurationView => ({
  q: readSearchText(search['q']).slice(0, MAX_SEARCH_LENGTH),
  kinds: parseList(search['kind'], KIND).filter(isKind),
  people: parseIds(search['people']),
  period: PERIODS.find((period) => period === readSearchText(search['range'])) ?? 'all',
});

/** Search parameters of a view; defaults are left out. */
export const serializeConfigurationView = ({
  q,
  kinds,
  people,
  period,
}: ConfigurationView): ConfigurationSearch =>
  omitUndefined({
    q: q === '' ? undefined : toSearchValue(q),
    kind: formatList(kinds),
    people: formatList(people),
    range: period === 'all' ? undefined : toSearchValue(period),
  });

export const toKinds = (values: readonly string[]): readonly ConfigurationKind[] => values.filter(isKind);

export const isConfigurationFiltered = ({ q, kinds, people, period }: ConfigurationView): boolean =>
  q.trim() !== '' || kinds.length > 0 || people.length > 0 || period !== 'all';

const DAY_MS = 86_400_000;

/** Start of a period at the time `now`, in milliseconds; undefined for any time. */
export function getPeriodStart(period: LogPeriod, now: number, zone: string): number | undefined {
  if (period === 'all') return undefined;
  return period === 'today' ? getStartOfDay(now, zone) : now - Number(period) * DAY_MS;
}
