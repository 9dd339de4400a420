import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { PlatformSite, SiteSettings } from '../../../../contract/generated/types.gen.ts';
import { readStorageUse } from '../../../kernel/files/storage-quota.store.ts';
import {
  finishSchema,
  makeThings,
  SCHEMA,
  type Things,
  uploadFiles,
} from '../../../testing/entries/entries.ts';
import { as, dataDir, onEachApp, services } from '../../../testing/site.ts';
import { runTask } from '../../../testing/tasks.ts';
import { addPlatformAdministrator } from '../../sites/index.ts';
import { deleteOrphanFilesTask } from './delete-orphan-files.ts';

const QUOTA = 10_000;
let contentCount = 0;
/** A content that no other test uploads. */
const createContent = (bytes: number) => {
  contentCount += 1;
  return Buffer.alloc(bytes, `content ${contentCount} ${Math.random()}`);
};

/** Number of contents on the disk. */
async function countContents(): Promise<number> {
  const names = await readdir(join(dataDir, 'files'), { recursive: true }).catch(() => []);
  const stats = await Promise.all(names.map((name) => stat(join(dataDir, 'files', name))));
  return stats.filter((each) => each.isFile()).length;
}

onEachApp((context) => {
  let things: Things;
  beforeEach(async () => {
    const { db } = context();
    things = await makeThings(context());
    await sql`update site set storage_quota = ${QUOTA} where site_id = ${things.siteId}`.execute(db);
  });

  const readUsed = async () => (await readStorageUse(context().db, things.siteId)).usedBytes;
  const readSum = async () => {
    const { rows } = await sql<{ sum: number }>`
      select coalesce(sum(size), 0)::bigint as sum from stored_file where site_id = ${things.siteId}`.execute(
      context().db,
    );
    return rows[0]?.sum;
  };
  const upload = (name: string, ...contents: Buffer[]) =>
    uploadFiles(context().app, things, {
      entryId: -1,
      files: contents.map((content, at) => ({ field: 'Papers', name: `${at}`, content })),
      storeRequests: things.items(-1, { Name: name }),
    });

  test('an upload beyond the quota is 507 with the bytes used, allowed and needed, and stores nothing', async () => {
    expect((await upload('First', createContent(6_000))).status).toBe(200);
    const contents = await countContents();
    const refused = await upload('Second', createContent(1_000), createContent(3_001));
    const message =
      'The files of this site use 6,000 of 10,000 bytes, and this request needs 4,001 more. Platform administrators can raise the limit.';
    expect([refused.status, refused.body.message, refused.body.errors]).toEqual([
      507,
      message,
      [{ path: 'binaryStoreRequests', message }],
    ]);
    expect([await readUsed(), await countContents()]).toEqual([6_000, contents]);
    expect(await things.names({})).toEqual(['First']);
    expect(await readdir(join(dataDir, 'uploads'))).toEqual([]);
    expect((await upload('Exact', createContent(4_000))).status).toBe(200);
    expect(await readUsed()).toBe(QUOTA);
  });

  test('a content counts once however often the site stores it', async () => {
    const content = createContent(9_000);
    for (const name of ['One', 'Two']) expect((await upload(name, content)).status).toBe(200);
    expect(await readUsed()).toBe(9_000);
  });

  test('of uploads at once only as many are stored as fit', async () => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, at) => upload(`Entry ${at}`, createContent(3_000))),
    );
    const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, 200, 200, 507, 507, 507, 507, 507]);
    expect([await readUsed(), await readSum()]).toEqual([9_000, 9_000]);
  });

  test('uploads of the same contents in another order at once do not fail', async () => {
    const [one, two] = [createContent(1_000), createContent(1_000)];
    for (let round = 0; round < 5; round += 1) {
      const [first, second] = await Promise.all([
        upload(`A ${round}`, one, two),
        upload(`B ${round}`, two, one),
        runTask(deleteOrphanFilesTask({ db: context().db, services })),
      ]);
      expect([first.status, second.status]).toEqual([200, 200]);
    }
    expect(await readUsed()).toBe(2_000);
  });

  test('a site over a lowered quota stores no further file, but everything else', async () => {
    const content = createContent(8_000);
    expect((await upload('Before', content)).status).toBe(200);
    await sql`update site set storage_quota = 5000 where site_id = ${things.siteId}`.execute(context().db);
    expect((await upload('Known content', content)).status).toBe(200);
    expect((await upload('New content', createContent(1))).status).toBe(507);
    await things.create({ Name: 'No file' });
    expect(await things.names({})).toEqual(['Before', 'Known content', 'No file']);
  });

  test('a deleted file frees its storage', async () => {
    expect((await upload('Deleted', createContent(7_000))).status).toBe(200);
    await things.api.del(`${SCHEMA}/fields/${things.field('Papers').id}`);
    await finishSchema(context().db);
    await sql`update stored_file set created_at = now() - interval '8 days'`.execute(context().db);
    await deleteOrphanFilesTask({ db: context().db, services }).run();
    expect([await readUsed(), await readSum()]).toEqual([0, 0]);
  });

  test('platform administrators set the quota and see the use; administrators of the site see both', async () => {
    const { app, db } = context();
    await upload('One', createContent(2_500));
    await db.transaction().execute((tx) => addPlatformAdministrator(tx, things.person.userId));
    const platform = as(app, things.person, 'console');
    const path = `/api/platform/sites/${things.siteId}`;
    const set = async (storageQuotaBytes: number | null) =>
      (await platform.put<PlatformSite>(path, { storageQuotaBytes })).body;
    expect(await set(5_000)).toMatchObject({
      storageQuotaBytes: 5_000,
      storageLimitBytes: 5_000,
      storageUsedBytes: 2_500,
    });
    const settings = await things.api.get<SiteSettings>('/api/rest/v1/management/settings');
    expect(settings.body).toMatchObject({ storageUsedBytes: 2_500, storageLimitBytes: 5_000 });
    expect((await upload('Two', createContent(2_501))).status).toBe(507);
    expect(await set(null)).toMatchObject({
      storageQuotaBytes: null,
      storageLimitBytes: services.storageQuota,
    });
    const { rows } = await sql<{ changes: object }>`
      select changes from audit_log where site_id = ${things.siteId} and action = 'site.update'
      order by audit_id`.execute(db);
    expect(rows.map(({ changes }) => changes)).toEqual([
      { storageQuotaBytes: [QUOTA, 5_000] },
      { storageQuotaBytes: [5_000, null] },
    ]);
    expect((await platform.put(path, { storageQuotaBytes: -1 })).status).toBe(400);
  });
});
