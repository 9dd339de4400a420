import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Writable } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAndReadBackup } from '../../cli/restore/restore-backup.ts';
import { computeSheetDigests } from '../../cli/restore/verify-backup.ts';
import {
  BACKUPS,
  neverAborted,
  listBackups,
  makeQueuedBackups,
  makeBackup,
  findBackupPath,
} from '../../testing/backups.ts';
import { makeThings, type Things } from '../../testing/entries.ts';
import { dataDir, onEachApp, services } from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { writeBackup } from './file/write-backup.ts';
import { makeNextBackup, createLostBackupsTask } from './make-backup.ts';
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
    await makeNextBackup({ db: db(), services, signal: neverAborted, write });
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
    const result = await Promise.all(
      ['a', 'b'].map((end) =>
        makeNextBackup({
          db: db(),
          services,
          signal: neverAborted,
          holder: `00000000-0000-4000-8000-00000000000${end}`,
        }),
      ),
    );
    expect(result.filter(Boolean).length).toBe(1);
    expect(await findNewest()).toMatchObject({ status: 'Ready' });
  });

  test('a backup cancelled while it is written is listed as Failed, and its files are deleted', async () => {
    const fileName = await requestBackup();
    const filesBefore = await listFiles();
    const write: typeof writeBackup = async (...args) => {
      expect((await things.api.post(`${BACKUPS}/cancel/${fileName}`)).status).toBe(200);
      return writeBackup(...args);
    };
    await makeNextBackup({ db: db(), services, signal: neverAborted, write });
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
    await makeNextBackup({ db: db(), services, signal: neverAborted, write });
    expect((await listBackups(things.api)).map((each) => each.fileName)).not.toContain(fileName);
    expect(await listFiles()).toEqual(filesBefore);
  });

  test('a stopping service aborts at once', async () => {
    await requestBackup();
    const filesBefore = await listFiles();
    await makeNextBackup({ db: db(), services, signal: AbortSignal.abort() });
    expect(await findNewest()).toMatchObject({ status: 'Failed', failure: { reason: 'interrupted' } });
    expect(await listFiles()).toEqual(filesBefore);
  });

  test('the next request marks a backup of a dead process as interrupted, and deletes its partial file', async () => {
    const fileName = await requestBackup();
    await db()
      .updateTable('backup')
      .set({ status: 'Running', holder: crypto.randomUUID(), lease_until: new Date(Date.now() + 60_000) })
      .where('file_name', '=', fileName)
      .execute();
    const partial = `${await findBackupPath(db(), fileName)}.partial`;
    await writeFile(partial, 'half');
    expect(await things.api.post(`${BACKUPS}/request`, {})).toMatchObject({ status: 409 });
    await sql`update backup set lease_until = now() - interval '1 second' where status = 'Running'`.execute(
      db(),
    );
    await makeBackup(db(), things.api);
    const [, lost] = await listBackups(things.api);
    expect(lost).toMatchObject({ fileName, status: 'Failed', failure: { reason: 'interrupted' } });
    expect(await listFiles()).not.toContain(basename(partial));
  });

  test('a process that lost its lease does not finish the backup', async () => {
    await requestBackup();
    const filesBefore = await listFiles();
    const write: typeof writeBackup = async (...args) => {
      await sql`update backup set lease_until = now() - interval '1 second' where status = 'Running'`.execute(
        db(),
      );
      await runTask(createLostBackupsTask({ db: db(), services }, crypto.randomUUID()));
      return writeBackup(...args);
    };
    await makeNextBackup({ db: db(), services, signal: neverAborted, write });
    expect(await findNewest()).toMatchObject({ status: 'Failed', failure: { reason: 'interrupted' } });
    expect(await listFiles()).toEqual(filesBefore);
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
      const open = () =>
        new Writable({
          write(_chunk, _encoding, done) {
            done(Object.assign(new Error('write'), { code }));
          },
        });
      const write: typeof writeBackup = (sourceDb, scope, options) =>
        writeBackup(sourceDb, scope, { ...options, open });
      await makeNextBackup({ db: db(), services, signal: neverAborted, write });
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

    test.skipIf(disk === undefined)(
      'of a small file system: the next backup succeeds once there is room',
      async () => {
        if (disk === undefined) return;
        const small = { ...services, dataDir: disk };
        const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64');
        await things.create(
          ...Array.from({ length: 2 }, (_, at) => ({ Name: `Noise ${at}`, Memo: noise + at })),
        );
        mkdirSync(join(disk, 'backups'));
        await writeFile(join(disk, 'filler'), Buffer.alloc(150_000));
        await requestBackup();
        await makeNextBackup({ db: db(), services: small, signal: neverAborted });
        expect(await findNewest()).toMatchObject({ status: 'Failed', failure: { reason: 'disk-full' } });
        expect(await readdir(join(disk, 'backups'))).toEqual([]);
        rmSync(join(disk, 'filler'));
        await requestBackup();
        await makeNextBackup({ db: db(), services: small, signal: neverAborted });
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
    await deleteStrayFiles(dataDir, (storageId) => filesBefore.some((name) => name.startsWith(storageId)));
    expect(new Set(await listFiles())).toEqual(new Set([...filesBefore, basename(fresh)]));
    rmSync(fresh);
  });
});
