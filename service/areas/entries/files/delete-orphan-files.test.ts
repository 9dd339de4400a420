import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import {
  DATA,
  finishSchema,
  makeThings,
  SCHEMA,
  type Things,
  uploadFiles,
} from '../../../testing/entries/entries.ts';
import { createFolderPlace } from '../../../testing/files/file-place.ts';
import { as, dataDir, onEachApp, services } from '../../../testing/site.ts';
import { runTask } from '../../../testing/tasks.ts';
import { getContentName } from './content.ts';
import { deleteOrphanFilesTask } from './delete-orphan-files.ts';
import { upsertFile } from './files.store.ts';

const DAY_MS = 86_400_000;

let contentCount = 0;
const createContent = () => Buffer.from(`%PDF-1.7 content ${(contentCount += 1)} ${Math.random()}`);
const getHash = (content: Buffer) => createHash('sha256').update(content).digest();
const getPath = (content: Buffer, folder = dataDir) => join(folder, getContentName(getHash(content)));

const isOnDisk = async (content: Buffer) =>
  (await stat(getPath(content)).catch(() => undefined)) !== undefined;
const ageContent = (content: Buffer, days: number) => {
  const at = new Date(Date.now() - days * DAY_MS);
  return utimes(getPath(content), at, at);
};

/** A content without a row: its upload ended between the disk and the commit. */
const leaveContent = async (content: Buffer) => {
  await mkdir(dirname(getPath(content)), { recursive: true });
  await writeFile(getPath(content), content);
};

