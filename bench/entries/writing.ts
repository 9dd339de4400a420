/** Writing many cells, and reading what they were. */
import type { Pool } from 'pg';
import { z } from 'zod';
import type { Measure } from '../bench.ts';
import { updateByHand } from './by-hand.ts';
import { paths, type Place } from './place.ts';
import { timed } from './times.ts';

const CELLS = 10_000;
const DAY = 86_400_000;
const ROUNDS = 8;

const Rows = z.object({ rows: z.array(z.object({ EntryId: z.number() })) });

const PAGE = 1000;

async function idsFrom(place: Place, from: number, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let skip = from; skip < from + count; skip += PAGE) {
    // A page after the other.
    const page = await place.rows({ fields: ['Name'], limit: Math.min(PAGE, from + count - skip), skip });
    ids.push(...Rows.parse(JSON.parse(page)).rows.map(({ EntryId }) => EntryId));
  }
  return ids;
}

/** Another value each time, for every entry. */
function valueOf(apiName: string, turn: number, at: number): string | number | boolean {
  if (apiName === 'IsListed') return turn % 2 === 0;
  return apiName === 'City' || apiName === 'Phone' ? `${apiName} ${turn} ${at}` : turn * 7 + (at % 50);
}

/** Some cells of each of as many entries as make ten thousand cells. */
async function update(
  place: Place,
  pool: Pool | undefined,
  name: string,
  fields: readonly string[],
  turn: () => number,
) {
  const ids = await idsFrom(place, 0, Math.floor(CELLS / fields.length));
  const items = (value: number) =>
    ids.flatMap((entryId, at) =>
      fields.map((apiName) => ({
        entryId,
        fieldId: place.field(apiName).id,
        value: valueOf(apiName, value, at),
      })),
    );
  const byHand = pool && (await updateByHand(place, pool, ids, fields));
  return timed({
    name,
    ours: () => place.ask('PUT', paths.write(place.typeId), { storeRequests: items(turn()) }),
    floor:
      byHand &&
      (() => {
        const value = turn();
        return byHand((apiName) => ids.map((_, at) => valueOf(apiName, value, at)));
      }),
    limit: 400,
    rounds: ROUNDS,
  });
}

export async function writing(place: Place, pool: Pool | undefined): Promise<Measure[]> {
  let value = 0;
  const turn = () => (value += 1);
  const four = ['Employees', 'Score', 'City', 'Phone'];
  return [
    ...(await update(place, pool, '10,000 cells of 10,000 entries, no slot', ['IsListed'], turn)),
    ...(await update(place, pool, '10,000 cells of 2,500 entries', four, turn)),
    // Every index of the type gets a place for the new version of every entry.
    ...(await update(place, pool, '10,000 cells of 10,000 entries', ['Employees'], turn)),
  ];
}

/** What changed within a day, and what was held years ago. */
export async function histories(place: Place): Promise<Measure[]> {
  const ids = await idsFrom(place, Math.floor(place.entries / 4), 1000);
  const fields = ['Stage', 'Region', 'Employees', 'Score', 'City'].map((name) => place.field(name).id);
  const past = (entries: readonly number[], yearsAgo: number) => ({
    entryTypeId: place.typeId,
    entries,
    fields,
    fromDate: new Date(Date.now() - yearsAgo * 365 * DAY).toISOString(),
  });
  return [
    ...(await timed({
      name: 'history since a day',
      ours: () => place.ask('GET', paths.history(place.typeId, new Date(Date.now() - DAY))),
      limit: 60,
    })),
    ...(await timed({
      name: '1000 × 5 values of the past',
      ours: (round) => place.ask('POST', paths.historical, past(ids, 4 - round / 100)),
      limit: 30,
    })),
  ];
}
