import type { Backup } from '../download/list.ts';
import { plain, readList, readOrder, spoken, writeList, written } from '../../../lib/address.ts';
import type { Order, Search } from '../../../lib/address.ts';
import { fold } from '../../../lib/fold.ts';

export const STATES = ['queued', 'running', 'ready', 'failed'] as const;
export const KINDS = ['asked', 'scheduled'] as const;
export const SORT_KEYS = ['when', 'name', 'size', 'status'] as const;

/** The list as its address says it. */
export interface BackupsView {
  q: string;
  /** None chosen: all of them. */
  status: readonly string[];
  kind: readonly string[];
  sort: Order<(typeof SORT_KEYS)[number]>;
  /** Undefined where the address leaves that to the room there is. */
  hidden: readonly string[] | undefined;
}

interface BackupsSearch {
  q?: string | number;
  status?: string | number;
  kind?: string | number;
  sort?: string | number;
  hide?: string | number;
}

// Stands for an empty list where the default is not empty.
const NONE = 'none';
/** The newest first. */
const DEFAULT = '-when';

/** Reads an address key by key; what nobody could have meant gives way to the default. */
export const readView = (search: Search): BackupsView => ({
  q: written(search.q),
  status: readList(search.status, /^(queued|running|ready|failed)$/),
  kind: readList(search.kind, /^(asked|scheduled)$/),
  sort: readOrder(search.sort ?? DEFAULT, SORT_KEYS),
  hidden: hiddenIn(search.hide),
});

function hiddenIn(hide: unknown): readonly string[] | undefined {
  const ids = readList(hide, /^(status|size|kind|when|contents|sha256|download)$/);
  return ids.length > 0 || hide === NONE ? ids : undefined;
}

/** Writes a view as an address, without what is so by default. */
export function writeView({ q, status, kind, sort, hidden }: BackupsView): BackupsSearch {
  const order = `${sort.descending ? '-' : ''}${sort.by}`;
  return spoken({
    q: q === '' ? undefined : plain(q),
    status: writeList(status),
    kind: writeList(kind),
    sort: order === DEFAULT ? undefined : order,
    hide: hidden && (writeList(hidden) ?? NONE),
  });
}

/** Whether something is asked for that "Clear filters" would take away. */
export const isNarrowed = ({ q, status, kind }: BackupsView): boolean =>
  q !== '' || status.length > 0 || kind.length > 0;

const kindOf = ({ isScheduled }: Backup): string => (isScheduled ? 'scheduled' : 'asked');
const stateOf = ({ status }: Backup): string => status.toLowerCase();

const ORDERS: Record<BackupsView['sort']['by'], (a: Backup, b: Backup) => number> = {
  when: (a, b) => (a.createdDate ?? '').localeCompare(b.createdDate ?? ''),
  name: (a, b) => a.fileName.localeCompare(b.fileName),
  size: (a, b) => (a.size ?? -1) - (b.size ?? -1),
  status: (a, b) => a.status.localeCompare(b.status),
};

/** The backups that a view asks for, and for each state and kind how many it would show. */
export function findBackups(all: readonly Backup[], { q, status, kind, sort }: BackupsView) {
  const wanted = fold(q.trim());
  const matching = all.filter((one) => wanted === '' || textOf(one).includes(wanted));
  const counts = { state: tally(matching, stateOf), kind: tally(matching, kindOf) };
  const rows = matching
    .filter((one) => status.length === 0 || status.includes(stateOf(one)))
    .filter((one) => kind.length === 0 || kind.includes(kindOf(one)))
    .toSorted(ORDERS[sort.by]);
  return { rows: sort.descending ? rows.toReversed() : rows, counts };
}

const textOf = ({ fileName, requestedByEmail, entryTypes = [], sha256 }: Backup): string =>
  fold([fileName, requestedByEmail ?? '', sha256 ?? '', ...entryTypes].join('\n'));

function tally(all: readonly Backup[], of: (one: Backup) => string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const one of all) counts[of(one)] = (counts[of(one)] ?? 0) + 1;
  return counts;
}
