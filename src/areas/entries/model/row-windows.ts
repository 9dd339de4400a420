import type { RowVm } from '../../../../contract/generated/types.gen.ts';

/** Number of rows loaded by one request. */
export const WINDOW_ROWS = 100;
// Caches 4,000 rows; windows loaded first are evicted first.
const MAX_CACHED_WINDOWS = 40;
// Dragging the scroll bar passes over windows that need not load: the list counts as stopped after one idle frame.
const SCROLL_PAUSE_MS = 20;

/** The rows of a query by index. Only the windows around the visible rows are loaded. */
export interface EntryRows {
  readonly total: number;
  at: (index: number) => RowVm | undefined;
  /** Rows of an inclusive range, independent of scrolling; missing windows are loaded but not cached. @throws ServiceError */
  loadRange: (from: number, to: number) => Promise<readonly RowVm[]>;
  /** Reports the visible rows: loads the windows around them and aborts requests for windows scrolled past. */
  setVisibleRange: (from: number, to: number) => void;
  /**
   * Reads the visible rows again and shows their new values, if they are the same entries in the same order; the others are read when
   * they come into view. Returns false when rows would move, and changes nothing then; undefined if the answer to a later call came
   * first. @throws ServiceError
   */
  refresh: () => Promise<boolean | undefined>;
  subscribe: (listener: () => void) => () => void;
  getVersion: () => number;
  /** Error of the last failed load of visible rows; undefined after a success. */
  getError: () => unknown;
  /** Duration of the latest successful request, in milliseconds. */
  getLatencyMs: () => number;
}

interface RowsPage {
  totalRecords: number;
  rows: readonly RowVm[];
}

const hasSameEntries = (rows: readonly RowVm[], others: readonly RowVm[]): boolean =>
  rows.length === others.length && rows.every(({ EntryId }, index) => EntryId === others[index]?.EntryId);

interface EntryRowsOptions {
  total: number;
  firstWindow: readonly RowVm[];
  loadWindow: (skip: number, signal: AbortSignal) => Promise<readonly RowVm[]>;
  /** Loads a window with the number of rows of the query; without it `refresh` does nothing. */
  loadPage?: (skip: number, signal: AbortSignal) => Promise<RowsPage>;
  /** Duration of the request for the first window, in milliseconds. */
  latencyMs?: number;
  pauseMs?: number;
}

/** Indexes of the windows that contain the rows `from` to `to`. */
export function getWindows(from: number, to: number, total: number): readonly number[] {
  const last = Math.max(0, Math.ceil(total / WINDOW_ROWS) - 1);
  const begin = Math.floor(Math.max(0, from) / WINDOW_ROWS);
  const end = Math.min(last, Math.floor(Math.max(0, to) / WINDOW_ROWS));
  return Array.from({ length: Math.max(0, end - begin + 1) }, (_, at) => begin + at);
}

const ADJACENT_ROWS_BEHIND = WINDOW_ROWS / 2;
const ADJACENT_ROWS_AHEAD = 2 * WINDOW_ROWS;

/**
 * Indexes of the windows to load in advance: two windows ahead in the scroll direction, half a window on the other side.
 * @param direction sign of the scroll movement, 0 if unknown
 */
export function getAdjacentWindows(
  from: number,
  to: number,
  total: number,
  direction: number,
): readonly number[] {
  const visible = getWindows(from, to, total);
  const adjacent = getWindows(
    from - (direction < 0 ? ADJACENT_ROWS_AHEAD : ADJACENT_ROWS_BEHIND),
    to + (direction > 0 ? ADJACENT_ROWS_AHEAD : ADJACENT_ROWS_BEHIND),
    total,
  );
  return adjacent.filter((at) => !visible.includes(at));
}

