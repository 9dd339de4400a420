import { EXPORT_ACTIVITY } from '../../../../contract/rules/activity.ts';
import { plain, readIds, readList, spoken, writeList, written } from '../../../lib/address.ts';
import { DEFAULT_PRESET, PRESETS } from './presets.ts';
import type { Range } from './presets.ts';

/** The report as its address says it: a link to it is the whole question. */
export interface ActivityView {
  range: Range;
  /** Who acted. */
  people: readonly number[];
  /** For whom a proxy acted. */
  principals: readonly number[];
  types: readonly number[];
  sources: readonly number[];
  /** What was exported; 0 is a value, and the type is then Export Data alone (shapes 2). */
  kind: number | undefined;
  /** An address or a network, as it was typed. */
  address: string;
  onlyProxy: boolean;
}

export type ActivitySearch = {
  [Key in 'range' | 'from' | 'to' | 'people' | 'for' | 'type' | 'source' | 'kind' | 'ip' | 'proxy']?:
    | string
    | number;
};

const TYPE = /^([1-9]|10)$/;
const SOURCE = /^[1-4]$/;
const KIND = /^[0-4]$/;
const MOMENT = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)?(?:\.(\d{3}))?Z$/;
const MOST_ADDRESS = 50;

/** A moment without the marks that an address would write as numbers: "20261121T0830Z". */
export const writeMoment = (at: number): string =>
  new Date(at)
    .toISOString()
    .replaceAll(/[-:]/g, '')
    .replace(/(00)?\.000Z$/, 'Z');

/** The moment that an address says; undefined where it says none. */
export function readMoment(value: unknown): number | undefined {
  const parts = MOMENT.exec(written(value));
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second = '00', part = '000'] = parts;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${part}Z`);
  return Number.isNaN(at) ? undefined : at;
}

function readRange(search: Record<string, unknown>): Range {
  const from = readMoment(search.from);
  const to = readMoment(search.to);
  if (from !== undefined && (to === undefined || to > from)) return { from, to };
  return { preset: PRESETS.find((preset) => preset === written(search.range)) ?? DEFAULT_PRESET };
}

/** Reads an address key by key; what nobody could have meant gives way to the default. */
export function readView(search: Record<string, unknown>): ActivityView {
  const kind = KIND.test(written(search.kind)) ? Number(search.kind) : undefined;
  return {
    range: readRange(search),
    people: readIds(search.people),
    principals: readIds(search.for),
    types: kind === undefined ? readList(search.type, TYPE).map(Number) : [EXPORT_ACTIVITY],
    sources: readList(search.source, SOURCE).map(Number),
    kind,
    address: written(search.ip).trim().slice(0, MOST_ADDRESS),
    onlyProxy: written(search.proxy) === 'only',
  };
}

/** Writes a view as an address, without what is so by default. */
export function writeView(view: ActivityView): ActivitySearch {
  const { range, kind, address } = view;
  const preset = 'preset' in range && range.preset !== DEFAULT_PRESET ? plain(range.preset) : undefined;
  const custom = 'preset' in range ? undefined : range;
  return spoken({
    range: preset,
    from: custom && writeMoment(custom.from),
    to: custom?.to === undefined ? undefined : writeMoment(custom.to),
    people: writeList(view.people),
    for: writeList(view.principals),
    type: kind === undefined ? writeList(view.types) : undefined,
    source: writeList(view.sources),
    kind,
    ip: address === '' ? undefined : plain(address),
    proxy: view.onlyProxy ? 'only' : undefined,
  });
}

/** The report as it stands before anything is asked. */
export const DEFAULT_VIEW: ActivityView = {
  range: { preset: DEFAULT_PRESET },
  people: [],
  principals: [],
  types: [],
  sources: [],
  kind: undefined,
  address: '',
  onlyProxy: false,
};

/** Everything that there is to report. */
export const WHOLE_VIEW: ActivityView = { ...DEFAULT_VIEW, range: { preset: '90' } };

/** Whether something beside the period is asked for, which "Clear filters" would take away. */
export const isNarrowed = (view: ActivityView): boolean =>
  [view.people, view.principals, view.types, view.sources].some(({ length }) => length > 0) ||
  view.address !== '' ||
  view.onlyProxy;

/** The same period with everything in it. */
export const cleared = ({ range }: ActivityView): ActivityView => ({ ...DEFAULT_VIEW, range });

/** Other types; a kind of export stays only while exports are all that is asked for. */
export const withTypes = (view: ActivityView, types: readonly number[]): ActivityView => ({
  ...view,
  types,
  kind: types.length === 1 && types[0] === EXPORT_ACTIVITY ? view.kind : undefined,
});

/** A kind of export, and with it exports alone. */
export const withKind = (view: ActivityView, kind: number | undefined): ActivityView => ({
  ...view,
  kind,
  types: kind === undefined ? view.types : [EXPORT_ACTIVITY],
});
