import { EXPORT_ACTIVITY_TYPE } from '../../../../contract/rules/activity.ts';
import { isTimestamp } from '../../../lib/dates/timestamps.ts';
import {
  toSearchValue,
  parseIds,
  parseList,
  omitUndefined,
  formatList,
  readSearchText,
} from '../../../lib/search-params.ts';
import { DEFAULT_PRESET, PRESETS } from './period.ts';
import type { Period } from './period.ts';

/** Filters of the report, kept in the URL. */
export interface ActivityView {
  period: Period;
  /** Ids of the users who acted. */
  people: readonly number[];
  /** Ids of the users on whose behalf a proxy acted. */
  principals: readonly number[];
  types: readonly number[];
  sources: readonly number[];
  /** Type of export; 0 is a valid value. Set only if `types` is Export Data alone (shapes 2). */
  exportType: number | undefined;
  /** Name of what was exported; empty for any. Set only if `types` is Export Data alone. */
  exported: string;
  /** IP address or network as entered; empty for any. */
  address: string;
  onlyProxy: boolean;
}

/** Search parameters of the report; defaults are left out. */
export type ActivitySearch = {
  [
    Key in
      | 'range'
      | 'from'
      | 'to'
      | 'people'
      | 'for'
      | 'type'
      | 'source'
      | 'kind'
      | 'exported'
      | 'ip'
      | 'proxy'
  ]?: string | number;
};

const TYPE = /^([1-9]|10)$/;
const SOURCE = /^[1-4]$/;
const EXPORT_TYPE = /^[0-4]$/;
const TIMESTAMP = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)?(?:\.(\d{3}))?Z$/;
const MAX_ADDRESS_LENGTH = 50;
const MAX_EXPORTED_LENGTH = 200;

/** Formats a time in milliseconds for the URL, without characters that need escaping: "20261121T0830Z". */
export const serializeTimestamp = (at: number): string =>
  new Date(at)
    .toISOString()
    .replaceAll(/[-:]/g, '')
    .replace(/(00)?\.000Z$/, 'Z');

/** Parses a time of the URL into milliseconds; undefined if it is missing or invalid. */
export function parseTimestamp(value: unknown): number | undefined {
  const parts = TIMESTAMP.exec(readSearchText(value));
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second = '00', part = '000'] = parts;
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}.${part}Z`;
  return isTimestamp(text) ? Date.parse(text) : undefined;
}

function parsePeriod(search: Record<string, unknown>): Period {
  const from = parseTimestamp(search.from);
  const to = parseTimestamp(search.to);
  if (from !== undefined && (to === undefined || to > from)) return { from, to };
  return { preset: PRESETS.find((preset) => preset === readSearchText(search.range)) ?? DEFAULT_PRESET };
}

/** Parses the search parameters; invalid values fall back to the default. */
export function parseActivityView(search: Record<string, unknown>): ActivityView {
  const exportType = EXPORT_TYPE.test(readSearchText(search.kind)) ? Number(search.kind) : undefined;
  const exported = readSearchText(search.exported).slice(0, MAX_EXPORTED_LENGTH);
  const isOfExports = exportType !== undefined || exported !== '';
  return {
    period: parsePeriod(search),
    people: parseIds(search.people),
    principals: parseIds(search.for),
    types: isOfExports ? [EXPORT_ACTIVITY_TYPE] : parseList(search.type, TYPE).map(Number),
    sources: parseList(search.source, SOURCE).map(Number),
    exportType,
    exported,
    address: readSearchText(search.ip).trim().slice(0, MAX_ADDRESS_LENGTH),
    onlyProxy: readSearchText(search.proxy) === 'only',
  };
}

/** Search parameters of a view; defaults are left out. */
export function serializeActivityView(view: ActivityView): ActivitySearch {
  const { period, exportType, exported, address } = view;
  const preset =
    'preset' in period && period.preset !== DEFAULT_PRESET ? toSearchValue(period.preset) : undefined;
  const custom = 'preset' in period ? undefined : period;
  return omitUndefined({
    range: preset,
    from: custom && serializeTimestamp(custom.from),
    to: custom?.to === undefined ? undefined : serializeTimestamp(custom.to),
    people: formatList(view.people),
    for: formatList(view.principals),
    type: exportType === undefined && exported === '' ? formatList(view.types) : undefined,
    source: formatList(view.sources),
    kind: exportType,
    exported: exported === '' ? undefined : toSearchValue(exported),
    ip: address === '' ? undefined : toSearchValue(address),
    proxy: view.onlyProxy ? 'only' : undefined,
  });
}

export const DEFAULT_VIEW: ActivityView = {
  period: { preset: DEFAULT_PRESET },
  people: [],
  principals: [],
  types: [],
  sources: [],
  exportType: undefined,
  exported: '',
  address: '',
  onlyProxy: false,
};

/** The whole report without filters. */
export const FULL_VIEW: ActivityView = { ...DEFAULT_VIEW, period: { preset: '90' } };

/** Whether "Clear filters" would change the view; the period is not a filter. */
export const isFiltered = (view: ActivityView): boolean =>
  [view.people, view.principals, view.types, view.sources].some(({ length }) => length > 0) ||
  view.address !== '' ||
  view.onlyProxy;

/** The same period without filters. */
export const clearFilters = ({ period }: ActivityView): ActivityView => ({ ...DEFAULT_VIEW, period });

/** Sets the types; what concerns exports is kept only while Export Data is the only type. */
export function setTypes(view: ActivityView, types: readonly number[]): ActivityView {
  const isOfExports = types.length === 1 && types[0] === EXPORT_ACTIVITY_TYPE;
  return isOfExports ? { ...view, types } : { ...view, types, exportType: undefined, exported: '' };
}

/** Sets the export type and limits the types to Export Data. */
export const setExportType = (view: ActivityView, kind: number | undefined): ActivityView => ({
  ...view,
  exportType: kind,
  types: kind === undefined ? view.types : [EXPORT_ACTIVITY_TYPE],
});

/** Sets what was exported and limits the types to Export Data. */
export const setExported = (view: ActivityView, exported: string): ActivityView => ({
  ...view,
  exported,
  types: exported === '' ? view.types : [EXPORT_ACTIVITY_TYPE],
});
