/** A backup of many entries, compared with pg_dump of the same rows and with copying them as CSV. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ada } from '../e2e/support/people.ts';
import { type Bench, type Measure, measureMs } from './bench.ts';
import { ENTRIES, startEntryService, type EntryService } from './entries/entry-service.ts';
import { measureResidentMb } from './entries/memory.ts';

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

/** Signs in as an administrator; returns a function that calls the session API. */
async function signInToConsole({ service }: EntryService) {
  const headers = { 'content-type': 'application/json', 'x-steward-console': '1', origin: service.url };
  const answer = await fetch(`${service.url}/console/api/session`, {
    method: 'POST',
    headers,
    body: JSON.stringify(ada),
  });
  const cookie = answer.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  return async (method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> => {
    const response = await fetch(service.url + path, {
      method,
      headers: { ...headers, cookie },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${response.status} of ${path}: ${await response.text()}`);
    return response.json();
  };
}

/** Requests a backup, waits until it is ready and samples the memory of the service. */
async function measureBackup(entryService: EntryService) {
  const call = await signInToConsole(entryService);
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
