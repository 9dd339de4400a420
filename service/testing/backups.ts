/** Helpers for backups: makes them at once, and fills a site with all kinds of data. */
import { sql } from 'kysely';
import { expect } from 'vitest';
import type {
  ApiResultOfGetBackupsResponse,
  GetBackupsResponse,
} from '../../contract/generated/types.gen.ts';
import type { writeBackup } from '../areas/backups/file/write-backup.ts';
import { defineBackupJob } from '../areas/backups/make-backup.ts';
import { getBackupName } from '../areas/backups/storage.ts';
import { createRandom } from '../cli/load/random.ts';
import type { TableSheet } from '../kernel/backup-sheets.ts';
import type { Db } from '../kernel/db/database.ts';
import type { FilePlace } from '../kernel/files/file-folder.ts';
import { isWorking } from '../kernel/jobs/job-kind.ts';
import { runDueJobs } from '../kernel/jobs/run-jobs.ts';
import type { ApiClient } from './calls.ts';
import { type FieldValues, type Things, uploadFiles } from './entries/entries.ts';
import { createJobContext } from './jobs.ts';
import { enableRelationships } from './relationships.ts';
import { type AppContext, joinSite, makeGroup, makePerson, makeSite, services } from './site.ts';

export const BACKUPS = '/api/rest/v4/backups';

/** Makes all queued backups, as the process does; `write` replaces what writes the file. */
export async function makeQueuedBackups(
  db: Db,
  { write, signal, place = services, backupSheets = services.backupSheets }: MakeOptions = {},
): Promise<void> {
  const { storageQuota } = services;
  const { dataDir, blobs } = place;
  const files = { dataDir, blobs, storageQuota, backupSheets, leaseRenewalMs: 50 };
  const context = createJobContext(db, [defineBackupJob(write)]);
  await runDueJobs({ ...context, files, runs: isWorking }, signal);
}

interface MakeOptions {
  write?: typeof writeBackup;
  /** Aborted when the service stops. */
  signal?: AbortSignal;
  place?: FilePlace;
  backupSheets?: readonly TableSheet[];
}

export const listBackups = async (api: ApiClient): Promise<GetBackupsResponse[]> =>
  (await api.get<{ data: GetBackupsResponse[] }>(BACKUPS)).body.data;

/** Path of a backup's file. */
export async function findBackupPath(db: Db, fileName: string): Promise<string> {
  const { storage_id: storageId } = await db
    .selectFrom('backup')
    .select('storage_id')
    .where('file_name', '=', fileName)
    .executeTakeFirstOrThrow();
  const path = services.blobs.getLocalPath(getBackupName(services, storageId));
  if (path === undefined) throw new Error('The backup is not on this machine');
  return path;
}

/** Requests and makes a backup; it is ready afterwards. */
export async function makeBackup(
  db: Db,
  api: ApiClient,
  body: object = {},
): Promise<{ backup: GetBackupsResponse; path: string }> {
  const requested = await api.post<ApiResultOfGetBackupsResponse>(`${BACKUPS}/request`, body);
  expect(requested.status).toBe(200);
  await makeQueuedBackups(db);
  const backup = (await listBackups(api)).find(({ fileName }) => fileName === requested.body.data.fileName);
  expect(backup).toMatchObject({ status: 'Ready', failure: null });
  if (!backup) throw new Error('The requested backup is not listed');
  return { backup, path: await findBackupPath(db, backup.fileName) };
}

const TEXTS = [
  'plain',
  'with, comma',
  '"quoted"',
  'two\nlines\r\nand',
  '\u{feff}marked',
  'Ünïcødé 漢字 😀',
  "'=1+1",
  ' ',
];

/** Random values of every field type, determined by the seed. */
function generateValues(
  things: Things,
  seed: number,
  otherEntryIds: readonly number[],
  userIds: readonly number[],
): FieldValues {
  const random = createRandom(seed);
  const randomBelow = (n: number) => random.between(0, n - 1);
  const pickSome = <T>(list: readonly T[]): T[] => list.filter(() => randomBelow(2) === 0).slice(0, 4);
  const values: FieldValues = {
    Note: `${random.pick(TEXTS)} ${randomBelow(1000)}`,
    Memo: random.pick(TEXTS),
    Stage: things.choice('Stage', 'Won'),
    Tags: ['Red', 'Green', 'Blue'].slice(0, 1 + randomBelow(3)).map((name) => things.choice('Tags', name)),
    Score: random.pick([0, -1.5, 0.1 + 0.2, 1e21, 123456789.123, randomBelow(100)]),
    Revenue: { value: randomBelow(1e6) / 100, currencyCode: 'EUR' },
    Price: { value: -randomBelow(1000), currencyCode: 'JPY' },
    Seen: `20${10 + randomBelow(80)}-02-03T04:05:06.${100 + randomBelow(900)}Z`,
    Founded: `${1000 + randomBelow(9000)}-12-31`,
    Active: randomBelow(2) === 0,
    Owner: random.pick(userIds),
    Team: pickSome(userIds),
    ...(otherEntryIds.length > 0 && { Parent: random.pick(otherEntryIds), Friends: pickSome(otherEntryIds) }),
  };
  return Object.fromEntries(Object.entries(values).filter(() => randomBelow(4) !== 0));
}

