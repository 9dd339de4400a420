import { toServiceError } from '../api/errors.ts';
import type { GroupInfoResponse } from '../api/generated/types.gen.ts';
import type { Holder } from '../api/session-gate.ts';
import type { Failure } from '../ui/feedback/failure.ts';
import { openCopy } from './copy.ts';
import type { Copy } from './copy.ts';
import type { Counts, Filters } from './facets.ts';
import { glanceAt } from './glance.ts';
import type { Resolved } from './paste.ts';
import type { DirectoryRow } from './row.ts';
import type { DirectoryQuery } from './search.ts';
import { bringUpToDate } from './sync.ts';
import type { Wish } from './sync.ts';
import { fold } from '../lib/fold.ts';
import { compareTexts, wordsOfName } from './engine/collation.ts';
import type { PeopleIndex } from './people-index.ts';

/** What a page is told of the directory as a whole. */
export interface Status {
  /** Undefined until the first page is there. */
  size: number | undefined;
  billable: number;
  /** Left out where they are as last told. */
  groups?: readonly GroupInfoResponse[];
  complete: boolean;
  asOf: number | undefined;
  reading: boolean;
  /** The last change of what is told; what was answered under the same number is still so. */
  version: number;
}

/** Whoever matches, with the rows around the place that is looked at. */
export interface Answer {
  ids: Int32Array;
  counts: Counts;
  from: number;
  rows: DirectoryRow[];
}

type Refusal = Failure & { status: number };

/** Keeps the directory and answers for it: what the worker offers to its page. */
export interface Keeper {
  /** Undefined where it went well. */
  bringUpToDate: (wish: Wish) => Promise<Refusal | undefined>;
  search: (query: DirectoryQuery, near: number) => Promise<Answer>;
  /** The best of those who match, for a short list. */
  findBest: (q: string, limit: number) => Promise<DirectoryRow[]>;
  rowsOf: (ids: Int32Array) => Promise<DirectoryRow[]>;
  resolve: (text: string) => Promise<Resolved>;
  forget: (userIds: readonly number[]) => Promise<void>;
}

// While pages arrive the list is drawn again so often at most.
const BEAT = 1000;
const AROUND = 100;
// Whoever types or scrolls is left in peace.
const IDLE = 1500;

/** Opens the directory of this person and site; `onStatus` is told of every change. */
export async function openKeeper(holder: Holder, onStatus: (status: Status) => void): Promise<Keeper> {
  let version = 0;
  let readings = 0;
  let again = false;
  let toldAt = 0;
  let toldGroups: readonly GroupInfoResponse[] | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;
  // Searches wait for the first people, or until it is certain that none come now.
  const { promise: something, resolve: arrived } = Promise.withResolvers<void>();

  function tell(): void {
    const { index, meta } = copy;
    const { size, billable } = index;
    const known = size > 0 || meta.complete;
    if (known) arrived();
    toldAt = Date.now();
    onStatus({
      size: known ? size : undefined,
      billable,
      ...(toldGroups !== meta.groups && { groups: meta.groups }),
      complete: meta.complete,
      asOf: meta.complete ? meta.asOf : undefined,
      reading: readings > 0,
      version,
    });
    toldGroups = meta.groups;
  }

  function changed(): void {
    if (!copy.meta.complete && version > 0 && Date.now() - toldAt < BEAT) return;
    version = copy.meta.changed;
    tell();
  }

  const copy: Copy = await openCopy(holder, () => void takeIn());
  const loading = load();

  async function load(): Promise<void> {
    // What nobody can read any more is read anew.
    await copy.load().catch(() => copy.clear());
    if (copy.meta.revision > 0) changed();
  }

  async function takeIn(): Promise<void> {
    await loading;
    if (await copy.catchUp()) changed();
  }

  async function bring(wish: Wish): Promise<void> {
    await bringUpToDate(copy, wish, changed);
    if (!again) return;
    again = false;
    await bringUpToDate(copy, 'changes', changed);
  }

  return {
    async bringUpToDate(wish) {
      await loading;
      // Nobody who has changed something waits for everybody to be read.
      if (wish === 'changes' && !copy.meta.complete && readings > 0) {
        again = true;
        return undefined;
      }
      readings += 1;
      tell();
      try {
        await bring(wish);
        return undefined;
      } catch (thrown) {
        const { status, message, requestId } = toServiceError(thrown);
        return { status, message, requestId };
      } finally {
        readings -= 1;
        arrived();
        tell();
      }
    },
    async search(query, near) {
      await something;
      const { ids, counts } = copy.index.search(query);
      if (copy.meta.complete && query.q === '') {
        clearTimeout(idle);
        idle = setTimeout(() => void copy.keepGlance(glanceAt(copy, query)), IDLE);
      }
      const from = Math.max(0, Math.min(near - AROUND, ids.length - 2 * AROUND));
      return { ids, counts, from, rows: copy.index.rowsOf(ids.subarray(from, from + 2 * AROUND)) };
    },
    async findBest(q, limit) {
      await something;
      return bestMatches(copy.index, q, limit);
    },
    async rowsOf(ids) {
      await something;
      return copy.index.rowsOf(ids);
    },
    async resolve(text) {
      await something;
      return copy.index.resolve(text);
    },
    async forget(userIds) {
      await loading;
      await copy.change(() => ({ gone: userIds }));
      changed();
    },
  };
}

const NO_FILTERS: Filters = { status: [], license: [], group: [], twoFactor: [], addresses: [], changed: [] };

/** The people who match, those whose name begins so first. */
function bestMatches(index: PeopleIndex, q: string, limit: number): DirectoryRow[] {
  const { ids } = index.search({ q, filters: NO_FILTERS, sort: { by: 'name', descending: false } });
  const begin = fold(q.trim());
  // In the order of names they stand together, wherever that is.
  const from = firstNot(ids.length, (at) => isBefore(index, ids[at] ?? 0, begin));
  const following = index.rowsOf(ids.subarray(from, from + limit));
  const beginners = following.filter(({ foldedName }) => foldedName.startsWith(begin));
  const known = new Set(beginners.map(({ id }) => id));
  const others = index.rowsOf(ids.subarray(0, 2 * limit)).filter(({ id }) => !known.has(id));
  return [...beginners, ...others].slice(0, limit);
}

function isBefore(index: PeopleIndex, id: number, begin: string): boolean {
  const [row] = index.rowsOf([id]);
  return row !== undefined && compareTexts(wordsOfName(row.name), wordsOfName(begin)) < 0;
}

/** The first place where this is not so; before it, it is so everywhere. */
function firstNot(length: number, isSo: (at: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
