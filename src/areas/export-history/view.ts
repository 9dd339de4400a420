import { getStartOfDay } from '../../lib/dates/time-zones.ts';
import { readSearchText } from '../../lib/search-params.ts';
import type { Search } from '../../lib/search-params.ts';

const OWNERS = ['all', 'own', 'others'] as const;
export const EXPORT_PERIODS = ['any', 'today', '7', '30', '90'] as const;
export type ExportPeriod = (typeof EXPORT_PERIODS)[number];

/** View of the list of exports, kept in the URL. */
export interface ExportsView {
  /** Owners of the listed exports; without View Activity only the user's own are. */
  owner: (typeof OWNERS)[number];
  /** Name of the exported type; empty for all. */
  type: string;
  period: ExportPeriod;
}

export const EXPORTS_DEFAULTS: ExportsView = { owner: 'all', type: '', period: 'any' };

/** Parses the search parameters; invalid values fall back to the default. */
export const parseExportsView = ({ owner, type, period }: Search): ExportsView => ({
  owner: OWNERS.find((one) => one === owner) ?? EXPORTS_DEFAULTS.owner,
  type: readSearchText(type),
  period: EXPORT_PERIODS.find((one) => one === readSearchText(period)) ?? EXPORTS_DEFAULTS.period,
});

const DAY_MS = 86_400_000;

/** Start of a period in milliseconds; undefined for any time. */
export function getExportPeriodStart(period: ExportPeriod, now: number, zone: string): number | undefined {
  if (period === 'any') return undefined;
  return period === 'today' ? getStartOfDay(now, zone) : now - Number(period) * DAY_MS;
}