/** Creates the windowed rows of a query: loads the visible windows first, then the adjacent ones. */
export function createEntryRows({
  total,
  firstWindow,
  loadWindow,
  loadPage,
  latencyMs = 0,
  pauseMs = SCROLL_PAUSE_MS,
}: EntryRowsOptions): EntryRows {
  const cache = new Map<number, readonly RowVm[]>([[0, firstWindow]]);
  const pending = new Map<number, AbortController>();
  const listeners = new Set<() => void>();
  let lastFrom = 0;
  let visible: readonly number[] = [];
  let adjacent: readonly number[] = [];
  let error: unknown;
  let latestLatencyMs = latencyMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let version = 0;
  let refreshCount = 0;
  let answeredRefresh = 0;

  const notify = () => {
    version += 1;
    for (const listener of listeners) listener();
  };
  const isNeeded = (at: number) => visible.includes(at) || adjacent.includes(at);
  const evict = () => {
    for (const at of cache.keys()) {
      if (cache.size <= MAX_CACHED_WINDOWS) return;
      // The first window is where users return to.
      if (at !== 0 && !isNeeded(at)) cache.delete(at);
    }
  };
  const loadMissingWindow = async (at: number) => {
    const controller = new AbortController();
    pending.set(at, controller);
    const startedAt = performance.now();
    try {
      const rows = await loadWindow(at * WINDOW_ROWS, controller.signal);
      if (controller.signal.aborted) return;
      cache.set(at, rows);
      latestLatencyMs = performance.now() - startedAt;
      error = undefined;
      evict();
    } catch (thrown) {
      if (controller.signal.aborted) return;
      error = thrown;
    } finally {
      if (pending.get(at) === controller) pending.delete(at);
    }
    if (error === undefined && timer === undefined) loadNeeded();
    if (visible.includes(at) || error !== undefined) notify();
  };
  const loadNeeded = () => {
    timer = undefined;
    const missing = visible.filter((at) => !cache.has(at));
    // Adjacent windows must not delay visible ones.
    const next = missing.length > 0 ? missing : adjacent.filter((at) => !cache.has(at));
    for (const at of next) if (!pending.has(at)) void loadMissingWindow(at);
  };
  /** Aborts requests for windows scrolled past; returns whether there were any. */
  const abortUnneeded = (): boolean => {
    const others = [...pending].filter(([at]) => !isNeeded(at));
    for (const [at, controller] of others) {
      controller.abort();
      pending.delete(at);
    }
    return others.length > 0;
  };

  return {
    total,
    at: (index) => cache.get(Math.floor(index / WINDOW_ROWS))?.[index % WINDOW_ROWS],
    setVisibleRange(from, to) {
      const before = visible;
      visible = getWindows(from, to, total);
      const delta = from - lastFrom;
      // After a jump the direction is unknown.
      adjacent = getAdjacentWindows(from, to, total, Math.abs(delta) > WINDOW_ROWS ? 0 : Math.sign(delta));
      lastFrom = from;
      const isScrollingFast = abortUnneeded() || timer !== undefined;
      const hasMoved = before[0] !== visible[0] || before.at(-1) !== visible.at(-1);
      if ((isScrollingFast && hasMoved) || error !== undefined) {
        // Scrolling outpaces loading: wait until the visible range stays the same.
        clearTimeout(timer);
        timer = setTimeout(loadNeeded, pauseMs);
      } else if (timer === undefined) loadNeeded();
    },
    async loadRange(from, to) {
      const windows = getWindows(from, to, total);
      const neverAborted = new AbortController().signal;
      const found: RowVm[] = [];
      for (const at of windows)
        // Sequential: visible rows must not wait for hundreds of requests.
        found.push(...(cache.get(at) ?? (await loadWindow(at * WINDOW_ROWS, neverAborted))));
      const offset = (windows[0] ?? 0) * WINDOW_ROWS;
      return found.slice(from - offset, to - offset + 1);
    },
    async refresh() {
      if (!loadPage) return true;
      refreshCount += 1;
      const count = refreshCount;
      const shown = visible.length > 0 ? visible : [0];
      const { signal } = new AbortController();
      const pages = await Promise.all(shown.map((at) => loadPage(at * WINDOW_ROWS, signal)));
      if (count < answeredRefresh) return undefined;
      answeredRefresh = count;
      const isUnmoved = pages.every(
        ({ totalRecords, rows }, index) =>
          totalRecords === total && hasSameEntries(rows, cache.get(shown[index] ?? 0) ?? rows),
      );
      if (!isUnmoved) return false;
      cache.clear();
      for (const [index, at] of shown.entries()) cache.set(at, pages[index]?.rows ?? []);
      notify();
      loadNeeded();
      return true;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
        for (const controller of pending.values()) controller.abort();
        pending.clear();
      };
    },
    getVersion: () => version,
    getError: () => error,
    getLatencyMs: () => latestLatencyMs,
  };
}

/**
 * Loads the first window of a list and returns windowed rows that load the others on demand, with the response of the
 * first request. @throws ServiceError
 */
export async function openEntryRows<Page extends RowsPage>(
  loadPage: (skip: number, signal: AbortSignal) => Promise<Page>,
  signal: AbortSignal,
): Promise<{ rows: EntryRows; first: Page }> {
  const startedAt = performance.now();
  const first = await loadPage(0, signal);
  const rows = createEntryRows({
    total: first.totalRecords,
    firstWindow: first.rows,
    latencyMs: performance.now() - startedAt,
    loadPage,
    loadWindow: async (skip, abort) => (await loadPage(skip, abort)).rows,
  });
  return { rows, first };
}
