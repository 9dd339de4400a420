import { execFile } from 'node:child_process';
import { stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newPlace, onEachKind, type Place } from '../testing/databases.ts';
import { type Database, openDatabase } from '../kernel/db/database.ts';
import { createLog } from '../kernel/log.ts';
import { listenAdminSocket } from './admin-socket.ts';
import { fillSample } from './sample/fill.ts';

const log = createLog('silent');
const asOf = new Date('2026-11-20T12:00:00Z');

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs one of the two programs of the host as npm does, in a process of its own. */
function runProgram(program: 'admin' | 'sample', place: Place, args: string[]): Promise<Outcome> {
  const path = fileURLToPath(new URL(`./${program}.ts`, import.meta.url));
  const env = {
    ...process.env,
    DATA_DIR: place.dataDir,
    DATABASE_URL: place.databaseUrl ?? '',
    PUBLIC_URL: '',
  };
  return new Promise((done) => {
    execFile(
      process.execPath,
      [path, ...args],
      { env: { ...env, PUBLIC_URL: 'https://steward.example' } },
      (error, stdout, stderr) => {
        done({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr });
      },
    );
  });
}

/** What the socket answers to a line; nothing where it cuts the connection. */
function sayTo(path: string, line: string): Promise<string> {
  const connection = connect(path);
  connection.end(line);
  return text(connection).catch(() => '');
}

onEachKind((kind) => {
  let place: Place;
  let database: Database | undefined;
  let socket: { close(): Promise<void> } | undefined;

  beforeEach(async () => {
    place = await newPlace(kind);
  });
  afterEach(async () => {
    await socket?.close();
    await database?.close();
    await place.remove();
    socket = undefined;
    database = undefined;
  });

  const startService = async (listening: boolean) => {
    database = await openDatabase(place);
    if (listening) {
      socket = await listenAdminSocket({
        dataDir: place.dataDir,
        db: database.db,
        publicUrl: 'https://steward.example',
        log,
      });
    }
    return database.db;
  };

  test('sample and admin work on a stopped service, and print answers alone on stdout', async () => {
    const filled = await runProgram('sample', place, ['--users', '20', '--as-of', '2026-11-20']);
    expect(filled).toMatchObject({ code: 0, stderr: '' });
    expect(filled.stdout).toContain('Site northlight: 20 users');
    const listed = await runProgram('admin', place, ['site', 'list']);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { slug: 'northlight', members: 20 },
      { slug: 'harbor' },
    ]);
  });

  test('admin works beside a running service', async () => {
    const db = await startService(true);
    await fillSample(db, { users: 20, asOf, seed: 1 });
    const { email } = await db
      .selectFrom('account')
      .select('email')
      .where('user_id', '=', 5)
      .executeTakeFirstOrThrow();
    const made = await runProgram('admin', place, [
      'api-key',
      email,
      '--scopes',
      'data',
      '--site',
      'northlight',
    ]);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(Object.keys(Object(JSON.parse(made.stdout)))).toEqual(['client_id', 'client_secret']);
    expect(await db.selectFrom('api_key').select('user_id').execute()).toEqual([{ user_id: 5 }]);
    const refused = await runProgram('admin', place, [
      'api-key',
      email,
      '--scopes',
      'data',
      '--site',
      'northlight',
    ]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('--replace');
  });

  if (kind === 'postgres') return;

  test('help needs no database, and a wrong command says so', async () => {
    const help = await runProgram('admin', { ...place, dataDir: '/nowhere/at/all' }, ['help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('api-key EMAIL');
    expect(await runProgram('sample', place, ['--users', 'many'])).toMatchObject({ code: 1, stdout: '' });
  });

  test('a folder that another process holds is never opened twice', async () => {
    await startService(false);
    for (const program of ['admin', 'sample'] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one process at a time
      const refused = await runProgram(program, place, program === 'admin' ? ['site', 'list'] : []);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain('Another process is using the data folder');
    }
  });

  test('the socket is its owner’s alone, and takes the place of one left behind', async () => {
    await writeFile(join(place.dataDir, 'admin.sock'), 'left behind');
    expect(await runProgram('admin', place, ['site', 'list'])).toMatchObject({ code: 0, stdout: '[]\n' });
    await startService(true);
    expect((await stat(join(place.dataDir, 'admin.sock'))).mode & 0o777).toBe(0o600);
    await socket?.close();
    await expect(stat(join(place.dataDir, 'admin.sock'))).rejects.toThrow('ENOENT');
  });

  test('the socket outlives what is no command', async () => {
    await startService(true);
    const path = join(place.dataDir, 'admin.sock');
    expect(await sayTo(path, '{"not": "a list"}\n')).toBe('{"refused":"Not a command"}\n');
    expect(await sayTo(path, '[1]\n')).toBe('{"refused":"Not a command"}\n');
    expect(await sayTo(path, 'nonsense\n')).toContain('failed');
    expect(await sayTo(path, 'x'.repeat(200_000))).toBe('');
    expect(await sayTo(path, '["site","list"]\n')).toBe('{"result":[]}\n');
  });
});
