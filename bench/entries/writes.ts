/** Writes of many cells, and reads of history and historical values. */
import type { Pool } from 'pg';
import { z } from 'zod';
import type { Measure } from '../bench.ts';
import { paths, type EntryService } from './entry-service.ts';
import { prepareHandWrittenUpdate } from './hand-written-update.ts';
import { measureMedian } from './measure-median.ts';

const CELLS_PER_WRITE = 10_000;
const DAY_MS = 86_400_000;
const ROUNDS = 8;

const Rows = z.object({ rows: z.array(z.object({ EntryId: z.number() })) });

const PAGE_SIZE = 1000;

async function listIds(entryService: EntryService, from: number, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let skip = from; skip < from + count; skip += PAGE_SIZE) {
    // Sequential, so that the ids stay in the order of the list.
    const page = await entryService.queryRows({
      fields: ['Name'],
      limit: Math.min(PAGE_SIZE, from + count - skip),
      skip,
    });
    ids.push(...Rows.parse(JSON.parse(page)).rows.map(({ EntryId }) => EntryId));
  }
  return ids;
}

/** Value of a field that differs for each turn and entry. */
function createValue(apiName: string, turn: number, at: number): string | number | boolean {
  if (apiName === 'IsListed') return turn % 2 === 0;
  return apiName === 'City' || apiName === 'Phone' ? `${apiName} ${turn} ${at}` : turn * 7 + (at % 50);
}

/** Writes `CELLS_PER_WRITE` cells: the given fields of as many entries as needed. */
async function measureUpdate(
  entryService: EntryService,
  pool: Pool | undefined,
  name: string,
  fields: readonly string[],
  turn: () => number,
) {
  const ids = await listIds(entryService, 0, Math.floor(CELLS_PER_WRITE / fields.length));
  const items = (value: number) =>
    ids.flatMap((entryId, at) =>
      fields.map((apiName) => ({
        entryId,
        fieldId: entryService.getField(apiName).id,
        value: createValue(apiName, value, at),
      })),
    );
  const handWrittenUpdate = pool && (await prepareHandWrittenUpdate(entryService, pool, ids, fields));
  return measureMedian({
    name,
    ours: () => entryService.call('PUT', paths.write(entryService.typeId), { storeRequests: items(turn()) }),
    floor:
      handWrittenUpdate &&
      (() => {
        const value = turn();
        return handWrittenUpdate((apiName) => ids.map((_, at) => createValue(apiName, value, at)));
      }),
    maxMs: 400,
    rounds: ROUNDS,
  });
}

export async function measureWrites(entryService: EntryService, pool: Pool | undefined): Promise<Measure[]> {
  let value = 0;
  const turn = () => (value += 1);
  const four = ['Employees', 'Score', 'City', 'Phone'];
  return [
    ...(await measureUpdate(
      entryService,
      pool,
      '10,000 cells of 10,000 entries, no slot',
      ['IsListed'],
      turn,
    )),
    ...(await measureUpdate(entryService, pool, '10,000 cells of 2,500 entries', four, turn)),
    // Changing a slot adds the new version of each entry to every index of the table.
    ...(await measureUpdate(entryService, pool, '10,000 cells of 10,000 entries', ['Employees'], turn)),
  ];
}

/** History of the last day, and values as of some years ago. */
export async function measureHistory(entryService: EntryService): Promise<Measure[]> {
  const ids = await listIds(entryService, Math.floor(entryService.entries / 4), 1000);
  const fields = ['Stage', 'Region', 'Employees', 'Score', 'City'].map(
    (name) => entryService.getField(name).id,
  );
  const buildHistoricalRequest = (entries: readonly number[], yearsAgo: number) => ({
    entryTypeId: entryService.typeId,
    entries,
    fields,
    fromDate: new Date(Date.now() - yearsAgo * 365 * DAY_MS).toISOString(),
  });
  return [
    ...(await measureMedian({
      name: 'history of one day',
      ours: () => entryService.call('GET', paths.history(entryService.typeId, new Date(Date.now() - DAY_MS))),
      maxMs: 60,
    })),
    ...(await measureMedian({
      name: '1000 × 5 historical values',
      ours: (round) =>
        entryService.call('POST', paths.historical, buildHistoricalRequest(ids, 4 - round / 100)),
      maxMs: 30,
    })),
  ];
}
