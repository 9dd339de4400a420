/** The drill of a restore to a moment, with a server, a base backup and an archive. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { startPostgres } from '../testing/postgres.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const isInstalled = ['pg_basebackup', 'pg_ctl', 'psql'].every(
  (program) => findProgram(program) !== undefined,
);
if (!isInstalled) console.log('pg_basebackup is not installed: the drill of a restore is skipped');

/** Folder of a program of PostgreSQL; Debian has those of servers outside of PATH. */
function findProgram(name: string): string | undefined {
  const found = spawnSync('sh', ['-c', `ls /usr/lib/postgresql/*/bin/${name} || command -v ${name}`], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).stdout.trim();
  return found === '' ? undefined : dirname(found.split('\n').at(-1) ?? '');
}

// The drill runs the programs of a PostgreSQL server.
test.skipIf(!isInstalled)('a base backup and the archive restore the database as of a moment', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-pitr-'));
  chmodSync(folder, 0o777);
  const [archive, backup] = [join(folder, 'archive'), join(folder, 'backup')];
  execFileSync('mkdir', ['-m', '777', archive]);
  const cluster = await startPostgres([
    'archive_mode=on',
    `archive_command=cp %p ${archive}/%f`,
    'wal_compression=on',
  ]);
  const client = new Client({ connectionString: cluster.url });
  await client.connect();
  try {
    await client.query(
      'create table site (id int); create table account (id int); create table entry (id int)',
    );
    await client.query('create table audit_log (at timestamptz default clock_timestamp())');
    await client.query('insert into entry values (1); insert into audit_log default values');
    const programs = findProgram('pg_basebackup') ?? '';
    execFileSync(join(programs, 'pg_basebackup'), ['-d', cluster.url, '-D', backup, '-c', 'fast']);
    await client.query('insert into entry values (2); insert into audit_log default values');
    const { rows } = await client.query<{ moment: string }>('select clock_timestamp()::text as moment');
    // The mistake to which the drill goes back.
    await client.query('delete from entry');
    await client.query('insert into audit_log default values');
    const { rows: files } = await client.query<{ file: string }>(
      'select pg_walfile_name(pg_switch_wal()) as file',
    );
    await expect
      .poll(async () => {
        const { rows: archived } = await client.query<{ isDone: boolean }>(
          `select coalesce(last_archived_wal, '') >= $1 as "isDone" from pg_stat_archiver`,
          [files[0]?.file],
        );
        return archived[0]?.isDone;
      })
      .toBe(true);
    const output = execFileSync(
      join(root, 'deploy/pitr-drill.sh'),
      [backup, archive, rows[0]?.moment ?? '', 'postgres'],
      { encoding: 'utf8', env: { ...process.env, PGBIN: programs, DRILL_ROLE: 'steward' } },
    );
    expect(output).toMatch(/^seconds: \d+\nsite: 0\naccount: 0\nentry: 2\naudit_log: 2\nlast audit row: 2/);
  } finally {
    await client.end();
    await cluster.stop();
    rmSync(folder, { recursive: true });
  }
  const refused = spawnSync(join(root, 'deploy/pitr-drill.sh'), ['/nowhere', '/tmp', 'now'], {
    encoding: 'utf8',
  });
  expect(refused).toMatchObject({ status: 1 });
  expect(refused.stderr).toContain('pitr-drill.sh BASE_BACKUP ARCHIVE MOMENT');
});
