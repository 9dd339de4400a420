/** The grid of entries in a real browser over a real service, beside a virtual table written plainly on the same calls. */
import { type Bench, type Measure, share } from './bench.ts';
import { openBrowser } from './browser/chromium.ts';
import { buildPeer } from './browser/peer.ts';
import { ENTRIES, MOST_EMBEDDED, newPlace, type Place } from './entries/place.ts';
import { type Grid, look, type Question } from './grid/look.ts';

/** Milliseconds to the rows of any place, and the longest frame that nobody notices. */
const JUMP = 300;
const FRAME = 50;

type Seen = Awaited<ReturnType<typeof look>>;

const questions = ({ field }: Place): readonly Question[] => [
  { name: 'jump', jumps: 40 },
  { name: 'jump in a tenth of all', query: { Stage: field('Stage').choiceValues[0]?.id }, jumps: 20 },
  { name: 'jump in the order of names', orderBy: 'Name', jumps: 20 },
  { name: 'jump in an order without a slot', orderBy: 'Source', jumps: 10 },
];

const ours = ({ typeId }: Place): Grid => ({
  path: ({ query, orderBy }) => {
    const said = new URLSearchParams({
      ...(query && { query: JSON.stringify(query) }),
      ...(orderBy !== undefined && { sort: orderBy }),
    });
    return `/entries/${typeId}?${said}`;
  },
});

const peer = async ({ typeId, fields }: Place): Promise<Grid> => ({
  path: ({ query, orderBy }) => {
    const ask = { fields, ...(query && { query }), ...(orderBy !== undefined && { orderBy }) };
    return `/peer?${new URLSearchParams({ type: String(typeId), ask: JSON.stringify(ask) })}`;
  },
  script: await buildPeer(import.meta.resolve('./grid/peer-page.ts')),
});

type Line = [name: string, unit: string, read: (seen: Seen) => number, limit?: number];

const jumpLines = ({ name }: Question): Line[] => [
  [`${name}, p50`, 'ms', (seen) => share(seen.jumps.get(name) ?? [], 0.5)],
  [`${name}, p95`, 'ms', (seen) => share(seen.jumps.get(name) ?? [], 0.95), JUMP],
];

/** What each line reads from both, and what ours may be. */
const lines = (asked: readonly Question[]): Line[] => [
  ['first rows, the first time', 'ms', (seen) => seen.cold],
  ['first rows, once more', 'ms', (seen) => seen.warm],
  ...asked.flatMap(jumpLines),
  ['calls for a jump', '', (seen) => seen.jumpRequests / (asked[0]?.jumps ?? 1)],
  ['rows scrolled over', '', (seen) => seen.rowsScrolled],
  ['frame while scrolling, p50', 'ms', (seen) => share(seen.frames, 0.5)],
  ['frame while scrolling, p95', 'ms', (seen) => share(seen.frames, 0.95), FRAME],
  ['frame while scrolling, slowest', 'ms', (seen) => share(seen.frames, 1)],
  ['long tasks while scrolling', '', (seen) => seen.longTasks.length, 0],
  ['frames with a blank row', '', (seen) => seen.blank.filter((pixels) => pixels > 0).length, 0],
  ['calls while scrolling', '', (seen) => seen.scrollRequests],
  ['heap of the page with first rows', 'MB', (seen) => seen.heap.first],
  ['heap after the jumps', 'MB', (seen) => seen.heap.jumped],
  ['heap after scrolling', 'MB', (seen) => seen.heap.scrolled],
];

async function measure(kind: 'embedded' | 'postgres', entries: number): Promise<Measure[]> {
  const place = await newPlace(kind, { entries, changes: 0 });
  try {
    const browser = await openBrowser();
    try {
      const asked = questions(place);
      const mine = await look(browser, place.service, ours(place), asked);
      const other = await look(browser, place.service, await peer(place), asked);
      return lines(asked).map(([name, unit, read, limit]) => ({
        name,
        unit,
        ours: read(mine),
        floor: read(other),
        ...(limit !== undefined && { limit }),
      }));
    } finally {
      await browser.close();
    }
  } finally {
    await place.remove();
  }
}

export const grid: Bench = {
  name: 'Grid in Chromium, on PostgreSQL',
  beside: 'plain React',
  run: ({ entries = ENTRIES }) => measure('postgres', entries),
};

export const gridEmbedded: Bench = {
  name: 'Grid in Chromium, on the embedded database',
  beside: 'plain React',
  run: ({ entries = MOST_EMBEDDED }) => measure('embedded', Math.min(entries, MOST_EMBEDDED)),
};
