import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { describeFirstStart, runFirstStart } from '../first-start.ts';
import { findLink } from '../kernel/auth/one-time-links.store.ts';
import { readConfig } from '../kernel/config.ts';
import { createTestDatabase, onEachDatabase } from '../testing/databases.ts';

const getToken = (link: string | undefined): string =>
  /^http:\/\/127\.0\.0\.1:4400\/link#(.+)$/.exec(link ?? '')?.[1] ?? '';

test('names the command for the first administrator as it is called in this installation', () => {
  const result = { site: 'main', link: undefined };
  expect(describeFirstStart(result, true)).toContain('\n  npm run steward -- site administrator-link main\n');
  expect(describeFirstStart(result, false)).toContain('\n  steward site administrator-link main\n');
  expect(describeFirstStart({ site: 'main', link: 'http://a/link#b' }, false)).toContain(
    '\n  http://a/link#b\n',
  );
  expect(describeFirstStart({ site: undefined, link: undefined }, false)).toBe('');
});

test('a service that cannot start names the setting that it is about', async () => {
  const { dataDir, remove } = await createTestDatabase('embedded');
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const start = async (settings: Record<string, string>): Promise<string> => {
    const child = spawn(process.execPath, [fileURLToPath(new URL('../main.ts', import.meta.url))], {
      env: {
        ...process.env,
        DATABASE_URL: '',
        PORT: '0',
        DATA_DIR: dataDir,
        STEWARD_SAMPLE: 'off',
        ...settings,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    return readText(child.stderr);
  };
  expect(await start({ PORT: String(port) })).toMatch(/HOST and PORT: .*EADDRINUSE/);
  expect(await start({ METRICS_PORT: String(port) })).toMatch(/METRICS_HOST and METRICS_PORT: .*EADDRINUSE/);
  expect(await start({ DATA_DIR: '/dev/null/data' })).toMatch(/DATA_DIR: ENOTDIR/);
  // Its parent exists, and the folder cannot be created.
  expect(await start({ DATA_DIR: '/proc/steward/data' })).toMatch(/DATA_DIR: ENOENT/);
  const parent = await mkdtemp(join(tmpdir(), 'steward-start-'));
  for (const name of ['file', 'link']) await mkdir(join(parent, name));
  // As in a folder of another user, or on a read-only file system: the folder exists and cannot be used.
  await writeFile(join(parent, 'file', 'db'), '');
  expect(await start({ DATA_DIR: join(parent, 'file') })).toMatch(/DATA_DIR: EEXIST.*db/);
  await symlink(join(parent, 'nowhere'), join(parent, 'link', 'secret.key'));
  expect(await start({ DATA_DIR: join(parent, 'link') })).toMatch(/DATA_DIR: EEXIST.*secret\.key/);
  await rm(parent, { recursive: true });
  expect(await start({ DATABASE_URL: 'postgresql://127.0.0.1:1/a' })).toMatch(/DATABASE_URL: .*ECONNREFUSED/);
  other.close();
  await remove();
});

onEachDatabase((database) => {
  test('creates an empty site, and for a terminal one link for its first administrator', async () => {
    const { db } = database();
    const config = readConfig({ STEWARD_SAMPLE: 'off' });
    expect(await runFirstStart(db, config, false)).toEqual({ site: 'main', link: undefined });
    expect(await db.selectFrom('one_time_link').selectAll().execute()).toEqual([]);
    const first = await runFirstStart(db, config, true);
    const second = await runFirstStart(db, config, true);
    expect(await db.selectFrom('site').select('slug').execute()).toEqual([{ slug: 'main' }]);
    expect(await findLink(db, getToken(first.link))).toBeUndefined();
    expect(await findLink(db, getToken(second.link))).toMatchObject({
      purpose: 'first-administrator',
      userId: null,
    });
  });

  test('refuses settings of an administrator who could not sign in, and creates nobody', async () => {
    const { db } = database();
    const start = (email: string, password: string) =>
      runFirstStart(
        db,
        readConfig({
          STEWARD_SAMPLE: 'off',
          STEWARD_ADMIN_EMAIL: email,
          STEWARD_ADMIN_PASSWORD: password,
        }),
        true,
      );
    await expect(start('ada', 'password1234')).rejects.toThrow(
      /STEWARD_ADMIN_EMAIL: an address.*\n.*STEWARD_ADMIN_PASSWORD: is one of the most common/,
    );
    await expect(start('ada@example.com', 'correct horse'.repeat(10))).rejects.toThrow(
      'STEWARD_ADMIN_PASSWORD: at most 128 characters',
    );
    expect(await db.selectFrom('account').select('email').execute()).toEqual([]);
  });

  test('finds the site at a later start and creates the administrator from the settings', async () => {
    const { db } = database();
    const config = readConfig({
      STEWARD_SAMPLE: 'off',
      STEWARD_ADMIN_EMAIL: 'ada@example.com',
      STEWARD_ADMIN_PASSWORD: 'correct horse battery',
    });
    const administered = { site: undefined, link: undefined };
    expect(await runFirstStart(db, config, true)).toEqual(administered);
    expect(await runFirstStart(db, config, true)).toEqual(administered);
    expect(await db.selectFrom('site').select('slug').execute()).toEqual([{ slug: 'main' }]);
    expect(await db.selectFrom('account').select('email').execute()).toEqual([{ email: 'ada@example.com' }]);
  });
});
