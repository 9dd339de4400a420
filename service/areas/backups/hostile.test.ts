import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { checkBackup } from '../../cli/restore/check.ts';
import { openWhole } from '../../cli/restore/run.ts';
import { openDatabase } from '../../kernel/db/database.ts';
import { makeBackup } from '../../testing/backups.ts';
import { makeThings } from '../../testing/entries.ts';
import { newPlace } from '../../testing/databases.ts';
import { dataDir, openApp } from '../../testing/site.ts';
import { FORMAT_VERSION, type Manifest, MANIFEST } from './manifest.ts';
import { RefusedFile } from './read.ts';

type Members = Map<string, Buffer>;

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Why a file is not taken. */
async function refusal(path: string): Promise<string> {
  const opened = await openWhole(path).catch((error: unknown) => error as Error);
  expect(opened).toMatchObject({ name: 'RefusedFile' });
  return 'message' in opened ? opened.message : '';
}

/** The bytes of each member that can be read; undefined: the file is refused. */
async function readAll(path: string): Promise<Members | undefined> {
  try {
    const file = await openWhole(path);
    const read = file.manifest.members.map(
      async (member) => [member.name, Buffer.concat(await Array.fromAsync(file.read(member)))] as const,
    );
    const members = new Map(await Promise.all(read));
    file.close();
    return members;
  } catch (error) {
    if (error instanceof RefusedFile) return undefined;
    throw error;
  }
}

/** A sheet without its last column, which has neither commas nor quotes. */
const withoutLast = (csv: Buffer) => Buffer.from(csv.toString().replaceAll(/,[^,\n]*(?=\n)/g, ''));

// No database has a part in reading a file: one is enough to make it.
describe('the file of a backup', () => {
  let folder = '';
  let good = Buffer.alloc(0);
  let members: Members;
  let manifest: Manifest;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'steward-hostile-'));
    const place = await newPlace('embedded');
    const database = await openDatabase(place);
    const app = await openApp(database);
    const things = await makeThings({ app, db: database.db });
    await things.create({ Name: 'One' });
    const { path } = await makeBackup(database.db, things.api);
    good = await readFile(path);
    await app.close();
    await database.close();
    await place.remove();
    const file = await openWhole(path);
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

  /** A ZIP of these members with this manifest; `true`: one that tells the truth about them. */
  async function zip(
    all: readonly (readonly [string, Buffer])[],
    told: object | string | true = true,
  ): Promise<string> {
    const path = join(folder, `${crypto.randomUUID()}.zip`);
    const archive = new ZipFile();
    const whole = {
      ...manifest,
      members: all.map(([name, bytes]) => {
        const known = manifest.members.find((member) => member.name === name);
        return {
          kind: 'x',
          title: null,
          rows: null,
          ...known,
          name,
          size: bytes.length,
          sha256: sha256(bytes),
        };
      }),
    };
    for (const [name, bytes] of all) archive.addBuffer(bytes, name.replaceAll('..', 'UP'));
    const text =
      typeof told === 'string' ? told : JSON.stringify(told === true ? whole : { ...whole, ...told });
    archive.addBuffer(Buffer.from(text), MANIFEST);
    archive.end();
    await pipeline(archive.outputStream, createWriteStream(path));
    // yazl refuses such names itself: they are put in afterwards, of the same length.
    await writeFile(
      path,
      Buffer.from((await readFile(path)).toString('latin1').replaceAll('UP/', '../'), 'latin1'),
    );
    return path;
  }
  const all = () => [...members];
  const written = async (bytes: Buffer) => {
    const path = join(folder, `${crypto.randomUUID()}.zip`);
    await writeFile(path, bytes);
    return path;
  };

  test('one that is put together anew is taken', async () => {
    expect(await readAll(await zip(all()))).toEqual(members);
  });

  test('one of an older format is restored, and proved by what it had', async () => {
    const older = all().map(
      ([name, bytes]) => [name, name === 'settings.csv' ? withoutLast(bytes) : bytes] as const,
    );
    const file = await openWhole(await zip(older, { formatVersion: 1 }));
    expect(await checkBackup(file, folder)).toBeUndefined();
    file.close();
  });

  describe('refused with a reason', () => {
    test('cut off anywhere', async () => {
      for (const share of [0, 0.1, 0.5, 0.9, 0.999])
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        expect(await refusal(await written(good.subarray(0, good.length * share)))).toMatch(
          /no backup|damaged/,
        );
    });

    test('a bit that fell over, wherever it is', async () => {
      for (let round = 0; round < 25; round += 1) {
        const bytes = Buffer.from(good);
        const at = Math.floor(Math.random() * bytes.length);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << (round % 8));
        // Times and modes of members say nothing about what is in them: there the file is taken, and the same.
        // oxlint-disable-next-line no-await-in-loop
        expect([undefined, members]).toContainEqual(await readAll(await written(bytes)));
      }
    });

    test('something else, and a ZIP of somebody else', async () => {
      expect(await refusal(await written(Buffer.from('%PDF-1.7')))).toContain('no backup');
      expect(await refusal(await zip(all(), '{"version":1}'))).toContain('no backup');
      expect(await refusal(await zip(all(), 'not json'))).toContain('damaged');
    });

    test('a newer format', async () => {
      expect(await refusal(await zip(all(), { formatVersion: FORMAT_VERSION + 1 }))).toContain(
        'a newer version of the service wrote',
      );
    });

    test('another content, a member more, a member less, a member twice', async () => {
      const [first, ...others] = all();
      if (!first) throw new Error('It has members');
      const forged: [string, Buffer] = [first[0], Buffer.from(first[1].toString().replace('site', 'SITE'))];
      expect(await refusal(await zip([forged, ...others], { members: manifest.members }))).toContain(
        'not what the manifest tells',
      );
      expect(
        await refusal(await zip([...all(), ['more.csv', Buffer.from('a')]], { members: manifest.members })),
      ).toContain('is not in the manifest');
      expect(await refusal(await zip(others, { members: manifest.members }))).toContain('is missing');
      expect(await refusal(await zip([...all(), first]))).toContain('twice');
    });

    test.each(['../up.csv', '../../etc/cron.d/x', 'a/../../up'])('a path that climbs: %s', async (name) => {
      expect(await refusal(await zip([...all(), [name, Buffer.from('x')]]))).toMatch(/damaged|manifest/);
    });

    test('a bomb', async () => {
      expect(await refusal(await zip([...all(), ['bomb.csv', Buffer.alloc(120 << 20)]]))).toContain(
        'tighter than any backup',
      );
    });
  });
});
