import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ApiResultOfGetBackupsResponse, BackupContents } from '../../../contract/generated/types.gen.ts';
import { makeQueuedBackups } from '../../testing/backups.ts';
import { makeThings } from '../../testing/entries.ts';
import { dataDir, onEachApp } from '../../testing/site.ts';

const BACKUPS = '/api/rest/v4/backups';

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
});
