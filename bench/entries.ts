/** Reads and writes of a million entries with twenty fields and five million changes. */
import { Pool } from 'pg';
import type { Bench, Measure } from './bench.ts';
import { memory } from './entries/memory.ts';
import { ENTRIES, MOST_EMBEDDED, newPlace, type Place } from './entries/place.ts';
import { deepPages, keptLists, pages, searches } from './entries/reading.ts';
import { histories, writing } from './entries/writing.ts';

/** Changes per entry to generate; about five remain, because recent entries have not had all of them yet. */
const CHANGES = 6;
/** Highest allowed duration of loading `ENTRIES` entries without history. */
const MAX_LOAD_SECONDS = 60;

/** Version and relevant settings of the server. */
async function describeServer(pool: Pool): Promise<string> {
  const settings = ['server_version', 'shared_buffers', 'max_wal_size', 'fsync'];
  const { rows } = await pool.query<{ said: string }>(
    `select string_agg(name || ' ' || current_setting(name), ', ' order by at) as said
      from unnest($1::text[]) with ordinality as asked(name, at)`,
    [settings],
  );
  return `PostgreSQL with ${rows[0]?.said}.`;
}

async function measureAll(place: Place, pool: Pool | undefined): Promise<Measure[]> {
  const load: Measure = { name: 'load with history', ours: place.loadMs / 1000, unit: 's' };
  return [
    load,
    ...(await pages(place, pool)),
    ...(await deepPages(place)),
    ...(await keptLists(place, pool)),
    ...(await searches(place)),
    ...(await histories(place)),
    ...(await memory(place)),
    // Last, because the other measures read the loaded data.
    ...(await writing(place, pool)),
  ];
}

export const entriesLoad: Bench = {
  name: 'Entries loaded into PostgreSQL',
  async run({ entries: requestedCount = ENTRIES }) {
    const place = await newPlace('postgres', { entries: requestedCount, changes: 0 });
    await place.remove();
    const limit = (MAX_LOAD_SECONDS * requestedCount) / ENTRIES;
    return [{ name: 'load without history', ours: place.loadMs / 1000, unit: 's', maximum: limit }];
  },
};

export const entries: Bench = {
  name: 'Entries on PostgreSQL',
  async run({ entries: requestedCount = ENTRIES, note }) {
    const place = await newPlace('postgres', { entries: requestedCount, changes: CHANGES });
    const pool = new Pool({ connectionString: place.service.storageEnv['DATABASE_URL'], max: 2 });
    try {
      note(`${requestedCount.toLocaleString('en')} entries. ${await describeServer(pool)}`);
      return await measureAll(place, pool);
    } finally {
      await pool.end();
      await place.remove();
    }
  },
};

export const entriesEmbedded: Bench = {
  name: 'Entries on PGlite',
  async run({ entries: requestedCount = MOST_EMBEDDED }) {
    const place = await newPlace('embedded', {
      entries: Math.min(requestedCount, MOST_EMBEDDED),
      changes: CHANGES,
    });
    try {
      return await measureAll(place, undefined);
    } finally {
      await place.remove();
    }
  },
};
