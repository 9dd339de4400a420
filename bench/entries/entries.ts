/** Reads and writes of a million entries with twenty fields and five million changes. */
import { Pool } from 'pg';
import type { Bench, Measure } from '../bench.ts';
import { ENTRIES, MAX_EMBEDDED_ENTRIES, startEntryService, type EntryService } from './entry-service.ts';
import { measureMemory } from './memory.ts';
import { measureDeepPages, measureCachedLists, measurePages, measureSearches } from './reads.ts';
import { measureHistory, measureWrites } from './writes.ts';

/** Changes per entry to generate; about five remain, because recent entries have not had all of them yet. */
const CHANGES = 6;
/** Highest allowed duration of loading `ENTRIES` entries without history. */
const MAX_LOAD_SECONDS = 60;

/** Version and relevant settings of the server. */
export async function describeServer(pool: Pool): Promise<string> {
  const settings = ['server_version', 'shared_buffers', 'max_wal_size', 'fsync'];
  const { rows } = await pool.query<{ settings: string }>(
    `select string_agg(name || ' ' || current_setting(name), ', ' order by at) as settings
      from unnest($1::text[]) with ordinality as setting(name, at)`,
    [settings],
  );
  return `PostgreSQL with ${rows[0]?.settings}.`;
}

const measureReads = async (entryService: EntryService, pool: Pool | undefined): Promise<Measure[]> => [
  ...(await measurePages(entryService, pool)),
  ...(await measureDeepPages(entryService)),
  ...(await measureCachedLists(entryService, pool)),
  ...(await measureSearches(entryService)),
];

async function measureAll(entryService: EntryService, pool: Pool | undefined): Promise<Measure[]> {
  const load: Measure = { name: 'load with history', ours: entryService.loadMs / 1000, unit: 's' };
  return [
    load,
    ...(await measureReads(entryService, pool)),
    ...(await measureHistory(entryService)),
    ...(await measureMemory(entryService)),
    // Last, because the other measures read the loaded data.
    ...(await measureWrites(entryService, pool)),
  ];
}

/** Space of the database on the disk. */
async function measureSize(pool: Pool): Promise<Measure[]> {
  const { rows } = await pool.query<{ gigabytes: number }>(
    'select pg_database_size(current_database()) / 1e9::float8 as gigabytes',
  );
  return rows.map(({ gigabytes }) => ({ name: 'database', ours: gigabytes, unit: 'GB' }));
}

export const entriesLoad: Bench = {
  name: 'Entries loaded into PostgreSQL',
  async run({ entries: requestedCount = ENTRIES, note }) {
    const entryService = await startEntryService('postgres', { entries: requestedCount, changes: 0 });
    const pool = new Pool({ connectionString: entryService.service.storageEnv['DATABASE_URL'], max: 2 });
    try {
      note(`${requestedCount.toLocaleString('en')} entries. ${await describeServer(pool)}`);
      const limit = (MAX_LOAD_SECONDS * requestedCount) / ENTRIES;
      return [
        { name: 'load without history', ours: entryService.loadMs / 1000, unit: 's', maximum: limit },
        ...(await measureSize(pool)),
        ...(await measureReads(entryService, pool)),
        ...(await measureMemory(entryService)),
      ];
    } finally {
      await pool.end();
      await entryService.remove();
    }
  },
};

export const entries: Bench = {
  name: 'Entries on PostgreSQL',
  async run({ entries: requestedCount = ENTRIES, note }) {
    const entryService = await startEntryService('postgres', { entries: requestedCount, changes: CHANGES });
    const pool = new Pool({ connectionString: entryService.service.storageEnv['DATABASE_URL'], max: 2 });
    try {
      note(`${requestedCount.toLocaleString('en')} entries. ${await describeServer(pool)}`);
      return await measureAll(entryService, pool);
    } finally {
      await pool.end();
      await entryService.remove();
    }
  },
};

export const entriesEmbedded: Bench = {
  name: 'Entries on PGlite',
  async run({ entries: requestedCount = MAX_EMBEDDED_ENTRIES }) {
    const entryService = await startEntryService('embedded', {
      entries: Math.min(requestedCount, MAX_EMBEDDED_ENTRIES),
      changes: CHANGES,
    });
    try {
      return await measureAll(entryService, undefined);
    } finally {
      await entryService.remove();
    }
  },
};
