/** A backup of many entries, compared with pg_dump of the same rows and with copying them as CSV. */
import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { z } from 'zod';
import { writeBackup } from '../../service/areas/backups/file/write-backup.ts';
import { registry } from '../../service/areas/registry.ts';
import { type Db, openDatabase } from '../../service/kernel/db/database.ts';
import { createFolderStore } from '../../service/kernel/files/folder-store.ts';
import { createTestDatabase } from '../../service/testing/databases.ts';
import { type Bench, type Measure, measureMs } from '../bench.ts';
import { chooseDatabase } from '../database.ts';
import { ENTRIES, startEntryService, type EntryService } from '../entries/entry-service.ts';
import { measureResidentMb } from '../entries/memory.ts';
import { createSessionClient } from '../sign-in.ts';

const CHANGES = 1;
const BACKUPS = '/console/api/rest/v4/backups';
const MB = 1e6;
/** Highest allowed memory growth of the service in MB during a backup of any size. */
const MAX_MEMORY_MB = 150;

const Backup = z.object({
  fileName: z.string(),
  status: z.string(),
  size: z.number().nullable(),
  startedDate: z.string().nullable(),
  finishedDate: z.string().nullable(),
});
const Contents = z.object({ members: z.array(z.object({ size: z.number() })) });

/** Requests a backup, waits until it is ready and samples the memory of the service. */
async function measureBackup(entryService: EntryService) {
  const call = await createSessionClient(entryService.service);
  const idle = await measureResidentMb();
  await call('POST', `${BACKUPS}/request`, {});
  let peak = idle;
  for (;;) {
    // The API has no event for a finished backup, so its status is polled.
    await sleep(250);
    peak = Math.max(peak, await measureResidentMb());
    const { data } = z.object({ data: z.array(Backup) }).parse(await call('GET', BACKUPS));
    const [backup] = data;
    if (backup?.status === 'Failed') throw new Error(`The backup failed: ${JSON.stringify(backup)}`);
    if (backup?.status !== 'Ready' || !backup.startedDate || !backup.finishedDate) continue;
    const { members } = Contents.parse(await call('GET', `${BACKUPS}/${backup.fileName}/contents`));
    return {
      seconds: (Date.parse(backup.finishedDate) - Date.parse(backup.startedDate)) / 1000,
      size: backup.size ?? 0,
      csv: members.reduce((sum, member) => sum + member.size, 0),
      grown: peak - idle,
    };
  }
}

const run = promisify(execFile);

/** Measures exporting the entry tables with the tools of PostgreSQL: compressed, and as CSV. */
async function measurePeers(databaseUrl: string) {
  const folder = await mkdtemp(join(tmpdir(), 'steward-bench-'));
  const dump = join(folder, 'dump');
  const tables = ['entry', 'entry_change', 'cell_log'];
  try {
    const dumpMs = await measureMs(() =>
      run('pg_dump', [
        '--format=custom',
        `--file=${dump}`,
        ...tables.map((table) => `--table=${table}`),
        databaseUrl,
      ]),
    );
    const copies = ['(select entry_id, version, vals from entry)', 'entry_change', 'cell_log'];
    const copyMs = await measureMs(() =>
      run('psql', [
        databaseUrl,
        ...copies.flatMap((from, at) => ['-c', `\\copy ${from} to '${join(folder, String(at))}' csv`]),
      ]),
    );
    return { dump: dumpMs / 1000, copy: copyMs / 1000, size: (await stat(dump)).size };
  } finally {
    await rm(folder, { recursive: true });
  }
}

export const backups: Bench = {
  name: 'Backup of entries on PostgreSQL',
  peerName: 'peer or floor',
  async run({ entries = ENTRIES }): Promise<Measure[]> {
    const entryService = await startEntryService('postgres', { entries, changes: CHANGES });
    try {
      const ours = await measureBackup(entryService);
      const theirs = await measurePeers(entryService.service.storageEnv['DATABASE_URL'] ?? '');
      return [
        { name: 'backup : pg_dump --format=custom', ours: ours.seconds, floor: theirs.dump, unit: 's' },
        { name: 'backup : psql \\copy', ours: ours.seconds, floor: theirs.copy, unit: 's' },
        { name: '  CSV per second', ours: ours.csv / MB / ours.seconds, unit: 'MB' },
        { name: '  size : pg_dump', ours: ours.size / MB, floor: theirs.size / MB, unit: 'MB' },
        { name: '  memory over idle', ours: ours.grown, unit: 'MB', maximum: MAX_MEMORY_MB },
      ];
    } finally {
      await entryService.remove();
    }
  },
};

