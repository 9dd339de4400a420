import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAndReadBackup } from '../../cli/restore/restore-backup.ts';
import { computeSheetDigests } from '../../cli/restore/verify-backup.ts';
import { createHashedFile } from '../../kernel/files/hashed-file.ts';
import {
  attachFile,
  BACKUPS,
  listBackups,
  makeQueuedBackups,
  makeBackup,
  findBackupPath,
} from '../../testing/backups.ts';
import { makeThings, type Things } from '../../testing/entries/entries.ts';
import { createFolderPlace } from '../../testing/files/file-place.ts';
import { dataDir, onEachApp, services } from '../../testing/site.ts';
import { writeBackup } from './file/write-backup.ts';
import { deleteStrayFiles } from './storage.ts';

const backupFolder = join(dataDir, 'backups');
const listFiles = () => readdir(backupFolder).catch(() => []);

/** Runs a system program; it may be missing or not permitted. */
const runProgram = (program: string, ...args: string[]) => execFileSync(program, args, { stdio: 'ignore' });

/** Mounts a small file system, where this machine permits it. */
function mountSmallDisk(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), 'steward-small-'));
  try {
    runProgram('mount', '-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', path);
    return path;
  } catch {
    rmSync(path, { recursive: true });
    return undefined;
  }
}

