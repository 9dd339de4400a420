/** The grid of entries in Chromium with a running service, compared with a plain virtual table that uses the same calls. */
import { type Bench, type Measure, percentile } from './bench.ts';
import { openBrowser } from './browser/chromium.ts';
import { buildPeer } from './browser/peer.ts';
import { ENTRIES, MOST_EMBEDDED, newPlace, type Place } from './entries/place.ts';
import { type Grid, look, type Question } from './grid/look.ts';

/** Highest allowed duration of a jump to any rows, and of a frame. */
const MAX_JUMP_MS = 300;
const MAX_FRAME_MS = 50;

type GridMeasurements = Awaited<ReturnType<typeof look>>;

const listQueries = ({ field }: Place): readonly Question[] => [
  { name: 'jump', jumps: 40 },
  { name: 'jump in a tenth of all', query: { Stage: field('Stage').choiceValues[0]?.id }, jumps: 20 },
  { name: 'jump in the order of names', orderBy: 'Name', jumps: 20 },
  { name: 'jump in an order without a slot', orderBy: 'Source', jumps: 10 },
];

const createOurGrid = ({ typeId }: Place): Grid => ({
  path: ({ query, orderBy }) => {
    const parameters = new URLSearchParams({
      ...(query && { query: JSON.stringify(query) }),
      ...(orderBy !== undefined && { sort: orderBy }),
    });
    return `/entries/${typeId}?${parameters}`;
  },
});

const createPeerGrid = async ({ typeId, fields }: Place): Promise<Grid> => ({
  path: ({ query, orderBy }) => {
    const ask = { fields, ...(query && { query }), ...(orderBy !== undefined && { orderBy }) };
    return `/peer?${new URLSearchParams({ type: String(typeId), ask: JSON.stringify(ask) })}`;
  },
  script: await buildPeer(import.meta.resolve('./grid/peer-page.ts')),
});

type Line = [name: string, unit: string, read: (seen: GridMeasurements) => number, limit?: number];

const createJumpLines = ({ name }: Question): Line[] => [
  [`${name}, p50`, 'ms', (seen) => percentile(seen.jumps.get(name) ?? [], 0.5)],
  [`${name}, p95`, 'ms', (seen) => percentile(seen.jumps.get(name) ?? [], 0.95), MAX_JUMP_MS],
];

/** The lines of the result with the highest allowed values. */
const createLines = (queries: readonly Question[]): Line[] => [
  ['first rows, the first time', 'ms', (seen) => seen.cold],
  ['first rows, once more', 'ms', (seen) => seen.warm],
  ...queries.flatMap(createJumpLines),
  ['calls for a jump', '', (seen) => seen.jumpRequests / (queries[0]?.jumps ?? 1)],
  ['rows scrolled over', '', (seen) => seen.rowsScrolled],
  ['frame while scrolling, p50', 'ms', (seen) => percentile(seen.frames, 0.5)],
  ['frame while scrolling, p95', 'ms', (seen) => percentile(seen.frames, 0.95), MAX_FRAME_MS],
  ['frame while scrolling, slowest', 'ms', (seen) => percentile(seen.frames, 1)],
  ['long tasks while scrolling', '', (seen) => seen.longTasks.length, 0],
  ['frames with a blank row', '', (seen) => seen.blank.filter((pixels) => pixels > 0).length, 0],
  ['calls while scrolling', '', (seen) => seen.scrollRequests],
  ['heap of the page with first rows', 'MB', (seen) => seen.heap.first],
  ['heap after the jumps', 'MB', (seen) => seen.heap.jumped],
  ['heap after scrolling', 'MB', (seen) => seen.heap.scrolled],
];

async function measureGrid(kind: 'embedded' | 'postgres', entries: number): Promise<Measure[]> {
  const place = await newPlace(kind, { entries, changes: 0 });
  try {
    const browser = await openBrowser();
    try {
      const queries = listQueries(place);
      const ourResults = await look(browser, place.service, createOurGrid(place), queries);
      const peerResults = await look(browser, place.service, await createPeerGrid(place), queries);
      return createLines(queries).map(([name, unit, read, limit]) => ({
        name,
        unit,
        ours: read(ourResults),
        floor: read(peerResults),
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
  peerName: 'plain React',
  run: ({ entries = ENTRIES }) => measureGrid('postgres', entries),
};

export const gridEmbedded: Bench = {
  name: 'Grid in Chromium, on the embedded database',
  peerName: 'plain React',
  run: ({ entries = MOST_EMBEDDED }) => measureGrid('embedded', Math.min(entries, MOST_EMBEDDED)),
};
