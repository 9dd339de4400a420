import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ZipFile } from 'yazl';
import { createProgram } from '../../../cli/program.ts';
import { openAndReadBackup } from '../../../cli/restore/restore-backup.ts';
import { verifyBackup } from '../../../cli/restore/verify-backup.ts';
import { openDatabase } from '../../../kernel/db/database.ts';
import { makeBackup } from '../../../testing/backups.ts';
import { createTestDatabase } from '../../../testing/databases.ts';
import { makeThings } from '../../../testing/entries/entries.ts';
import { dataDir, createTestApp } from '../../../testing/site.ts';
import { FORMAT_VERSION, type Manifest, MANIFEST_NAME } from './manifest.ts';
import { InvalidBackupError } from './read-backup.ts';

type Members = Map<string, Buffer>;

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** The reason why a file is rejected. */
async function readRejection(path: string): Promise<string> {
  const opened = await openAndReadBackup(path).catch((error: unknown) => error as Error);
  expect(opened).toMatchObject({ name: 'InvalidBackupError' });
  return 'message' in opened ? opened.message : '';
}

/** Bytes of each member; undefined when the file is rejected. */
async function readAll(path: string): Promise<Members | undefined> {
  try {
    const file = await openAndReadBackup(path);
    const read = file.manifest.members.map(
      async (member) => [member.name, Buffer.concat(await Array.fromAsync(file.read(member)))] as const,
    );
    const members = new Map(await Promise.all(read));
    file.close();
    return members;
  } catch (error) {
    if (error instanceof InvalidBackupError) return undefined;
    throw error;
  }
}

/** CSV without its last column, which contains neither commas nor quotes. */
const dropLastColumn = (csv: Buffer) => Buffer.from(csv.toString().replaceAll(/,[^,\n]*(?=\n)/g, ''));
/** Views of tables, which have no entry type. */
const dropTableViews = (csv: Buffer) => Buffer.from(csv.toString().replaceAll(/^\d+,,.*\n/gm, ''));
/** A sheet as format 1 had it. */
function toOlderFormat(name: string, bytes: Buffer): Buffer {
  if (name === 'schema/types.csv') return dropLastColumn(bytes);
  if (name === 'settings/views.csv') return dropLastColumn(dropLastColumn(dropTableViews(bytes)));
  return name === 'settings.csv' ? dropLastColumn(dropLastColumn(bytes)) : bytes;
}