onEachApp((context) => {
  let things: Things;
  const db = () => context().db;
  beforeAll(async () => {
    things = await makeThings(context());
    await things.create({ Name: 'First', Score: 1 }, { Name: 'Second', Score: 2 });
  });

  const requestBackup = async (body: object = {}) => {
    const { body: answer } = await things.api.post<{ data: { fileName: string } }>(
      `${BACKUPS}/request`,
      body,
    );
    return answer.data.fileName;
  };
  const findNewest = async () => (await listBackups(things.api))[0];
  const findJobId = async () => (await findNewest())?.jobId ?? 0;
  /** Returns the newest backup as soon as a heartbeat has stored that this member is being written. */
  const waitForStage = async (stage: string) => {
    for (;;) {
      const newest = await findNewest();
      if (newest?.stage === stage) return newest;
    }
  };
  /** Attaches files with these contents to an entry. */
  const attach = async (...contents: string[]) => {
    const [entryId = 0] = await things.create({ Name: 'With files' });
    for (const content of contents) await attachFile(context(), things, entryId, 'Papers', content);
  };

  test('writes during the snapshot are not part of the backup', async () => {
    await requestBackup();
    const before = await computeSheetDigests(db(), things.siteId);
    const writing: Promise<unknown>[] = [];
    const write: typeof writeBackup = (sourceDb, scope, options) =>
      writeBackup(sourceDb, scope, {
        ...options,
        onProgress(progress) {
          options.onProgress(progress);
          // On the embedded database they wait for the snapshot; on PostgreSQL they finish before it.
          if (writing.length < 5)
            writing.push(
              things.create({ Name: `Late ${writing.length}`, Score: 3 }),
              things.api.put('user/group', {}),
            );
        },
      });
    await makeQueuedBackups(db(), { write });
    await Promise.all(writing);
    const file = await openAndReadBackup(await findBackupPath(db(), (await findNewest())?.fileName ?? ''));
    file.close();
    const listedMembers = file.manifest.members.map(({ name, rows, sha256 }) => [name, { rows, sha256 }]);
    expect(Object.fromEntries(listedMembers)).toEqual(Object.fromEntries(before));
    expect((await things.names({ Score: 3 })).length).toBeGreaterThan(1);
  });

  test('contains no secret', async () => {
    const canary = 'canary-e1f7a2';
    const { userId, siteId } = things.person;
    await db().updateTable('account').set({ password_hash: canary }).where('user_id', '=', userId).execute();
    const hash = Buffer.from(canary);
    const link = { token_hash: hash, purpose: 'set-password', site_id: siteId, user_id: userId } as const;
    await db()
      .insertInto('one_time_link')
      .values({ ...link, expires_at: new Date() })
      .execute();
    await sql`update api_key set secret_hash = ${hash} where user_id = ${userId}`.execute(db());
    await sql`insert into authenticator (user_id, seed, next_seed) values (${userId}, ${hash}, ${hash})`.execute(
      db(),
    );
    await sql`insert into recovery_code values (${userId}, ${hash})`.execute(db());
    await sql`insert into known_device (user_id, device_hash) values (${userId}, ${hash})`.execute(db());
    await sql`insert into passkey (user_id, credential_id, public_key, counter, transports, name, is_synced)
      values (${userId}, ${canary}, ${hash}, 0, '{}', ${canary}, false)`.execute(db());
    await sql`insert into identity_provider (site_id, issuer, client_id, client_secret)
      values (${siteId}, 'https://id.example', ${canary}, ${hash})`.execute(db());
    await sql`insert into invitation (site_id, user_id, email, email_key, type, group_ids, invited_by, token_hash, expires_at)
      values (${siteId}, ${userId}, 'a@b.example', 'a@b.example', 0, '{}', ${userId}, ${hash}, now() + interval '1 day')`.execute(
      db(),
    );
    const { path } = await makeBackup(db(), things.api);
    const file = await openAndReadBackup(path);
    const chunks = await Promise.all(
      file.manifest.members.map((member) => Array.fromAsync(file.read(member))),
    );
    file.close();
    const bytes = Buffer.concat(chunks.flat());
    const { rows } = await sql<{ hash: Buffer }>`
      select token_hash as hash from session where user_id = ${userId} union all
      select token_hash from access_token where user_id = ${userId}`.execute(db());
    expect(rows.length).toBeGreaterThan(1);
    for (const secret of [hash, ...rows.map((row) => row.hash)])
      for (const text of [secret, secret.toString('hex'), secret.toString('base64url')])
        expect(bytes.includes(text)).toBe(false);
  });

  test('is made by only one of two processes', async () => {
    await requestBackup();
    let writtenCount = 0;
    const write: typeof writeBackup = (...args) => {
      writtenCount += 1;
      return writeBackup(...args);
    };
    await Promise.all([makeQueuedBackups(db(), { write }), makeQueuedBackups(db(), { write })]);
    expect(writtenCount).toBe(1);
    expect(await findNewest()).toMatchObject({ status: 'Ready' });
  });

  test('its job shows who asked for what, and how far it is', async () => {
    const fileName = await requestBackup({ apiNames: ['Thing'] });
    const jobId = await findJobId();
    const seen: unknown[] = [];
    const write: typeof writeBackup = async (sourceDb, scope, options) => {
      const result = await writeBackup(sourceDb, scope, options);
      seen.push(await waitForStage('files.csv'));
      return result;
    };
    await makeQueuedBackups(db(), { write });
    expect(seen).toMatchObject([{ status: 'Running', progress: 99, stage: 'files.csv', size: null }]);
    expect((await things.api.get(`jobs/${jobId}`)).body).toMatchObject({
      kind: 'backup',
      title: 'Back up Thing',
      state: 'finished',
      ownerId: things.person.userId,
      done: 100,
      total: 100,
      parameters: { fileName },
    });
    expect((await things.api.post(`jobs/${jobId}/retry`)).status).toBe(409);
  });

  test('continues after the last finished member with the rows of the snapshot', async () => {
    await attach('one', 'two', 'three');
    await requestBackup({ includeFiles: true });
    const jobId = await findJobId();
    const before = await computeSheetDigests(db(), things.siteId);
    const pauseInFiles: typeof writeBackup = (sourceDb, scope, options) => {
      const pausing = Promise.withResolvers<void>();
      let fileCount = 0;
      return writeBackup(sourceDb, scope, {
        ...options,
        onProgress(progress) {
          options.onProgress(progress);
          if (progress.stage === 'Files') fileCount += 1;
          // Once at the beginning and once at the end of each file.
          if (fileCount === 3) void things.api.post(`jobs/${jobId}/pause`).then(() => pausing.resolve());
        },
        open: async (path) => {
          const file = await createHashedFile(path);
          return {
            ...file,
            async write(chunk) {
              if (fileCount >= 3) {
                await pausing.promise;
                if (!options.signal.aborted) await once(options.signal, 'abort');
              }
              options.signal.throwIfAborted();
              await file.write(chunk);
            },
          };
        },
      });
    };
    await makeQueuedBackups(db(), { write: pauseInFiles });
    expect(await findNewest()).toMatchObject({ status: 'Running', stage: 'Paused' });
    await things.create({ Name: 'After the snapshot' });
    expect((await things.api.post(`jobs/${jobId}/resume`)).status).toBe(200);
    const finished: string[][] = [];
    const write: typeof writeBackup = (sourceDb, scope, options) => {
      finished.push((options.finished?.members ?? []).map(({ member }) => member.kind));
      return writeBackup(sourceDb, scope, options);
    };
    await makeQueuedBackups(db(), { write });
    const sheetCount = before.size;
    expect(finished.map((kinds) => kinds.filter((kind) => kind === 'file').length)).toEqual([1]);
    expect(finished[0]).toHaveLength(sheetCount + 1);
    const newest = await findNewest();
    expect(newest).toMatchObject({ status: 'Ready' });
    const path = await findBackupPath(db(), newest?.fileName ?? '');
    expect(
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    ).toBe(newest?.sha256);
    const file = await openAndReadBackup(path);
    file.close();
    const sheets = file.manifest.members.filter(({ kind }) => kind !== 'file');
    expect(Object.fromEntries(sheets.map(({ name, rows, sha256 }) => [name, { rows, sha256 }]))).toEqual(
      Object.fromEntries(before),
    );
    expect(file.manifest.members.length - sheets.length).toBe(3);
    expect((await listFiles()).filter((name) => !name.endsWith('.zip'))).toEqual([]);
  });

  test('begins again when the record of what was finished is damaged', async () => {
    await requestBackup();
    const jobId = await findJobId();
    const damage: typeof writeBackup = async (_db, _scope, { path, journal, signal }) => {
      await writeFile(path, '');
      // Bytes that a file system may leave of a file that was not flushed before a power failure.
      await writeFile(journal, '\0\0\0\n');
      await things.api.post(`jobs/${jobId}/pause`);
      if (!signal.aborted) await once(signal, 'abort');
      throw signal.reason;
    };
    await makeQueuedBackups(db(), { write: damage });
    await things.api.post(`jobs/${jobId}/resume`);
    await makeQueuedBackups(db());
    expect(await findNewest()).toMatchObject({ status: 'Ready' });
    expect((await listFiles()).filter((name) => !name.endsWith('.zip'))).toEqual([]);
  });

  test('stops when its owner loses the capability, with that reason', async () => {
    const { person, siteId } = things;
    const filesBefore = await listFiles();
    await requestBackup();
    const setCapabilities = (capabilities: string[]) =>
      db()
        .updateTable('user_group')
        .set({ capabilities })
        .where('site_id', '=', siteId)
        .where('group_id', '=', person.groupId)
        .execute();
    const { capabilities } = await db()
      .selectFrom('user_group')
      .select('capabilities')
      .where('site_id', '=', siteId)
      .where('group_id', '=', person.groupId)
      .executeTakeFirstOrThrow();
    const write: typeof writeBackup = async (sourceDb, scope, options) => {
      await setCapabilities(capabilities.filter((name) => name !== 'Manage Backups'));
      if (!options.signal.aborted) await once(options.signal, 'abort');
      return writeBackup(sourceDb, scope, options);
    };
    await makeQueuedBackups(db(), { write });
    await setCapabilities(capabilities);
    expect(await findNewest()).toMatchObject({
      status: 'Failed',
      failure: { reason: 'error', message: expect.stringContaining('Manage Backups') as string },
    });
    expect(await listFiles()).toEqual(filesBefore);
  });

  test('cancelling its job in the job center cancels the backup', async () => {
    await requestBackup();
    expect((await things.api.post(`jobs/${await findJobId()}/cancel`)).status).toBe(200);
    expect(await findNewest()).toMatchObject({ status: 'Failed', failure: { reason: 'cancelled' } });
  });

  test('a backup cancelled while it is written is listed as Failed, and its files are deleted', async () => {
    const fileName = await requestBackup();
    const filesBefore = await listFiles();
    const write: typeof writeBackup = async (...args) => {
      expect((await things.api.post(`${BACKUPS}/cancel/${fileName}`)).status).toBe(200);
      return writeBackup(...args);
    };
    await makeQueuedBackups(db(), { write });
    expect(await findNewest()).toMatchObject({
      fileName,
      status: 'Failed',
      size: null,
      failure: { reason: 'cancelled' },
    });
    expect(await listFiles()).toEqual(filesBefore);
    expect((await things.api.post(`${BACKUPS}/cancel/${fileName}`)).status).toBe(409);
    expect((await things.api.get(`${BACKUPS}/${fileName}/contents`)).status).toBe(409);
  });

  test('a queued or running backup can be deleted', async () => {
    const filesBefore = await listFiles();
    const waiting = await requestBackup();
    expect((await things.api.post(`${BACKUPS}/delete/${waiting}`)).status).toBe(200);
    const fileName = await requestBackup();
    const write: typeof writeBackup = async (...args) => {
      const result = await writeBackup(...args);
      await things.api.post(`${BACKUPS}/delete/${fileName}`);
      return result;
    };
    await makeQueuedBackups(db(), { write });
    expect((await listBackups(things.api)).map((each) => each.fileName)).not.toContain(fileName);
    expect(await listFiles()).toEqual(filesBefore);
  });

  test('a stopping service aborts at once, and the next process makes the backup', async () => {
    await requestBackup();
    const stop = new AbortController();
    const write: typeof writeBackup = (...args) => {
      stop.abort();
      return writeBackup(...args);
    };
    await makeQueuedBackups(db(), { write, signal: stop.signal });
    expect(await findNewest()).toMatchObject({ status: 'Running' });
    await makeQueuedBackups(db());
    expect(await findNewest()).toMatchObject({ status: 'Ready' });
  });

  test('a process that lost its claim does not finish the backup', async () => {
    await requestBackup();
    const write: typeof writeBackup = async (...args) => {
      const written = await writeBackup(...args);
      await sql`update job set lease_until = now() - interval '1 second' where state = 'running'`.execute(
        db(),
      );
      // Another process takes over and finishes.
      await makeQueuedBackups(db());
      return written;
    };
    await makeQueuedBackups(db(), { write });
    const newest = await findNewest();
    expect(newest).toMatchObject({ status: 'Ready' });
    const bytes = await readFile(await findBackupPath(db(), newest?.fileName ?? ''));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(newest?.sha256);
    expect((await listFiles()).filter((name) => !name.endsWith('.zip'))).toEqual([]);
  });

  describe('a full disk', () => {
    const disk = mountSmallDisk();
    afterAll(() => {
      if (disk === undefined) return;
      runProgram('umount', disk);
      rmSync(disk, { recursive: true });
    });

    test.each(['ENOSPC', 'EDQUOT'])('%s is reported as the reason, and no file is left', async (code) => {
      await requestBackup({ notify: true });
      const filesBefore = await listFiles();
      const open = async (path: string) => ({
        ...(await createHashedFile(path)),
        write: () => Promise.reject(Object.assign(new Error('write'), { code })),
      });
      const write: typeof writeBackup = (sourceDb, scope, options) =>
        writeBackup(sourceDb, scope, { ...options, open });
      await makeQueuedBackups(db(), { write });
      expect(await findNewest()).toMatchObject({ status: 'Failed', failure: { reason: 'disk-full' } });
      expect(await listFiles()).toEqual(filesBefore);
      const mail = await db()
        .selectFrom('mail')
        .select(['recipient', 'subject'])
        .orderBy('mail_id', 'desc')
        .executeTakeFirst();
      expect(mail).toMatchObject({
        recipient: things.person.email,
        subject: expect.stringContaining('failed') as string,
      });
    });

    // Mounting a small file system needs the rights to it.
    test.skipIf(disk === undefined)(
      'of a small file system: the next backup succeeds once there is room',
      async () => {
        if (disk === undefined) return;
        const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64');
        await things.create(
          ...Array.from({ length: 2 }, (_, at) => ({ Name: `Noise ${at}`, Memo: noise + at })),
        );
        mkdirSync(join(disk, 'backups'));
        await writeFile(join(disk, 'filler'), Buffer.alloc(150_000));
        await requestBackup();
        await makeQueuedBackups(db(), { place: createFolderPlace(disk) });
        expect(await findNewest()).toMatchObject({ status: 'Failed', failure: { reason: 'disk-full' } });
        expect(await readdir(join(disk, 'backups'))).toEqual([]);
        rmSync(join(disk, 'filler'));
        await requestBackup();
        await makeQueuedBackups(db(), { place: createFolderPlace(disk) });
        expect(await findNewest()).toMatchObject({ status: 'Ready' });
      },
    );
  });

  test('deletes files of dead processes after a day, and nothing else', async () => {
    await makeQueuedBackups(db());
    const filesBefore = await listFiles();
    const stray = join(backupFolder, `${crypto.randomUUID()}.zip.partial`);
    const fresh = join(backupFolder, `${crypto.randomUUID()}.zip.partial`);
    await writeFile(stray, '');
    await writeFile(fresh, '');
    await utimes(stray, 0, 0);
    await deleteStrayFiles(services, new Set(filesBefore.map((name) => basename(name, '.zip'))));
    expect(new Set(await listFiles())).toEqual(new Set([...filesBefore, basename(fresh)]));
    rmSync(fresh);
  });
});
