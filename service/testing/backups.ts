/** Backups of tests: made at once, and a site with something of everything in it. */
import { expect } from 'vitest';
import { backupPath } from '../areas/backups/storage.ts';
import { makeNext } from '../areas/backups/make.ts';
import type {
  ApiResultOfGetBackupsResponse,
  GetBackupsResponse,
} from '../../contract/generated/types.gen.ts';
import { createRandom } from '../cli/sample/random.ts';
import type { Db } from '../kernel/db/database.ts';
import { DATA, type Things, type Written } from './entries.ts';
import { dataDir, type House, joinSite, makeGroup, makePerson, makeSite, services } from './site.ts';
import type { Calls } from './calls.ts';

export const BACKUPS = '/api/rest/v4/backups';

/** Of a service that goes on. */
export const goingOn = new AbortController().signal;

/** Makes all that is queued, as the background does. */
export async function makeAll(db: Db): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  while (await makeNext({ db, services, signal: goingOn }));
}

export const listed = async (api: Calls): Promise<GetBackupsResponse[]> =>
  (await api.get<{ data: GetBackupsResponse[] }>(BACKUPS)).body.data;

/** Where the file of a backup lies. */
export async function pathOf(db: Db, fileName: string): Promise<string> {
  const { storage_id: storageId } = await db
    .selectFrom('backup')
    .select('storage_id')
    .where('file_name', '=', fileName)
    .executeTakeFirstOrThrow();
  return backupPath(dataDir, storageId);
}

/** A backup that is asked for and made; it is ready. */
export async function makeBackup(
  db: Db,
  api: Calls,
  body: object = {},
): Promise<{ backup: GetBackupsResponse; path: string }> {
  const asked = await api.post<ApiResultOfGetBackupsResponse>(`${BACKUPS}/request`, body);
  expect(asked.status).toBe(200);
  await makeAll(db);
  const backup = (await listed(api)).find(({ fileName }) => fileName === asked.body.data.fileName);
  expect(backup).toMatchObject({ status: 'Ready', failure: null });
  if (!backup) throw new Error('A backup that was asked for is in the list');
  return { backup, path: await pathOf(db, backup.fileName) };
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

/** Values of every kind, drawn anew with each seed. */
function drawValues(
  things: Things,
  seed: number,
  others: readonly number[],
  userIds: readonly number[],
): Written {
  const random = createRandom(seed);
  const below = (n: number) => random.between(0, n - 1);
  const some = <T>(list: readonly T[]): T[] => list.filter(() => below(2) === 0).slice(0, 4);
  const all: Written = {
    Note: `${random.pick(TEXTS)} ${below(1000)}`,
    Memo: random.pick(TEXTS),
    Stage: things.choice('Stage', 'Won'),
    Tags: ['Red', 'Green', 'Blue'].slice(0, 1 + below(3)).map((name) => things.choice('Tags', name)),
    Score: random.pick([0, -1.5, 0.1 + 0.2, 1e21, 123456789.123, below(100)]),
    Revenue: { value: below(1e6) / 100, currencyCode: 'EUR' },
    Price: { value: -below(1000), currencyCode: 'JPY' },
    Seen: `20${10 + below(80)}-02-03T04:05:06.${100 + below(900)}Z`,
    Founded: `${1000 + below(9000)}-12-31`,
    Active: below(2) === 0,
    Owner: random.pick(userIds),
    Team: some(userIds),
    ...(others.length > 0 && { Parent: random.pick(others), Friends: some(others) }),
  };
  return Object.fromEntries(Object.entries(all).filter(() => below(4) !== 0));
}

/** Sends a file for a field of an entry. */
async function attach(
  { app }: House,
  things: Things,
  entryId: number,
  field: string,
  content: string,
): Promise<void> {
  const form = new FormData();
  const binaryStoreRequests = [{ entryId, fieldId: things.field(field).id, name: `${field} "a".txt` }];
  form.append('model', JSON.stringify({ storeRequests: [], binaryStoreRequests }));
  form.append('files', new Blob([content]), 'sent.bin');
  const body = new Response(form);
  const { statusCode } = await app.inject({
    method: 'PUT',
    url: `${DATA}/entrydata/Thing`,
    headers: {
      authorization: `Bearer ${things.person.token}`,
      'content-type': body.headers.get('content-type') ?? '',
    },
    payload: Buffer.from(await body.arrayBuffer()),
  });
  expect(statusCode).toBe(200);
}

/** Fills a site with people, groups, proxies, an invitation, entries with values of every kind, a history, and files. */
export async function fillSite(house: House, things: Things, seed: number, entries = 40): Promise<void> {
  const { db } = house;
  const { siteId, person, api } = things;
  await db
    .updateTable('site')
    .set({ has_agent_server: true, may_manage_existing_users: true, time_zone: 'Asia/Kolkata' })
    .where('site_id', '=', siteId)
    .execute();
  const guest = await makePerson(db, await makeSite(db));
  await joinSite(db, siteId, guest.userId, { licenseTypeId: 2 });
  const gone = await makePerson(db, siteId);
  const colleague = await makePerson(db, siteId, { ipRestrictionsEnabled: true });
  await makeGroup(db, siteId, ['Read Data']);
  await db
    .insertInto('approved_address')
    .values({ site_id: siteId, network: '10.0.0.0/8', note: 'The "office"' })
    .execute();
  await db
    .insertInto('proxy_assignment')
    .values({ site_id: siteId, proxy_id: colleague.userId, user_id: person.userId, created_by: gone.userId })
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
    owner_id: gone.userId,
    search: '',
    query: '',
    sort: 'Name',
  };
  await db
    .insertInto('saved_view')
    .values({ ...view, name: 'Mine, "all"', is_shared: true, columns: '[{"b": 1,  "a":2}]' })
    .execute();
  const userIds = [person.userId, guest.userId, gone.userId, colleague.userId];
  const ids: number[] = [];
  for (let from = 0; from < entries; from += 20) {
    const drawn = Array.from({ length: 20 }, (_, at) => ({
      Name: `${TEXTS[(from + at) % TEXTS.length]} ${from + at}`,
      ...drawValues(things, seed * 10_000 + from + at, ids, userIds),
    }));
    // oxlint-disable-next-line no-await-in-loop -- later ones refer to earlier ones
    ids.push(...(await things.create(...drawn)));
  }
  for (const [at, id] of ids.entries())
    // oxlint-disable-next-line no-await-in-loop
    if (at % 3 === 0) await things.update(id, drawValues(things, seed * 10_000 + 5_000 + at, ids, userIds));
  await attach(house, things, ids[1] ?? 0, 'Plan', `plan ${seed}`);
  await attach(house, things, ids[2] ?? 0, 'Papers', `one ${seed}`);
  await attach(house, things, ids[2] ?? 0, 'Papers', `two ${seed}`);
  await attach(house, things, ids[2] ?? 0, 'Plan', `plan ${seed}`);
  await things.remove(...ids.slice(-3));
  await things.merge(ids[4] ?? 0, ids[7] ?? 0);
  await api.del(`user/${gone.userId}`);
}
