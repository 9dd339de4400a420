import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { ApiResultOfGetBackupsResponse, BackupContents } from '../../../contract/generated/types.gen.ts';
import { up as makeBackupsJobs } from '../../kernel/db/migrations/0035_backup_jobs.ts';
import { makeQueuedBackups } from '../../testing/backups.ts';
import type { ErrorBody } from '../../testing/calls.ts';
import { makeThings } from '../../testing/entries/entries.ts';
import { dataDir, onEachApp } from '../../testing/site.ts';

const BACKUPS = '/api/rest/v4/backups';

/** What a database had before backups became jobs. */
const BEFORE_JOBS = [
  'alter table job alter column owner_id set not null',
  'alter table job drop column stage',
  'drop index backup_verification',
  `alter table backup drop column job_id, add column holder uuid, add column lease_until timestamptz(3),
    add column progress smallint not null default 0, add column stage text,
    alter column storage_id drop default, alter column storage_id type uuid using storage_id::uuid,
    alter column storage_id set default gen_random_uuid()`,
  `create index backup_due on backup (backup_id) where status in ('Queued', 'Running') or verify_state in ('queued', 'running')`,
];

onEachApp((context) => {
  test('requests, makes, lists, reads, downloads and deletes a backup', async () => {
    const things = await makeThings(context());
    await things.create({ Name: 'One, "two"\nthree', Score: 1.5 }, { Name: 'Four' });
    const { api } = things;
    const requested = await api.post<ApiResultOfGetBackupsResponse>(`${BACKUPS}/request`, {});
    expect(requested).toMatchObject({ status: 200, body: { isSuccess: true, data: { status: 'Queued' } } });
    expect((await api.post(`${BACKUPS}/request`, {})).status).toBe(409);
    const { fileName } = requested.body.data;
    expect((await api.get(`${BACKUPS}/${fileName}`)).status).toBe(409);
    await makeQueuedBackups(context().db);
    const { body: list } = await api.get<{ data: { sha256: string; size: number; failure: unknown }[] }>(
      BACKUPS,
    );
    expect(list.data[0]?.failure).toBe(null);
    expect(list).toMatchObject({
      data: [{ fileName, status: 'Ready', progress: 100, entryTypes: ['Thing'] }],
    });
    const contents = await api.get<BackupContents>(`${BACKUPS}/${fileName}/contents`);
    expect(contents.body.members.find(({ kind }) => kind === 'entries')).toMatchObject({
      rows: 2,
      title: 'Things',
    });
    const file = await context().app.inject({
      url: `${BACKUPS}/${fileName}`,
      headers: { authorization: `Bearer ${things.person.token}` },
    });
    expect(file.statusCode).toBe(200);
    expect(createHash('sha256').update(file.rawPayload).digest('hex')).toBe(list.data[0]?.sha256);
    // Written when the connection has taken the last bytes.
    await expect
      .poll(async () => (await api.get(`${BACKUPS}/${fileName}/downloads`)).body)
      .toMatchObject([{ userId: things.person.userId, isComplete: true, bytesSent: list.data[0]?.size }]);
    expect((await api.post(`${BACKUPS}/delete/${fileName}`)).status).toBe(200);
    expect((await api.get(`${BACKUPS}/${fileName}`)).status).toBe(404);
    expect(await readdir(join(dataDir, 'backups'))).toEqual([]);
  });

  test('names all entry types of a request that do not exist', async () => {
    const { api } = await makeThings(context());
    const { status, body } = await api.post<ErrorBody>(`${BACKUPS}/request`, {
      apiNames: ['Nothing', 'thing', 'Void'],
    });
    expect([status, body.message]).toEqual([404, 'Entry types Nothing, Void do not exist on this site']);
    expect(body.errors?.map(({ path }) => path)).toEqual(['apiNames.0', 'apiNames.2']);
  });

  test('backups that waited or ran when they became jobs are made after the upgrade', async () => {
    const { db } = context();
    const [waiting, running] = [await makeThings(context()), await makeThings(context())];
    await running.create({ Name: 'Kept' });
    await db.transaction().execute(async (tx) => {
      // Later names of files are not those of the time.
      await sql`update backup set storage_id = gen_random_uuid()::text`.execute(tx);
      for (const statement of BEFORE_JOBS) await sql.raw(statement).execute(tx);
      await sql`insert into backup (site_id, file_name, status, entry_types, includes_files, started_at, holder, progress, stage)
        values (${waiting.siteId}, 'waiting.zip', 'Queued', '{Thing}', false, null, null, 0, null),
          (${running.siteId}, 'running.zip', 'Running', '{Thing}', false, now(), gen_random_uuid(), 40, 'rows')`.execute(
        tx,
      );
      await makeBackupsJobs(tx.withTables<never>());
    });
    await makeQueuedBackups(db);
    for (const [{ api }, fileName] of [
      [waiting, 'waiting.zip'],
      [running, 'running.zip'],
    ] as const) {
      const { body } = await api.get<{ data: object[] }>(BACKUPS);
      expect(body.data).toMatchObject([{ fileName, status: 'Ready', progress: 100, entryTypes: ['Thing'] }]);
    }
    const contents = await running.api.get<BackupContents>(`${BACKUPS}/running.zip/contents`);
    expect(contents.body.members.find(({ kind }) => kind === 'entries')).toMatchObject({ rows: 1 });
  });
});
