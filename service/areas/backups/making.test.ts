import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Writable } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { digestsOf } from '../../cli/restore/check.ts';
import { openWhole } from '../../cli/restore/run.ts';
import { BACKUPS, goingOn, listed, makeAll, makeBackup, pathOf } from '../../testing/backups.ts';
import { makeThings, type Things } from '../../testing/entries.ts';
import { dataDir, onEachApp, services } from '../../testing/site.ts';
import { endLost } from './lost.ts';
import { makeNext } from './make.ts';
import { sweep } from './storage.ts';
import { writeBackup } from './write.ts';

const folder = join(dataDir, 'backups');
const left = () => readdir(folder).catch(() => []);

/** A program of the system; it may not be there, or not for us. */
const system = (program: string, ...args: string[]) => execFileSync(program, args, { stdio: 'ignore' });

/** A small file system of its own, where this machine lets us have one. */
function smallDisk(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), 'steward-small-'));
  try {
    system('mount', '-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', path);
    return path;
  } catch {
    rmSync(path, { recursive: true });
    return undefined;
  }
}

onEachApp((house) => {
  let things: Things;
  const db = () => house().db;
  beforeAll(async () => {
    things = await makeThings(house());
    await things.create({ Name: 'First', Score: 1 }, { Name: 'Second', Score: 2 });
  });

  const request = async (body: object = {}) => {
    const { body: answer } = await things.api.post<{ data: { fileName: string } }>(
      `${BACKUPS}/request`,
      body,
    );
    return answer.data.fileName;
  };
  const newest = async () => (await listed(things.api))[0];

  test('writers during the snapshot change nothing in it', async () => {
    await request();
    const before = await digestsOf(db(), things.siteId);
    const writing: Promise<unknown>[] = [];
    const write: typeof writeBackup = (from, wanted, making) =>
      writeBackup(from, wanted, {
        ...making,
        tell(progress) {
          making.tell(progress);
          // On the embedded database they wait for the snapshot; on PostgreSQL they are done before it is.
          if (writing.length < 5)
            writing.push(
              things.create({ Name: `Late ${writing.length}`, Score: 3 }),
              things.api.put('user/group', {}),
            );
        },
      });
    await makeNext({ db: db(), services, signal: goingOn, write });
    await Promise.all(writing);
    const file = await openWhole(await pathOf(db(), (await newest())?.fileName ?? ''));
    file.close();
    const told = file.manifest.members.map(({ name, rows, sha256 }) => [name, { rows, sha256 }]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(before));
    expect((await things.names({ Score: 3 })).length).toBeGreaterThan(1);
  });

  test('no secret is in it', async () => {
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
    const file = await openWhole(path);
    const all = await Promise.all(file.manifest.members.map((member) => Array.fromAsync(file.read(member))));
    file.close();
    const bytes = Buffer.concat(all.flat());
    const { rows } = await sql<{ hash: Buffer }>`
      select token_hash as hash from session where user_id = ${userId} union all
      select token_hash from access_token where user_id = ${userId}`.execute(db());
    expect(rows.length).toBeGreaterThan(1);
    for (const secret of [hash, ...rows.map((row) => row.hash)])
      for (const text of [secret, secret.toString('hex'), secret.toString('base64url')])
        expect(bytes.includes(text)).toBe(false);
  });

  test('of two processes one makes it', async () => {
    await request();
    const made = await Promise.all(
      ['a', 'b'].map((end) =>
        makeNext({
          db: db(),
          services,
          signal: goingOn,
          holder: `00000000-0000-4000-8000-00000000000${end}`,
        }),
      ),
    );
    expect(made.filter(Boolean).length).toBe(1);
    expect(await newest()).toMatchObject({ status: 'Ready' });
  });

  test('cancelled while it is written, it stays in the list as Failed, and nothing of it on the disk', async () => {
    const fileName = await request();
    const kept = await left();
    const write: typeof writeBackup = async (...given) => {
      expect((await things.api.post(`${BACKUPS}/cancel/${fileName}`)).status).toBe(200);
      return writeBackup(...given);
    };
    await makeNext({ db: db(), services, signal: goingOn, write });
    expect(await newest()).toMatchObject({
      fileName,
      status: 'Failed',
      size: null,
      failure: { reason: 'cancelled' },
    });
    expect(await left()).toEqual(kept);
    expect((await things.api.post(`${BACKUPS}/cancel/${fileName}`)).status).toBe(409);
    expect((await things.api.get(`${BACKUPS}/${fileName}/contents`)).status).toBe(409);
  });

  test('deleted while it waits or is written, it is gone', async () => {
    const kept = await left();
    const waiting = await request();
    expect((await things.api.post(`${BACKUPS}/delete/${waiting}`)).status).toBe(200);
    const fileName = await request();
    const write: typeof writeBackup = async (...given) => {
      const made = await writeBackup(...given);
      await things.api.post(`${BACKUPS}/delete/${fileName}`);
      return made;
    };
    await makeNext({ db: db(), services, signal: goingOn, write });
    expect((await listed(things.api)).map((each) => each.fileName)).not.toContain(fileName);
    expect(await left()).toEqual(kept);
  });

  test('a service that stops gives up at once', async () => {
    await request();
    const kept = await left();
    await makeNext({ db: db(), services, signal: AbortSignal.abort() });
    expect(await newest()).toMatchObject({ status: 'Failed', failure: { reason: 'interrupted' } });
    expect(await left()).toEqual(kept);
  });

  test('where the process died the next request ends that backup as interrupted, and its half file goes', async () => {
    const fileName = await request();
    await db()
      .updateTable('backup')
      .set({ status: 'Running', holder: crypto.randomUUID(), lease_until: new Date(Date.now() + 60_000) })
      .where('file_name', '=', fileName)
      .execute();
    const partial = `${await pathOf(db(), fileName)}.partial`;
    await writeFile(partial, 'half');
    expect(await things.api.post(`${BACKUPS}/request`, {})).toMatchObject({ status: 409 });
    await sql`update backup set lease_until = now() - interval '1 second' where status = 'Running'`.execute(
      db(),
    );
    await makeBackup(db(), things.api);
    const [, lost] = await listed(things.api);
    expect(lost).toMatchObject({ fileName, status: 'Failed', failure: { reason: 'interrupted' } });
    expect(await left()).not.toContain(basename(partial));
  });

  test('one that was given up for dead makes nothing ready any more', async () => {
    await request();
    const kept = await left();
    const write: typeof writeBackup = async (...given) => {
      await sql`update backup set lease_until = now() - interval '1 second' where status = 'Running'`.execute(
        db(),
      );
      await endLost({ db: db(), services }, crypto.randomUUID());
      return writeBackup(...given);
    };
    await makeNext({ db: db(), services, signal: goingOn, write });
    expect(await newest()).toMatchObject({ status: 'Failed', failure: { reason: 'interrupted' } });
    expect(await left()).toEqual(kept);
  });

  describe('a full disk', () => {
    const disk = smallDisk();
    afterAll(() => {
      if (disk === undefined) return;
      system('umount', disk);
      rmSync(disk, { recursive: true });
    });

    test.each(['ENOSPC', 'EDQUOT'])('%s is a reason, and nothing is left', async (code) => {
      await request({ notify: true });
      const kept = await left();
      const open = () =>
        new Writable({
          write(_chunk, _encoding, done) {
            done(Object.assign(new Error('write'), { code }));
          },
        });
      const write: typeof writeBackup = (from, wanted, making) =>
        writeBackup(from, wanted, { ...making, open });
      await makeNext({ db: db(), services, signal: goingOn, write });
      expect(await newest()).toMatchObject({ status: 'Failed', failure: { reason: 'disk-full' } });
      expect(await left()).toEqual(kept);
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
      'of a small file system: the next backup is made when there is room',
      async () => {
        if (disk === undefined) return;
        const small = { ...services, dataDir: disk };
        const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64');
        await things.create(
          ...Array.from({ length: 2 }, (_, at) => ({ Name: `Noise ${at}`, Memo: noise + at })),
        );
        mkdirSync(join(disk, 'backups'));
        await writeFile(join(disk, 'filler'), Buffer.alloc(150_000));
        await request();
        await makeNext({ db: db(), services: small, signal: goingOn });
        expect(await newest()).toMatchObject({ status: 'Failed', failure: { reason: 'disk-full' } });
        expect(await readdir(join(disk, 'backups'))).toEqual([]);
        rmSync(join(disk, 'filler'));
        await request();
        await makeNext({ db: db(), services: small, signal: goingOn });
        expect(await newest()).toMatchObject({ status: 'Ready' });
      },
    );
  });

  test('what dead processes left goes after a day, and nothing else', async () => {
    await makeAll(db());
    const kept = await left();
    const stray = join(folder, `${crypto.randomUUID()}.zip.partial`);
    const fresh = join(folder, `${crypto.randomUUID()}.zip.partial`);
    await writeFile(stray, '');
    await writeFile(fresh, '');
    await utimes(stray, 0, 0);
    await sweep(dataDir, (storageId) => kept.some((name) => name.startsWith(storageId)));
    expect(new Set(await left())).toEqual(new Set([...kept, basename(fresh)]));
    rmSync(fresh);
  });
});