const LARGE_ENTRIES = 300;
/** Highest allowed time of a backup, as a multiple of copying the same bytes. */
const MAX_COPY_RATIO = 3;

/** Fills a site with entries of a text of a megabyte, which the database compresses well. */
async function insertLargeEntries(db: Db): Promise<number> {
  const site = await db
    .insertInto('site')
    .values({ slug: 'large', name: 'Large', dedicated_domain: null })
    .returning('site_id')
    .executeTakeFirstOrThrow();
  const { rows } = await sql<{ typeId: number; fieldId: number }>`
    with type as (
      insert into entry_type (site_id, api_name, singular_name, plural_name)
      values (${site.site_id}, 'Text', 'Text', 'Texts') returning site_id, type_id)
    insert into field (site_id, type_id, api_name, name, kind, is_key)
    select site_id, type_id, 'Name', 'Name', 1, true from type
    returning type_id as "typeId", field_id as "fieldId"`.execute(db);
  const [field] = rows;
  if (!field) throw new Error('The type was not created');
  for (let at = 0; at < LARGE_ENTRIES; at += 1)
    await sql`insert into entry (site_id, type_id, vals)
      select ${site.site_id}, ${field.typeId}, jsonb_build_object(${String(field.fieldId)}::text,
        repeat(${`Lorem ipsum dolor sit amet ${at} `}, 33000))`.execute(db);
  return site.site_id;
}

interface Work {
  seconds: number;
  /** Processor time of this process, without that of a database server. */
  cpuSeconds: number;
  /** Longest time for which the event loop did nothing else. */
  gapMs: number;
}

async function measureWork(work: () => Promise<unknown>): Promise<Work> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const before = process.cpuUsage();
  const ms = await measureMs(work);
  const { user, system } = process.cpuUsage(before);
  delay.disable();
  return { seconds: ms / 1000, cpuSeconds: (user + system) / 1e6, gapMs: delay.max / 1e6 };
}

/** Backup of 300 entries of a megabyte, compared with reading the same values one by one and writing them to a file. */
const createLargeBench = (kind: 'embedded' | 'postgres', label: string): Bench => ({
  name: `Backup of large entries ${label}`,
  peerName: 'copy',
  async run(): Promise<Measure[]> {
    if (kind === 'postgres') await chooseDatabase(kind);
    const testDatabase = await createTestDatabase(kind, { empty: true });
    const { db, close } = await openDatabase(testDatabase);
    try {
      const siteId = await insertLargeEntries(db);
      const scope = { siteId, typeIds: null, includesFiles: false };
      const ours = await measureWork(() =>
        writeBackup(db, scope, {
          blobs: createFolderStore(testDatabase.dataDir),
          sheets: Object.values(registry.sheets),
          path: join(testDatabase.dataDir, 'backup.zip'),
          journal: join(testDatabase.dataDir, 'backup.zip.journal'),
          signal: new AbortController().signal,
          onProgress: () => {},
        }),
      );
      const { rows } = await sql<{ id: number }>`select entry_id as id from entry order by 1`.execute(db);
      const copy = await measureWork(async () => {
        for (const { id } of rows) {
          const { rows: values } = await sql<{
            text: string;
          }>`select vals::text as text from entry where entry_id = ${id}`.execute(db);
          await appendFile(join(testDatabase.dataDir, 'copy'), values[0]?.text ?? '');
        }
      });
      return [
        {
          name: 'backup : copy',
          ours: ours.seconds,
          floor: copy.seconds,
          unit: 's',
          maximum: copy.seconds * MAX_COPY_RATIO,
        },
        { name: 'processor time', ours: ours.cpuSeconds, floor: copy.cpuSeconds, unit: 's' },
        { name: 'longest gap of the event loop', ours: ours.gapMs, floor: copy.gapMs, unit: 'ms' },
      ];
    } finally {
      await close();
      await testDatabase.remove();
    }
  },
});

export const largeBackups = createLargeBench('postgres', 'on PostgreSQL');
export const largeBackupsEmbedded = createLargeBench('embedded', 'on the embedded database');
