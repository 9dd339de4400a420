import { foldText } from '../../../../contract/rules/fold-text.ts';
import {
  toSearchValue,
  parseList,
  parseOrder,
  omitUndefined,
  formatList,
  readSearchText,
} from '../../../lib/search-params.ts';
import type { Order, Search } from '../../../lib/search-params.ts';
import type { Backup } from './backups.ts';

export const STATES = ['queued', 'running', 'ready', 'failed'] as const;
export const KINDS = ['asked', 'scheduled'] as const;
export const SORT_KEYS = ['when', 'name', 'size', 'status'] as const;

/** State of the list, kept in the URL. */
export interface BackupsView {
  q: string;
  /** Empty for all states. */
  status: readonly string[];
  kind: readonly string[];
  sort: Order<(typeof SORT_KEYS)[number]>;
  /** Undefined if the screen width decides. */
  hidden: readonly string[] | undefined;
}

export interface BackupsSearch {
  q?: string | number;
  status?: string | number;
  kind?: string | number;
  sort?: string | number;
  hide?: string | number;
}

// Represents an empty list in the URL, because the default is not empty.
const NO_HIDDEN_COLUMNS = 'none';
const DEFAULT_SORT = '-when';

/** Parses the search parameters; invalid values fall back to the default. */
export const parseBackupsView = (search: Search): BackupsView => ({
  q: readSearchText(search.q),
  status: parseList(search.status, /^(queued|running|ready|failed)$/),
  kind: parseList(search.kind, /^(asked|scheduled)$/),
  sort: parseOrder(search.sort ?? DEFAULT_SORT, SORT_KEYS),
  hidden: parseHidden(search.hide),
});

function parseHidden(hide: unknown): readonly string[] | undefined {
  const ids = parseList(hide, /^(status|size|kind|when|contents|sha256|download)$/);
  return ids.length > 0 || hide === NO_HIDDEN_COLUMNS ? ids : undefined;
}

/** Search parameters of a view; defaults are left out. */
export function serializeBackupsView({ q, status, kind, sort, hidden }: BackupsView): BackupsSearch {
  const order = `${sort.descending ? '-' : ''}${sort.by}`;
  return omitUndefined({
    q: q === '' ? undefined : toSearchValue(q),
    status: formatList(status),
    kind: formatList(kind),
    sort: order === DEFAULT_SORT ? undefined : order,
    hide: hidden && (formatList(hidden) ?? NO_HIDDEN_COLUMNS),
  });
}

/** Whether "Clear filters" would change the view. */
export const isFiltered = ({ q, status, kind }: BackupsView): boolean =>
  q !== '' || status.length > 0 || kind.length > 0;

const getKind = ({ isScheduled }: Backup): string => (isScheduled ? 'scheduled' : 'asked');
const getState = ({ status }: Backup): string => status.toLowerCase();

const COMPARATORS: Record<BackupsView['sort']['by'], (a: Backup, b: Backup) => number> = {
  when: (a, b) => (a.createdDate ?? '').localeCompare(b.createdDate ?? ''),
  name: (a, b) => a.fileName.localeCompare(b.fileName),
  size: (a, b) => (a.size ?? -1) - (b.size ?? -1),
  status: (a, b) => a.status.localeCompare(b.status),
};

/** Backups that match the view, and the number of matches per state and kind. */
export function filterBackups(all: readonly Backup[], { q, status, kind, sort }: BackupsView) {
  const searchText = foldText(q.trim());
  const matching = all.filter((one) => searchText === '' || getSearchText(one).includes(searchText));
  const counts = { state: countBy(matching, getState), kind: countBy(matching, getKind) };
  const rows = matching
    .filter((one) => status.length === 0 || status.includes(getState(one)))
    .filter((one) => kind.length === 0 || kind.includes(getKind(one)))
    .toSorted(COMPARATORS[sort.by]);
  return { rows: sort.descending ? rows.toReversed() : rows, counts };
}

const getSearchText = ({ fileName, requestedByEmail, entryTypes = [], sha256 }: Backup): string =>
  foldText([fileName, requestedByEmail ?? '', sha256 ?? '', ...entryTypes].join('\n'));

function countBy(
  all: readonly Backup[],
  getKey: (backup: Backup) => string,
): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const backup of all) counts[getKey(backup)] = (counts[getKey(backup)] ?? 0) + 1;
  return counts;
}

const TABS = ['overview', 'contents', 'compare', 'downloads'] as const;

/** State of the page of a backup, kept in the URL. */
export interface BackupPageView {
  tab: (typeof TABS)[number];
  /** File name of the backup to compare with; empty for the previous one. */
  with: string;
}

/** Defaults, which the route leaves out of the URL. */
export const BACKUP_PAGE_DEFAULTS: BackupPageView = { tab: TABS[0], with: '' };

/** Parses the search parameters; invalid values fall back to the default. */
export const parseBackupPageView = (search: Search): BackupPageView => ({
  tab: TABS.find((tab) => tab === search.tab) ?? BACKUP_PAGE_DEFAULTS.tab,
  with: readSearchText(search.with),
});

/** State of the page that checks files, kept in the URL. */
export interface CheckPageView {
  /** Name of the file whose check is shown; empty before one is chosen. */
  file: string;
}

export const CHECK_PAGE_DEFAULTS: CheckPageView = { file: '' };

export const parseCheckPageView = (search: Search): CheckPageView => ({ file: readSearchText(search.file) });
