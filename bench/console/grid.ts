/** The grid of entries in Chromium with a running service, compared with a plain virtual table that uses the same calls. */
import { type Bench, type Measure, percentile } from '../bench.ts';
import { openBrowser } from '../browser/chromium.ts';
import { buildPeer } from '../browser/peer.ts';
import {
  ENTRIES,
  MAX_EMBEDDED_ENTRIES,
  startEntryService,
  type EntryService,
} from '../entries/entry-service.ts';
import { type GridPage, measureGridPage, type ListQuery } from './grid/measure-page.ts';

/** Highest allowed duration of a jump to any row, and of a frame. */
const MAX_JUMP_MS = 300;
const MAX_FRAME_MS = 50;

type GridMeasurements = Awaited<ReturnType<typeof measureGridPage>>;

const listQueries = ({ getField: field }: EntryService): readonly ListQuery[] => [
  { name: 'jump', jumps: 40 },
  { name: 'jump, 10% of the entries', query: { Stage: field('Stage').choiceValues[0]?.id }, jumps: 20 },
  { name: 'jump, sorted by name', orderBy: 'Name', jumps: 20 },
  { name: 'jump, sorted by a field without a slot', orderBy: 'Source', jumps: 10 },
];

const createOurGrid = ({ typeId }: EntryService): GridPage => ({
  path: ({ query, orderBy }) => {
    const parameters = new URLSearchParams({
      ...(query && { query: JSON.stringify(query) }),
      ...(orderBy !== undefined && { sort: orderBy }),
    });
    return `/entries/${typeId}?${parameters}`;
  },
});

const createPeerGrid = async ({ typeId, fieldNames: fields }: EntryService): Promise<GridPage> => ({
  path: ({ query, orderBy }) => {
    const rowQuery = { fields, ...(query && { query }), ...(orderBy !== undefined && { orderBy }) };
    return `/peer?${new URLSearchParams({ type: String(typeId), query: JSON.stringify(rowQuery) })}`;
  },
  script: await buildPeer(import.meta.resolve('./grid/peer-page.ts')),
});

type Line = [name: string, unit: string, read: (results: GridMeasurements) => number, limit?: number];

const createJumpLines = ({ name }: ListQuery): Line[] => [
  [`${name}, p50`, 'ms', (results) => percentile(results.jumps.get(name) ?? [], 0.5)],
  [`${name}, p95`, 'ms', (results) => percentile(results.jumps.get(name) ?? [], 0.95), MAX_JUMP_MS],
];

/** The lines of the result with the highest allowed values. */
const createLines = (queries: readonly ListQuery[]): Line[] => [
  ['first rows, empty cache', 'ms', (results) => results.cold],
  ['first rows, warm cache', 'ms', (results) => results.warm],
  ...queries.flatMap(createJumpLines),
  ['requests per jump', '', (results) => results.jumpRequests / (queries[0]?.jumps ?? 1)],
  ['rows scrolled', '', (results) => results.rowsScrolled],
  ['frame while scrolling, p50', 'ms', (results) => percentile(results.frames, 0.5)],
  ['frame while scrolling, p95', 'ms', (results) => percentile(results.frames, 0.95), MAX_FRAME_MS],
  ['frame while scrolling, slowest', 'ms', (results) => percentile(results.frames, 1)],
  ['long tasks while scrolling', '', (results) => results.longTasks.length, 0],
  ['frames with a blank row', '', (results) => results.blank.filter((pixels) => pixels > 0).length, 0],
  ['requests while scrolling', '', (results) => results.scrollRequests],
  ['heap of the page with first rows', 'MB', (results) => results.heap.first],
  ['heap after the jumps', 'MB', (results) => results.heap.jumped],
  ['heap after scrolling', 'MB', (results) => results.heap.scrolled],
];

async function compareGrids(kind: 'embedded' | 'postgres', entries: number): Promise<Measure[]> {
  const entryService = await startEntryService(kind, { entries, changes: 0 });
  try {
    const browser = await openBrowser();
    try {
      const queries = listQueries(entryService);
      const ourResults = await measureGridPage(
        browser,
        entryService.service,
        createOurGrid(entryService),
        queries,
      );
      const peerResults = await measureGridPage(
        browser,
        entryService.service,
        await createPeerGrid(entryService),
        queries,
      );
      return createLines(queries).map(([name, unit, read, limit]) => ({
        name,
        unit,
        ours: read(ourResults),
        floor: read(peerResults),
        ...(limit !== undefined && { maximum: limit }),
      }));
    } finally {
      await browser.close();
    }
  } finally {
    await entryService.remove();
  }
}

export const grid: Bench = {
  name: 'Grid in Chromium, on PostgreSQL',
  peerName: 'plain React',
  run: ({ entries = ENTRIES }) => compareGrids('postgres', entries),
};

export const gridEmbedded: Bench = {
  name: 'Grid in Chromium, on the embedded database',
  peerName: 'plain React',
  run: ({ entries = MAX_EMBEDDED_ENTRIES }) =>
    compareGrids('embedded', Math.min(entries, MAX_EMBEDDED_ENTRIES)),
};