// Reading a file does not involve a database, so one kind is enough to create it.
describe('a backup file', () => {
  let folder = '';
  let validFile = Buffer.alloc(0);
  let members: Members;
  let manifest: Manifest;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'steward-hostile-'));
    const place = await createTestDatabase('embedded');
    const database = await openDatabase(place);
    const app = await createTestApp(database);
    const things = await makeThings({ app, db: database.db });
    await things.create({ Name: 'One' });
    const { path } = await makeBackup(database.db, things.api);
    validFile = await readFile(path);
    await app.close();
    await database.close();
    await place.remove();
    const file = await openAndReadBackup(path);
    ({ manifest } = file);
    members = new Map(
      await Promise.all(
        manifest.members.map(
          async (member) => [member.name, Buffer.concat(await Array.fromAsync(file.read(member)))] as const,
        ),
      ),
    );
    file.close();
  });
  afterAll(async () => {
    for (const path of [folder, dataDir]) await rm(path, { recursive: true });
  });

  /** Creates a ZIP of these members; `manifestOverride` replaces parts or all of a correct manifest. */
  async function createZip(
    all: readonly (readonly [string, Buffer])[],
    manifestOverride: object | string | true = true,
  ): Promise<string> {
    const path = join(folder, `${crypto.randomUUID()}.zip`);
    const archive = new ZipFile();
    const correctManifest = {
      ...manifest,
      members: all.map(([name, bytes]) => {
        const original = manifest.members.find((member) => member.name === name);
        return {
          kind: 'x',
          title: null,
          rows: null,
          ...original,
          name,
          size: bytes.length,
          sha256: sha256(bytes),
        };
      }),
    };
    for (const [name, bytes] of all) archive.addBuffer(bytes, name.replaceAll('..', 'UP'));
    const text =
      typeof manifestOverride === 'string'
        ? manifestOverride
        : JSON.stringify(
            manifestOverride === true ? correctManifest : { ...correctManifest, ...manifestOverride },
          );
    archive.addBuffer(Buffer.from(text), MANIFEST_NAME);
    archive.end();
    await pipeline(archive.outputStream, createWriteStream(path));
    // yazl rejects such names, so they are patched into the file afterwards, with the same length.
    await writeFile(
      path,
      Buffer.from((await readFile(path)).toString('latin1').replaceAll('UP/', '../'), 'latin1'),
    );
    return path;
  }
  const listEntries = () => [...members];
  const writeTemporaryFile = async (bytes: Buffer) => {
    const path = join(folder, `${crypto.randomUUID()}.zip`);
    await writeFile(path, bytes);
    return path;
  };

  test('is accepted when it is packed again', async () => {
    expect(await readAll(await createZip(listEntries()))).toEqual(members);
  });

  test('of an older format is restored and verified against its own columns', async () => {
    const older = listEntries().map(([name, bytes]) => [name, toOlderFormat(name, bytes)] as const);
    const file = await openAndReadBackup(await createZip(older, { formatVersion: 1 }));
    expect(await verifyBackup(file, folder)).toBeUndefined();
    file.close();
  });

  test('is verified by the command, which prints the result as JSON on standard output', async () => {
    vi.stubEnv('DATA_DIR', folder);
    const [written, notes]: [string[], string[]] = [[], []];
    const program = createProgram({
      runOnDatabase: async () => 0,
      write: (part) => written.push(part),
      writeNote: (part) => notes.push(part),
      setExitCode: () => {},
    });
    const path = await writeTemporaryFile(validFile);
    await program.parseAsync(['--json', 'restore', path, '--verify'], { from: 'user' });
    vi.unstubAllEnvs();
    const { createdDate, schemaVersion, isWholeSite, includesFiles } = manifest;
    expect(JSON.parse(written.join(''))).toEqual({
      backup: { createdDate, schemaVersion, isWholeSite, includesFiles },
      verified: 'passed',
    });
    expect(notes.join('')).toContain('matches its manifest');
  });

  /** Starts a verification by the command, and waits until its temporary database is opened. */
  async function startVerification(env: Record<string, string>) {
    const place = await mkdtemp(join(folder, 'verify-'));
    const command = fileURLToPath(new URL('../../../cli/steward.ts', import.meta.url));
    const path = await writeTemporaryFile(validFile);
    const child = spawn(process.execPath, [command, 'restore', path, '--verify'], {
      env: { ...process.env, DATABASE_URL: '', DATA_DIR: place, ...env },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const exited = once(child, 'exit');
    const listChecks = () => readdir(join(place, 'backups')).catch(() => []);
    const isOpening = async () => {
      const [check] = await listChecks();
      return check !== undefined && (await readdir(join(place, 'backups', check))).includes('db');
    };
    await expect.poll(isOpening, { timeout: 30_000 }).toBe(true);
    return { child, exited, listChecks };
  }

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('leaves nothing of a verification that %s ends', async (signal, code) => {
    const { child, exited, listChecks } = await startVerification({});
    child.kill(signal);
    expect(await exited).toEqual([code, null]);
    expect(await listChecks()).toEqual([]);
  });

  test('is verified to the end when Ctrl-C reaches the process that the service has started', async () => {
    const { child, exited, listChecks } = await startVerification({ STEWARD_ATTACHED: '1' });
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
    expect(await listChecks()).toEqual([]);
  });

  test.skipIf(process.platform !== 'linux')(
    'is not verified, with the reason, where DATA_DIR cannot be created',
    async () => {
      const file = await openAndReadBackup(await writeTemporaryFile(validFile));
      await expect(verifyBackup(file, '/proc/steward/data')).rejects.toThrow("mkdir '/proc/steward'");
      file.close();
    },
  );

  describe('is rejected with a reason', () => {
    test('when truncated anywhere', async () => {
      for (const share of [0, 0.1, 0.5, 0.9, 0.999])
        expect(
          await readRejection(await writeTemporaryFile(validFile.subarray(0, validFile.length * share))),
        ).toMatch(/not a backup|damaged/);
    });

    test('when any bit is flipped', async () => {
      for (let round = 0; round < 25; round += 1) {
        const bytes = Buffer.from(validFile);
        const at = Math.floor(Math.random() * bytes.length);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << (round % 8));
        // Flipped bits in times and modes of members change no content: then the file is accepted unchanged.
        expect([undefined, members]).toContainEqual(await readAll(await writeTemporaryFile(bytes)));
      }
    });

    test('when it is another file or a foreign ZIP', async () => {
      expect(await readRejection(await writeTemporaryFile(Buffer.from('%PDF-1.7')))).toContain(
        'not a backup',
      );
      expect(await readRejection(await createZip(listEntries(), '{"version":1}'))).toContain('not a backup');
      expect(await readRejection(await createZip(listEntries(), 'not json'))).toContain('damaged');
    });

    test('when it has a newer format', async () => {
      expect(
        await readRejection(await createZip(listEntries(), { formatVersion: FORMAT_VERSION + 1 })),
      ).toContain('a newer version of the service');
    });

    test('when a member is changed, added, missing or duplicated', async () => {
      const [first, ...others] = listEntries();
      if (!first) throw new Error('It has members');
      const forged: [string, Buffer] = [first[0], Buffer.from(first[1].toString().replace('site', 'SITE'))];
      expect(
        await readRejection(await createZip([forged, ...others], { members: manifest.members })),
      ).toContain('does not match the manifest');
      expect(
        await readRejection(
          await createZip([...listEntries(), ['more.csv', Buffer.from('a')]], { members: manifest.members }),
        ),
      ).toContain('is not in the manifest');
      expect(await readRejection(await createZip(others, { members: manifest.members }))).toContain(
        'is missing',
      );
      expect(await readRejection(await createZip([...listEntries(), first]))).toContain('twice');
    });

    test.each(['../up.csv', '../../etc/cron.d/x', 'a/../../up'])(
      'when a member has the path %s',
      async (name) => {
        expect(await readRejection(await createZip([...listEntries(), [name, Buffer.from('x')]]))).toMatch(
          /damaged|manifest/,
        );
      },
    );

    test('when it is a ZIP bomb', async () => {
      expect(
        await readRejection(await createZip([...listEntries(), ['bomb.csv', Buffer.alloc(120 << 20)]])),
      ).toContain('compressed more than any backup');
    });
  });
});