onEachApp((context) => {
  let things: Things;
  beforeEach(async () => {
    things = await makeThings(context());
  });

  const upload = async (entryId: number, content: Buffer, field = 'Plan', site = things) => {
    const { status, text } = await uploadFiles(context().app, site, { entryId, files: [{ field, content }] });
    expect([status, text]).toEqual([200, text]);
  };
  const createWithFile = async (content: Buffer, site = things) => {
    const { body, status } = await uploadFiles(context().app, site, {
      entryId: -1,
      files: [{ field: 'Plan', content }],
      storeRequests: site.items(-1, { Name: 'With a file' }),
    });
    expect(status).toBe(200);
    return body[0]?.entryId ?? 0;
  };
  const download = async (entryId: number, field = 'Plan', site = things) =>
    (await site.api.get(`${DATA}/entryfiles/${entryId}/fields/${field}`)).status;

  const hasRow = async (content: Buffer, site = things) => {
    const { rows } = await sql`select from stored_file
      where site_id = ${site.siteId} and hash = ${getHash(content)}`.execute(context().db);
    return rows.length > 0;
  };
  /** Where a content is stored: its row and its bytes. */
  const find = async (content: Buffer, site = things) => ({
    row: await hasRow(content, site),
    disk: await isOnDisk(content),
  });
  /** Makes all files of all sites, and this content on disk, this old. */
  const age = async (days: number, ...contents: Buffer[]) => {
    await sql`update stored_file set created_at = now() - ${`${days} days`}::interval`.execute(context().db);
    for (const content of contents) await ageContent(content, days);
  };
  const run = () => runTask(deleteOrphanFilesTask({ db: context().db, services }));
  /** Runs the task, lets the grace period for backups end, and runs it again. */
  const runTwice = async (content: Buffer) => {
    await run();
    if (await isOnDisk(content)) await ageContent(content, 8);
    await run();
  };
  /** A file whose only reference is removed: values that a deleted field had since the entry was created are not logged. */
  const makeOrphan = async (content: Buffer) => {
    await createWithFile(content);
    expect((await things.api.del(`${SCHEMA}/fields/${things.field('Plan').id}`)).status).toBe(204);
    await finishSchema(context().db);
  };

  const ALL = { row: true, disk: true };
  const NOTHING = { row: false, disk: false };

  test('a file without references is deleted 7 days after its upload', async () => {
    const [other = 0] = await things.create({ Name: 'Other' });
    await upload(other, createContent(), 'Papers');
    const content = createContent();
    await makeOrphan(content);
    await age(6.9, content);
    await run();
    expect(await find(content)).toEqual(ALL);
    await age(7.1, content);
    await runTwice(content);
    expect(await find(content)).toEqual(NOTHING);
    await run();
  });

  test('the content stays for a day after its file was deleted, for running backups', async () => {
    const content = createContent();
    await makeOrphan(content);
    await age(8, content);
    await run();
    expect(await find(content)).toEqual({ row: false, disk: true });
    const { mtimeMs } = await stat(getPath(content));
    expect(Date.now() - mtimeMs).toBeGreaterThan(5.9 * DAY_MS);
    expect(Date.now() - mtimeMs).toBeLessThan(6.1 * DAY_MS);
  });

  test('files of current values stay', async () => {
    const contents = [createContent(), createContent(), createContent()];
    const [one = 0, other = 0] = await things.create({ Name: 'One' }, { Name: 'Other' });
    await upload(one, contents[0] ?? Buffer.alloc(0));
    for (const content of contents.slice(1)) await upload(other, content, 'Papers');
    await age(400, ...contents);
    await run();
    for (const content of contents) expect(await find(content)).toEqual(ALL);
    expect([await download(one), await download(other, 'Papers')]).toEqual([200, 200]);
  });

  test('files of deleted entries stay, and the restored entry has its file', async () => {
    const content = createContent();
    const entryId = await createWithFile(content);
    await things.remove(entryId);
    await age(400, content);
    await run();
    expect(await find(content)).toEqual(ALL);
    await as(context().app, things.person, 'console').post(`${DATA}/entrydata/Thing/restore`, [entryId]);
    expect(await download(entryId)).toBe(200);
  });

  test('earlier files in the history stay', async () => {
    const [earlier, current] = [createContent(), createContent()];
    const entryId = await createWithFile(earlier);
    await upload(entryId, current);
    await things.update(entryId, { Plan: null });
    await age(400, earlier, current);
    await run();
    expect([await find(earlier), await find(current)]).toEqual([ALL, ALL]);
  });

  test('a content shared with another site stays on disk', async () => {
    const content = createContent();
    const other = await makeThings(context());
    const entryId = await createWithFile(content, other);
    await makeOrphan(content);
    await age(400, content);
    await runTwice(content);
    expect(await find(content)).toEqual({ row: false, disk: true });
    expect(await find(content, other)).toEqual(ALL);
    expect(await download(entryId, 'Plan', other)).toBe(200);
  });

  test('contents of a folder that belongs to another database stay', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'steward-test-'));
    const content = createContent();
    const path = getPath(content, folder);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    await utimes(path, 0, 0);
    await createWithFile(createContent());
    await runTask(deleteOrphanFilesTask({ db: context().db, services: createFolderPlace(folder) }));
    expect((await stat(path)).size).toBe(content.length);
    await rm(folder, { recursive: true });
  });

  test('a refused upload leaves no content', async () => {
    const content = createContent();
    const files = [{ field: 'Note', content }];
    expect((await uploadFiles(context().app, things, { entryId: -1, files })).status).toBe(400);
    expect(await find(content)).toEqual(NOTHING);
  });

  test('the content of an upload that was not committed is removed after 7 days', async () => {
    await createWithFile(createContent());
    const [old, young] = [createContent(), createContent()];
    for (const content of [old, young]) await leaveContent(content);
    await ageContent(old, 7.1);
    await ageContent(young, 6.9);
    await run();
    expect([await find(old), await find(young)]).toEqual([NOTHING, { row: false, disk: true }]);
  });

  test('a content that is uploaded again during the run stays', async () => {
    const content = createContent();
    await makeOrphan(content);
    const [entryId = 0] = await things.create({ Name: 'Again' });
    for (let round = 0; round < 10; round += 1) {
      await age(400, content);
      await Promise.all([run(), upload(entryId, content, 'Papers'), run()]);
      expect(await find(content)).toEqual(ALL);
      expect(await download(entryId, 'Papers')).toBe(200);
      await things.update(entryId, { Papers: null });
      // Without its history nothing refers to the file any more.
      await sql`delete from cell_log where site_id = ${things.siteId}`.execute(context().db);
    }
  });

  test('a file whose upload is not committed yet stays', async () => {
    const { db, database } = context();
    // The embedded database runs one transaction at a time.
    if (database.kind === 'embedded') return;
    const content = createContent();
    await makeOrphan(content);
    await age(400);
    const tx = await db.startTransaction().execute();
    const id = await upsertFile(tx, things.siteId, {
      hash: getHash(content),
      size: content.length,
      type: 'application/pdf',
    });
    await run();
    await tx.commit().execute();
    await run();
    expect(await find(content)).toEqual(ALL);
    const { rows } =
      await sql`select from stored_file where site_id = ${things.siteId} and file_id = ${id}`.execute(db);
    expect(rows).toHaveLength(1);
  });

  test('contents that an earlier version moved aside are removed after 7 days', async () => {
    await createWithFile(createContent());
    const folder = join(dataDir, 'files', 'removing');
    await mkdir(folder, { recursive: true });
    for (const content of [createContent(), createContent()]) {
      await leaveContent(content);
      await rename(getPath(content), join(folder, getHash(content).toString('hex')));
    }
    const [old = '', young] = await readdir(folder);
    await utimes(join(folder, old), 0, 0);
    await run();
    expect(await readdir(folder)).toEqual([young]);
  });

  test('files and entries are checked in pages', async () => {
    const contents = Array.from({ length: 5 }, createContent);
    const ids = await things.create(...contents.map((_, index) => ({ Name: `Entry ${index}` })));
    for (const [index, content] of contents.entries()) await upload(ids[index] ?? 0, content, 'Papers');
    const orphan = createContent();
    await makeOrphan(orphan);
    await age(400, ...contents, orphan);
    const limits = { checkedFiles: 2, entries: 2 };
    await runTask(deleteOrphanFilesTask({ db: context().db, services }, limits));
    expect(await hasRow(orphan)).toBe(false);
    for (const content of contents) expect(await find(content)).toEqual(ALL);
  });

  test('an aborted run deletes nothing', async () => {
    const content = createContent();
    await makeOrphan(content);
    await age(400, content);
    await deleteOrphanFilesTask({ db: context().db, services }).run(AbortSignal.abort());
    expect(await find(content)).toEqual(ALL);
  });
});
