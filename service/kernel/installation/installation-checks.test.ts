import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { expect, test } from 'vitest';
import { createTestDatabase, onEachKind } from '../../testing/databases.ts';
import {
  checkInstallation,
  describeCertificate,
  describeServer,
  describeStandby,
  type Finding,
} from './installation-checks.ts';

const findStatuses = (findings: readonly Finding[]) =>
  Object.fromEntries(findings.map(({ check, status }) => [check, status]));

const SERVER = {
  version: 150_004,
  encoding: 'UTF8',
  isReadOnly: false,
  canHaveTables: true,
  missingExtensions: [],
  canCreateExtensions: false,
  clockDifferenceMs: 0,
  plainTables: [],
};

test.each([
  [{}, { database: 'ok', extensions: 'ok', clock: 'ok' }],
  [{ version: 140_009 }, { database: 'problem' }],
  [{ isReadOnly: true }, { database: 'problem' }],
  [{ encoding: 'LATIN1' }, { database: 'problem' }],
  [{ canHaveTables: false }, { database: 'problem' }],
  [{ missingExtensions: ['pg_trgm'] }, { extensions: 'problem' }],
  [{ missingExtensions: ['pg_trgm'], canCreateExtensions: true }, { extensions: 'ok' }],
  [{ clockDifferenceMs: -2_001 }, { clock: 'problem' }],
  [{ plainTables: ['activity'] }, { database: 'ok', partitions: 'warning' }],
])('of a server with %o it reports %o', (state, statuses) =>
  expect(findStatuses(describeServer({ ...SERVER, ...state }))).toMatchObject(statuses),
);

test.each([
  [{}, 'ok'],
  [{ isInRecovery: false }, 'warning'],
  [{ isOfPrimary: false }, 'problem'],
])('of a standby with %o it reports %s', (state, status) =>
  expect(
    describeStandby({ isInRecovery: true, isOfPrimary: true, lagBytes: 1_500_000, ...state }).status,
  ).toBe(status),
);

test('warns before the certificate ends', () => {
  const now = Date.parse('2026-11-01T00:00:00Z');
  expect(describeCertificate({ valid_to: 'Nov 15 00:00:00 2026 GMT' }, now).status).toBe('ok');
  expect(describeCertificate({ valid_to: 'Nov 14 23:00:00 2026 GMT' }, now).status).toBe('warning');
});

test('names each problem with its fix, and all invalid settings', async () => {
  const [settings] = await checkInstallation({ SMTP_URL: 'foo', PORT: '-1' });
  expect(settings).toMatchObject({ check: 'settings', status: 'problem' });
  expect(settings?.message).toMatch(/PORT: .*SMTP_URL: a URL such as smtp:/);
  const dataDir = await mkdtemp(join(tmpdir(), 'steward-doctor-'));
  await writeFile(join(dataDir, 'secret.key'), '');
  await chmod(join(dataDir, 'secret.key'), 0o644);
  // A port on which nothing listens any more.
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await new Promise((resolve) => server.close(resolve));
  const findings = await checkInstallation({
    DATA_DIR: dataDir,
    DATABASE_URL: `postgresql://a:b@127.0.0.1:${port}/c`,
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    PUBLIC_URL: `https://127.0.0.1:${port}`,
    TRUSTED_PROXIES: '0.0.0.0/0',
  });
  await rm(dataDir, { recursive: true });
  expect(findStatuses(findings)).toEqual({
    settings: 'ok',
    database: 'problem',
    disk: 'ok',
    files: 'ok',
    mail: 'problem',
    tls: 'problem',
    secrets: 'problem',
    proxies: 'problem',
  });
  for (const finding of findings) expect(Boolean(finding.fix)).toBe(finding.status !== 'ok');
});

