import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PASSWORD_HINT } from '../kernel/config.ts';
import { type Database, type Db, openDatabase } from '../kernel/db/database.ts';
import { createLog } from '../kernel/telemetry/log.ts';
import { createTestDatabase, onEachKind, type TestDatabase } from '../testing/databases.ts';
import { createFolderPlace } from '../testing/files/file-place.ts';
import { listenAdminSocket } from './admin-socket.ts';
import { parseAsOfOption } from './parse-options.ts';
import { createProgram } from './program.ts';
import { fillSample } from './sample/fill.ts';

const log = createLog('silent');
const asOf = new Date('2026-11-20T12:00:00Z');

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command in its own process, like npm does. */
function steward(
  testDatabase: TestDatabase,
  args: string[],
  publicUrl: string | null = 'https://steward.example',
): Promise<Outcome> {
  const path = fileURLToPath(new URL('./steward.ts', import.meta.url));
  const env = {
    ...process.env,
    DATA_DIR: testDatabase.dataDir,
    DATABASE_URL: testDatabase.databaseUrl ?? '',
    PUBLIC_URL: publicUrl ?? undefined,
    PORT: undefined,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [path, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr });
    });
  });
}

/** The words that bash offers after the words, by the completion script. */
async function complete(script: string, words: readonly string[]): Promise<string[]> {
  const array = words.map((word) => `'${word}'`).join(' ');
  const command = `${script}\nCOMP_WORDS=(${array}); COMP_CWORD=${words.length - 1}; _steward; echo "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', command]);
  return stdout.trim().split(' ');
}

/** Sends a line to the socket; returns the reply, or an empty text if the connection is reset. */
function sendLine(path: string, line: string): Promise<string> {
  const connection = connect(path);
  connection.end(line);
  return text(connection).catch(() => '');
}

onEachKind((kind) => {
  let testDatabase: TestDatabase;
  let database: Database | undefined;
  let socket: { close(): Promise<void> } | undefined;

  beforeEach(async () => {
    testDatabase = await createTestDatabase(kind);
  });
  afterEach(async () => {
    await socket?.close();
    await database?.close();
    await testDatabase.remove();
    socket = undefined;
    database = undefined;
  });

  const openSocket = (db: Db, options: Partial<Parameters<typeof listenAdminSocket>[0]> = {}) =>
    listenAdminSocket({
      ...createFolderPlace(testDatabase.dataDir),
      db,
      publicUrl: 'https://steward.example',
      createTasks: async () => [],
      log,
      ...options,
    });
  const startService = async (withSocket: boolean) => {
    database = await openDatabase(testDatabase);
    if (withSocket) socket = await openSocket(database.db);
    return database.db;
  };

  test('commands work without a running service and print only results on stdout', async () => {
    const filled = await steward(testDatabase, [
      '--json',
      'sample',
      '--users',
      '20',
      '--as-of',
      '2026-11-20',
    ]);
    expect(filled).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(filled.stdout)).toMatchObject({ site: 'northlight', users: 20 });
    const listed = await steward(testDatabase, ['--json', 'site', 'list']);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { slug: 'northlight', members: 20 },
      { slug: 'harbor' },
    ]);
  });

  test('commands work while the service is running', async () => {
    const db = await startService(true);
    await fillSample(db, { users: 20, asOf, seed: 1 });
    const { email } = await db
      .selectFrom('account')
      .select('email')
      .where('user_id', '=', 5)
      .executeTakeFirstOrThrow();
    const created = await steward(testDatabase, [
      '--json',
      'api-key',
      email,
      '--scopes',
      'data',
      '--site',
      'northlight',
    ]);
    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect(Object.keys(Object(JSON.parse(created.stdout)))).toEqual(['client_id', 'client_secret']);
    expect(await db.selectFrom('api_key').select('user_id').execute()).toEqual([{ user_id: 5 }]);
    const refused = await steward(testDatabase, [
      '--json',
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

  test('a command that prints a link is refused without PUBLIC_URL and changes nothing', async () => {
    const db = await startService(false);
    await fillSample(db, { users: 5, asOf, seed: 1, entries: false });
    const args = [
      'user',
      'create',
      'new@people.test',
      '--first-name',
      'A',
      '--last-name',
      'B',
      '--site',
      'northlight',
    ];
    if (kind === 'embedded') {
      await database?.close();
      database = undefined;
    }
    const refused = await steward(testDatabase, ['--json', ...args], null);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('Set PUBLIC_URL to the address of the console');
    const created = await steward(testDatabase, ['--json', ...args]);
    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect(created.stdout).toContain('"link":"https://steward.example/link#');
  });

  if (kind === 'postgres') return;

  test('help needs no database; invalid options are rejected', async () => {
    const nowhere = { ...testDatabase, dataDir: '/nowhere/at/all' };
    const help = await steward(nowhere, ['help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('api-key [options] <email>');
    const helpOfTwoWords = await steward(nowhere, ['help', 'site', 'create']);
    expect(helpOfTwoWords).toMatchObject({ code: 0, stderr: '' });
    expect(helpOfTwoWords.stdout).toContain('steward site create [options] <slug>');
    expect(await steward(nowhere, ['help', 'site', 'make'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'Unknown command: site make. To list commands: steward help\n',
    });
    let script = '';
    const write = (part: string) => (script += part);
    const program = createProgram({
      runOnDatabase: async () => 0,
      write,
      writeNote: write,
      setExitCode: () => {},
    });
    await program.parseAsync(['completion', 'bash'], { from: 'user' });
    expect(await complete(script, ['steward', 'site', ''])).toContain('administrator-link');
    expect(await complete(script, ['steward', 'user', 'create', '--first'])).toEqual(['--first-name']);
    expect(await steward(testDatabase, ['sample', '--users', 'many'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: '--users: a whole number from 1 to 1000000\n',
    });
    await expect(program.parseAsync(['site', 'lst'], { from: 'user' })).rejects.toThrow('Did you mean list?');
  });

  test('a reader that closes the output early is no error', async () => {
    const path = fileURLToPath(new URL('./steward.ts', import.meta.url));
    const child = spawn(process.execPath, [path, 'help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const [printed] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect({ code: child.exitCode, printed }).toEqual({ code: 0, printed: '' });
  });

  test('a database that cannot be used is named by its setting', async () => {
    const databaseUrl = 'postgresql://127.0.0.1:1/steward';
    const failed = await steward({ ...testDatabase, databaseUrl }, ['site', 'list']);
    expect(failed).toMatchObject({ code: 2, stdout: '' });
    expect(failed.stderr).toMatch(/^DATABASE_URL: .*ECONNREFUSED/);
    const unmigrated = await steward({ ...testDatabase, databaseUrl }, ['migrate', '--status']);
    expect(unmigrated).toMatchObject({ code: 2, stdout: '' });
    expect(unmigrated.stderr).toMatch(/^DATABASE_URL: .*ECONNREFUSED/);
    const sampled = await steward(testDatabase, ['sample', '--database-url', databaseUrl]);
    expect(sampled).toMatchObject({ code: 2, stdout: '' });
    expect(sampled.stderr).toMatch(/^--database-url: .*ECONNREFUSED/);
    expect(
      await steward(testDatabase, ['load', '--site', 'a', '--database-url', 'db.example']),
    ).toMatchObject({
      code: 1,
      stderr: `--database-url: a URL that starts with postgresql://, ${PASSWORD_HINT}\n`,
    });
    expect(await steward(testDatabase, ['move', '--to', 'mysql://a/b'])).toMatchObject({
      code: 1,
      stderr: `--to: embedded, or a URL that starts with postgresql://, ${PASSWORD_HINT}\n`,
    });
  });

  test('wrong paths, sites and names are refused, not failures', async () => {
    const refusals: [args: string[], reason: string][] = [
      [['restore', '/nowhere/backup.zip', '--site', 'north'], '/nowhere/backup.zip cannot be read (ENOENT)'],
      [['restore', tmpdir(), '--site', 'north'], 'cannot be read (EISDIR)'],
      [['load', '--site', 'nope', '--entries', '1'], 'No site has the slug nope'],
      [['load', '--site', 'nope', '--type', ''], '--type: letters, digits and _'],
      [['load', '--site', 'nope', '--as-of', '2026-02-31'], '--as-of: an existing day such as 2026-11-20'],
    ];
    for (const [args, reason] of refusals) {
      const refused = await steward(testDatabase, args);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain(reason);
    }
  });

  test('--as-of is an existing day or time', () => {
    expect(parseAsOfOption('2026-11-20').toISOString()).toBe('2026-11-20T00:00:00.000Z');
    expect(parseAsOfOption('2026-11-20T08:00+01:00').toISOString()).toBe('2026-11-20T07:00:00.000Z');
    for (const wrong of ['2026-02-31', '2026-11-20T24:30', '0000-01-01', 'May 2026', ''])
      expect(() => parseAsOfOption(wrong)).toThrow(`a time such as 2026-11-20T08:00Z, but not ${wrong}`);
  });

  test('a folder that another process uses is not opened', async () => {
    await startService(false);
    for (const args of [['site', 'list'], ['sample']]) {
      const refused = await steward(testDatabase, args);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain('Another process is using the data folder');
    }
  });

  test('the socket is accessible only to its owner and replaces a stale one', async () => {
    await writeFile(join(testDatabase.dataDir, 'admin.sock'), 'left behind');
    expect(await steward(testDatabase, ['--json', 'site', 'list'])).toMatchObject({
      code: 0,
      stdout: '[]\n',
    });
    await startService(true);
    expect((await stat(join(testDatabase.dataDir, 'admin.sock'))).mode & 0o777).toBe(0o600);
    await socket?.close();
    await expect(stat(join(testDatabase.dataDir, 'admin.sock'))).rejects.toThrow('ENOENT');
  });

  test('a command takes as long as it needs, a client that sends none is disconnected', async () => {
    const db = await startService(false);
    socket = await openSocket(db, { createTasks: () => sleep(300, []), idleTimeoutMs: 100 });
    const path = join(testDatabase.dataDir, 'admin.sock');
    expect(await sendLine(path, '["prune"]\n')).toBe('{"result":[]}\n');
    expect(await text(connect(path)).catch(() => '')).toBe('');
  });

  test('of several sockets in one folder the latest gets the commands, and the others leave it there', async () => {
    const db = await startService(true);
    const earlier = socket;
    socket = await openSocket(db);
    await earlier?.close();
    expect(await sendLine(join(testDatabase.dataDir, 'admin.sock'), '["site","list"]\n')).toBe(
      '{"result":[]}\n',
    );
    const names = await readdir(testDatabase.dataDir);
    expect(names.filter((name) => name.endsWith('.sock'))).toEqual(['admin.sock']);
  });

  test('the socket survives invalid input', async () => {
    await startService(true);
    const path = join(testDatabase.dataDir, 'admin.sock');
    expect(await sendLine(path, '{"not": "a list"}\n')).toBe('{"refused":"Not a command"}\n');
    expect(await sendLine(path, '[1]\n')).toBe('{"refused":"Not a command"}\n');
    expect(await sendLine(path, 'nonsense\n')).toContain('failed');
    expect(await sendLine(path, 'x'.repeat(200_000))).toBe('');
    expect(await sendLine(path, '["site","list"]\n')).toBe('{"result":[]}\n');
  });
});
