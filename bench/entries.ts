/** A million entries with twenty fields and five million changes: what reads and writes of them cost. */
import { Pool } from 'pg';
import type { Bench, Measure } from './bench.ts';
import { memory } from './entries/memory.ts';
import { ENTRIES, MOST_EMBEDDED, newPlace, type Place } from './entries/place.ts';
import { deepPages, keptLists, pages, searches } from './entries/reading.ts';
import { histories, writing } from './entries/writing.ts';

/** Of six the last ones of young entries have not happened yet: five are left. */
const CHANGES = 6;
/** What loading `ENTRIES` without a history may take. */
const LOAD_SECONDS = 60;

/** Which server it is, with what matters for so many rows. */
async function serverOf(pool: Pool): Promise<string> {
  const asked = ['server_version', 'shared_buffers', 'max_wal_size', 'fsync'];
  const { rows } = await pool.query<{ said: string }>(
    `select string_agg(name || ' ' || current_setting(name), ', ' order by at) as said
      from unnest($1::text[]) with ordinality as asked(name, at)`,
    [asked],
  );
  return `PostgreSQL with ${rows[0]?.said}.`;
}

async function suite(place: Place, pool: Pool | undefined): Promise<Measure[]> {
  const load: Measure = { name: 'load with history', ours: place.loadMs / 1000, unit: 's' };
  return [
    load,
    ...(await pages(place, pool)),
    ...(await deepPages(place)),
    ...(await keptLists(place, pool)),
    ...(await searches(place)),
    ...(await histories(place)),
    ...(await memory(place)),
    // Last: the others read what the load has left.
    ...(await writing(place, pool)),
  ];
}

export const entriesLoad: Bench = {
  name: 'Entries loaded into PostgreSQL',
  async run({ entries: wanted = ENTRIES }) {
    const place = await newPlace('postgres', { entries: wanted, changes: 0 });
    await place.remove();
    const limit = (LOAD_SECONDS * wanted) / ENTRIES;
    return [{ name: 'load without history', ours: place.loadMs / 1000, unit: 's', limit }];
  },
};

export const entries: Bench = {
  name: 'Entries on PostgreSQL',
  async run({ entries: wanted = ENTRIES, note }) {
    const place = await newPlace('postgres', { entries: wanted, changes: CHANGES });
    const pool = new Pool({ connectionString: place.service.place['DATABASE_URL'], max: 2 });
    try {
      note(`${wanted.toLocaleString('en')} entries. ${await serverOf(pool)}`);
      return await suite(place, pool);
    } finally {
      await pool.end();
      await place.remove();
    }
  },
};

export const entriesEmbedded: Bench = {
  name: 'Entries on PGlite',
  async run({ entries: wanted = MOST_EMBEDDED }) {
    const place = await newPlace('embedded', {
      entries: Math.min(wanted, MOST_EMBEDDED),
      changes: CHANGES,
    });
    try {
      return await suite(place, undefined);
    } finally {
      await place.remove();
    }
  },
};
