import { createStore } from '../ui/store.ts';

/** Reads of one page that its figure is computed from; older ones are forgotten. */
const MAX_SAMPLES = 200;

const samples = new Map<string, number[]>();

/** Milliseconds of the last answered read; the directory worker forwards its own to the page. */
export const lastAnswerTime = createStore<number | undefined>(undefined);

/** The page that reads now. A worker has none: what it measures is recorded by the page. */
const getPage = (): string | undefined =>
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- workers have no document
  globalThis.document === undefined ? undefined : location.pathname;

/** Records how long a read waited for its answer, for the page that is open. */
export function recordAnswerTime(ms: number, page = getPage()): void {
  lastAnswerTime.set(ms);
  if (page === undefined) return;
  const times = samples.get(page) ?? [];
  times.push(ms);
  if (times.length > MAX_SAMPLES) times.shift();
  samples.set(page, times);
}

/**
 * Time in milliseconds within which 95 % of the reads of a page were answered, as measured by this browser since the console was opened.
 * A panel over a list (`/users/new`) has the figure of the list. Undefined before the first read.
 */
export function getLatency(page = getPage() ?? ''): { p95: number; reads: number } | undefined {
  const times = samples.get(page);
  const parent = page.slice(0, Math.max(0, page.lastIndexOf('/')));
  if (!times) return parent === '' ? undefined : getLatency(parent);
  const sorted = times.toSorted((a, b) => a - b);
  return { p95: sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0, reads: sorted.length };
}