test('gives the password of the mail server to none that offers no TLS, as the sending of mails does', async () => {
  const passwords: unknown[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ password }, _session, done) {
      passwords.push(password);
      done(null, { user: 'steward' });
    },
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const dataDir = await mkdtemp(join(tmpdir(), 'steward-doctor-'));
  const check = async (query: string) => {
    // An address of this machine that counts as one of another.
    const url = `smtp://steward:hidden@0.0.0.0:${port}${query}`;
    const findings = await checkInstallation({ DATA_DIR: dataDir, SMTP_URL: url });
    return findings.find((finding) => finding.check === 'mail');
  };
  const refused = await check('');
  expect(refused?.status).toBe('problem');
  expect(refused?.fix).toContain('STARTTLS');
  expect(passwords).toEqual([]);
  expect(await check('?requireTLS=false&from=steward@example')).toMatchObject({ status: 'ok' });
  expect(passwords).toEqual(['hidden']);
  await new Promise<void>((done) => server.close(done));
  await rm(dataDir, { recursive: true });
});

test('a DATA_DIR that does not exist is created by the first start only where that is possible', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'steward-doctor-'));
  await writeFile(join(parent, 'file'), '');
  await symlink(join(parent, 'nowhere'), join(parent, 'link'));
  const missing = await checkInstallation({ DATA_DIR: join(parent, 'not', 'yet') });
  expect(findStatuses(missing)).toMatchObject({ disk: 'ok', secrets: 'ok' });
  expect(missing.find(({ check: name }) => name === 'disk')?.message).toMatch(/^The first start creates /);
  const bucket = {
    BLOB_STORE: 's3',
    S3_ENDPOINT: 'http://127.0.0.1:1',
    S3_BUCKET: 'steward-files',
    S3_ACCESS_KEY_ID: 'a',
    S3_SECRET_ACCESS_KEY: 'b',
  };
  const refused: [dataDir: string, reason: string, settings?: object][] = [
    [join(parent, 'file', 'data'), `no folder can be made in ${join(parent, 'file')} (ENOTDIR)`],
    [join(parent, 'file'), 'is a file'],
    [join(parent, 'link'), `no folder can be made in ${join(parent, 'link')} (ENOENT)`],
  ];
  if (process.platform === 'linux')
    refused.push(['/proc/steward/data', 'no folder can be made in /proc (ENOENT)', bucket]);
  for (const [dataDir, reason, settings] of refused) {
    const findings = await checkInstallation({ DATA_DIR: dataDir, ...settings });
    const statuses = findStatuses(findings);
    expect(statuses).toMatchObject({ disk: 'problem' });
    expect(statuses).not.toHaveProperty('secrets');
    expect(statuses).not.toHaveProperty('files');
    expect(findings.find(({ check: name }) => name === 'disk')?.message).toContain(reason);
  }
  expect((await readdir(parent)).toSorted()).toEqual(['file', 'link']);
  await rm(parent, { recursive: true });
});

test('names a user who may not create the tables of a new database', async () => {
  const database = await createTestDatabase('postgres', { empty: true });
  const url = new URL(database.databaseUrl ?? '');
  // As for a user without rights in any schema of the search_path.
  url.searchParams.set('options', '-c search_path=nowhere');
  const findings = await checkInstallation({ DATA_DIR: database.dataDir, DATABASE_URL: url.href });
  await database.remove();
  expect(findings.map(({ message }) => message)).toContain('The user of DATABASE_URL may not create tables.');
});

onEachKind((kind) => {
  test('reads the state of the database', async () => {
    const database = await createTestDatabase(kind);
    const findings = await checkInstallation({
      DATA_DIR: database.dataDir,
      DATABASE_URL: database.databaseUrl,
    });
    await database.remove();
    const expected =
      kind === 'embedded' ? { database: 'warning' } : { database: 'ok', extensions: 'ok', clock: 'ok' };
    expect(findStatuses(findings)).toMatchObject({ ...expected, mail: 'warning', tls: 'ok' });
  });
});