/** Uploads a file to a field of an entry. */
export async function attachFile(
  { app }: AppContext,
  things: Things,
  entryId: number,
  field: string,
  content: string,
): Promise<void> {
  const file = { field, name: `${field} "a".txt`, content: Buffer.from(content) };
  const { status } = await uploadFiles(app, things, { entryId, files: [file] });
  expect(status).toBe(200);
}

/** Fills a site with users, groups, proxies, an invitation, entries with values of every type, a history, and files. */
export async function fillSite(
  context: AppContext,
  things: Things,
  seed: number,
  entries = 40,
): Promise<void> {
  const { db } = context;
  const { siteId, person, api } = things;
  await db
    .updateTable('site')
    .set({
      has_agent_server: true,
      may_manage_existing_users: true,
      requires_acting_reason: false,
      time_zone: 'Asia/Kolkata',
    })
    .where('site_id', '=', siteId)
    .execute();
  const guest = await makePerson(db, await makeSite(db));
  await joinSite(db, siteId, guest.userId, { licenseTypeId: 2 });
  const formerUser = await makePerson(db, siteId);
  const colleague = await makePerson(db, siteId, { ipRestrictionsEnabled: true });
  await db
    .updateTable('membership')
    .set({ time_zone: 'America/St_Johns' })
    .where('site_id', '=', siteId)
    .where('user_id', '=', colleague.userId)
    .execute();
  await makeGroup(db, siteId, ['Read Data']);
  await enableRelationships(db, siteId, [colleague.userId], {
    retention_days: 400,
    internal_domains: '{example.com,"other, inc"}',
    modified_by: formerUser.userId,
  });
  await sql`insert into ri_exclusion (site_id, value, note, created_by)
    values (${siteId}, 'private.example', 'The "board"', ${formerUser.userId})`.execute(db);
  await db
    .insertInto('approved_address')
    .values({ site_id: siteId, network: '10.0.0.0/8', note: 'The "office"' })
    .execute();
  await db
    .insertInto('proxy_assignment')
    .values({
      site_id: siteId,
      proxy_id: colleague.userId,
      user_id: person.userId,
      created_by: formerUser.userId,
    })
    .execute();
  const invited = await makePerson(db, await makeSite(db));
  await db
    .insertInto('invitation')
    .values({
      site_id: siteId,
      user_id: invited.userId,
      email: invited.email,
      email_key: invited.email,
      type: 0,
      duration_days: null,
      group_ids: [person.groupId],
      user_entry_id: null,
      invited_by: person.userId,
      token_hash: Buffer.from(`token ${invited.userId}`),
      expires_at: new Date('2999-01-01'),
    })
    .execute();
  const view = {
    site_id: siteId,
    type_id: things.typeId,
    owner_id: formerUser.userId,
    search: '',
    query: '',
    sort: 'Name',
  };
  await db
    .insertInto('saved_view')
    .values({
      ...view,
      name: 'Mine, "all"',
      is_shared: true,
      columns: '[{"b": 1,  "a":2}]',
      pinned: '[{"field":"Name","operator":"$in"}]',
    })
    .execute();
  await db
    .insertInto('saved_view')
    .values({ ...view, type_id: null, table_name: 'users', name: 'Locked', is_shared: true, columns: '{}' })
    .execute();
  const userIds = [person.userId, guest.userId, formerUser.userId, colleague.userId];
  const ids: number[] = [];
  for (let from = 0; from < entries; from += 20) {
    const entryValues = Array.from({ length: 20 }, (_, at) => ({
      Name: `${TEXTS[(from + at) % TEXTS.length]} ${from + at}`,
      ...generateValues(things, seed * 10_000 + from + at, ids, userIds),
    }));
    // Later ones refer to earlier ones.
    ids.push(...(await things.create(...entryValues)));
  }
  for (const [at, id] of ids.entries())
    if (at % 3 === 0)
      await things.update(id, generateValues(things, seed * 10_000 + 5_000 + at, ids, userIds));
  await attachFile(context, things, ids[1] ?? 0, 'Plan', `plan ${seed}`);
  await attachFile(context, things, ids[2] ?? 0, 'Papers', `one ${seed}`);
  await attachFile(context, things, ids[2] ?? 0, 'Papers', `two ${seed}`);
  await attachFile(context, things, ids[2] ?? 0, 'Plan', `plan ${seed}`);
  await things.remove(...ids.slice(-3));
  await things.merge(ids[4] ?? 0, ids[7] ?? 0);
  await api.del(`user/${formerUser.userId}`);
}
