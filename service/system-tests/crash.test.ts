/**
 * Kill -9 while clients write to every area. The model is what an undisturbed write of the same kind leaves behind: the number of
 * rows of each table that name it. After a kill a write has left exactly these rows or none, and all of them if it was acknowledged.
 */
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { areas } from '../areas/registry.ts';
import type { AreaDefinition } from '../kernel/area/area.ts';
import { DISTRIBUTED_TABLES } from '../kernel/db/cluster.ts';
import { type Db, openDatabase } from '../kernel/db/database.ts';
import { listTables } from '../kernel/db/table-digest.ts';
import { hashSecret } from '../kernel/secret.ts';
import { makeAgentKey } from '../testing/agents.ts';
import {
  createTestDatabase,
  type DatabaseKind,
  onEachKind,
  type TestDatabase,
} from '../testing/databases.ts';
import { makeThings, type Things } from '../testing/entries/entries.ts';
import { makeDocx, paragraph } from '../testing/files/documents.ts';
import { getKillCount, startKills } from '../testing/processes/kills.ts';
import { startService } from '../testing/processes/service-process.ts';
import { enableRelationships } from '../testing/relationships.ts';
import { isOnCitus } from '../testing/servers/citus.ts';
import { contract, createTestApp, makeGroup, makeSite, openSession } from '../testing/site.ts';
import { TOPIC_MESSAGES } from '../testing/topic-messages.ts';

const SHARE = { embedded: 1, postgres: 2 };
/** Kills on each database in `npm run proof`. */
const PROOF_KILLS = 500;
const WRITERS = 6;
/** Kills of one database: each kind is sent at most twice before a kill, and a person has at most 20 agent keys. */
const KILLS_PER_ROUND = 9;
/** A kill comes with one of the first answers of a process. */
const MAX_ANSWERS = 40;

/** A person whom at most one write changes, so that rows that name the person show what the write has done. */
interface Subject {
  number: number;
  userId: number;
  email: string;
  /** Session of the person. */
  cookie: string;
}

interface Site {
  things: Things;
  /** Session of the person, for operations of the console. */
  cookie: string;
  /** Entries that writes change. */
  entryIds: readonly number[];
  /** Entry types that get fields. */
  typeIds: readonly number[];
  /** Groups that get members. */
  groupIds: readonly number[];
  /** A topic that no other write uses. */
  topicId: number;
  template: Buffer;
  /** Members of the site, and people of another one; both lists end with one that no write changes. */
  subjects: Readonly<Record<SubjectKind, readonly Subject[]>>;
}

type SubjectKind = 'member' | 'guest';

interface WriteKind {
  operation: string;
  /** Kind of the person whom the write changes: the rows that it leaves name the person instead of the marker. */
  subject?: SubjectKind;
  /** Whether the session of the subject sends the write instead of the administrator. */
  isOwn?: boolean;
  /** The row of the site that each write replaces and that cannot hold a marker. One writer alone sends this kind. */
  singleRow?: { table: string; action: string };
  /** Writes of this kind that the service accepts within an hour; a run sends no more. */
  maxPerHour?: number;
  create(site: Site, marker: string, number: number, subject: Subject): WriteRequest;
}

interface WriteRequest {
  /** Values of the parameters of the path. */
  params?: Readonly<Record<string, string | number>>;
  /** A form with a file, or JSON. */
  body?: object;
}

function createForm(model: object, part: string, name: string, content: Uint8Array<ArrayBuffer>): FormData {
  const form = new FormData();
  form.append('model', JSON.stringify(model));
  form.append(part, new Blob([content]), name);
  return form;
}

/** Writes of every area, whose texts contain the marker. */
const WRITES: Readonly<Record<string, WriteKind>> = {
  user: {
    operation: 'createUser',
    create: (_site, marker) => ({
      body: { email: `${marker}@crash.test`, firstName: marker, lastName: marker },
    }),
  },
  userChange: {
    operation: 'updateUser',
    create: ({ things }, marker) => ({ body: { id: things.person.userId, lastName: marker } }),
  },
  group: {
    operation: 'createGroup',
    create: (_site, marker) => ({ body: { name: marker, capabilities: ['Read Data', 'View Activity'] } }),
  },
  membership: {
    operation: 'assignGroups',
    subject: 'member',
    create: ({ groupIds }, _marker, _number, { userId }) => ({ body: [{ userIds: [userId], groupIds }] }),
  },
  license: {
    operation: 'updateUserLicense',
    subject: 'member',
    create: (_site, _marker, _number, { userId }) => ({ body: { userId, licenseTypeId: 2 } }),
  },
  proxy: {
    operation: 'changeProxies',
    subject: 'member',
    create: ({ things }, _marker, _number, { userId }) => ({
      body: { add: [{ proxyUserId: things.person.userId, userId }] },
    }),
  },
  endedSessions: {
    operation: 'endUserSessions',
    subject: 'member',
    create: (_site, _marker, _number, { userId }) => ({ params: { userId } }),
  },
  apiKey: {
    operation: 'enableApiKey',
    subject: 'member',
    isOwn: true,
    create: () => ({ body: { scopes: ['data'] } }),
  },
  notificationSettings: {
    operation: 'updateNotificationSettings',
    subject: 'member',
    isOwn: true,
    create: () => {
      const way = { inConsole: false, byMail: true, inBrowser: false };
      return { body: { jobFinished: way, jobFailed: way, alert: way } };
    },
  },
  invitation: {
    operation: 'inviteExistingUser',
    subject: 'guest',
    create: (_site, _marker, _number, { email }) => ({ body: { email, type: 0 } }),
  },
  existingUser: {
    operation: 'addExistingUser',
    subject: 'guest',
    create: ({ groupIds }, _marker, _number, { email }) => ({ body: { email, groups: groupIds } }),
  },
  siteSettings: {
    operation: 'updateSiteSettings',
    create: (_site, marker) => ({ body: { name: marker } }),
  },
  approvedAddresses: {
    operation: 'updateApprovedAddresses',
    create: (_site, marker) => ({ body: { addresses: [{ network: '127.0.0.0/8', note: marker }] } }),
  },
  platformSite: {
    operation: 'createPlatformSite',
    maxPerHour: 20,
    create: (_site, marker) => ({
      body: {
        slug: marker,
        name: marker,
        administrator: { email: `${marker}@crash.test`, firstName: marker, lastName: marker },
      },
    }),
  },
  backupSettings: {
    operation: 'updateBackupSettings',
    singleRow: { table: 'backup_settings', action: 'backup.settings' },
    create: (_site, _marker, number) => ({
      body: { isDaily: false, hour: 3, keepDays: 1 + (number % 3_650), includeFiles: true, verify: false },
    }),
  },
  relationshipSettings: {
    operation: 'updateRelationshipSettings',
    singleRow: { table: 'ri_setting', action: 'relationships.settings' },
    create: (_site, _marker, number) => ({ body: { historicalSyncPeriodDays: 1 + (number % 3_650) } }),
  },
  entries: {
    operation: 'createEntries',
    create: ({ things }, marker) => ({
      params: { entryTypeId: things.typeId },
      body: {
        storeRequests: [-1, -2, -3].flatMap((entryId) =>
          things.items(entryId, { Name: `${marker} ${entryId}`, Note: marker, Memo: marker }),
        ),
      },
    }),
  },
  entryWithFile: {
    operation: 'createEntries',
    create: ({ things }, marker) => ({
      params: { entryTypeId: things.typeId },
      body: createForm(
        {
          storeRequests: things.items(-1, { Name: marker }),
          binaryStoreRequests: [{ entryId: -1, fieldId: things.field('Plan').id, name: `${marker}.txt` }],
        },
        'files',
        `${marker}.txt`,
        new TextEncoder().encode(`Plan of ${marker}`),
      ),
    }),
  },
  entryChange: {
    operation: 'updateEntries',
    create: ({ things, entryIds }, marker) => ({
      params: { entryTypeId: things.typeId },
      body: { storeRequests: entryIds.flatMap((entryId) => things.items(entryId, { Memo: marker })) },
    }),
  },
  entryType: {
    operation: 'createEntryType',
    create: (_site, marker) => ({
      body: { apiName: marker, singularName: marker, pluralName: `${marker}s` },
    }),
  },
  field: {
    operation: 'createField',
    create: ({ typeIds }, marker, number) => ({
      params: { entryTypeId: typeIds[number % typeIds.length] ?? 0 },
      body: {
        apiName: marker,
        name: marker,
        fieldType: 2,
        choiceValues: [{ name: `${marker} one` }, { name: `${marker} two` }],
      },
    }),
  },
  view: {
    operation: 'createView',
    create: ({ things }, marker) => ({
      params: { entryTypeId: things.typeId },
      body: {
        name: marker,
        search: marker,
        query: '',
        sort: '',
        columns: { order: [], hidden: [], widths: {}, frozen: 1 },
      },
    }),
  },
  tableView: {
    operation: 'createTableView',
    create: (_site, marker) => ({
      params: { table: 'users' },
      body: { name: marker, address: '', layout: { order: [], hidden: [], widths: {} } },
    }),
  },
  investigation: {
    operation: 'createInvestigation',
    create: (_site, marker) => ({ body: { name: marker, query: {} } }),
  },
  topic: {
    operation: 'createTopicDefinition',
    create: ({ typeIds }, marker) => ({
      body: { name: marker, format: 'Rows', entryTypes: [{ entryTypeId: typeIds[0] }] },
    }),
  },
  destination: {
    operation: 'createDestination',
    create: ({ topicId }, marker) => ({ body: { topicId, name: marker, url: `https://${marker}.test/` } }),
  },
  exclusion: {
    operation: 'createExclusion',
    create: (_site, marker) => ({ body: { value: `${marker}.test` } }),
  },
  template: {
    operation: 'createReportTemplate',
    create: ({ things, template }, marker) => ({
      body: createForm(
        { name: marker, entryTypeId: things.typeId },
        'file',
        `${marker}.docx`,
        new Uint8Array(template),
      ),
    }),
  },
  agentKey: { operation: 'createAgentKey', create: (_site, marker) => ({ body: { name: marker } }) },
};
const KINDS = Object.keys(WRITES);
/** Areas with operations other than GET and without a write here, with the reason. */
const AREAS_WITHOUT_WRITES: Readonly<Record<string, string>> = {
  jobs: 'processes go on changing a job after a kill; areas/jobs/crash.test.ts kills them',
  'schema-impact': 'its operation reads',
};
/**
 * Tables between which the traces of a kind move: the next write of this kind replaces the value, and its record then holds it as
 * the one before.
 */
const REPLACED_VALUES: Readonly<Record<string, readonly string[]>> = {
  userChange: ['account', 'audit_log'],
  entryChange: ['entry', 'cell_log'],
  siteSettings: ['site', 'audit_log'],
  approvedAddresses: ['approved_address', 'audit_log'],
};
/** Tables whose rows quote the value of a kind when other writes leave them: mails name the site and the person who writes. */
const QUOTED_VALUES: Readonly<Record<string, readonly string[]>> = {
  userChange: ['mail'],
  siteSettings: ['mail'],
};
/** Subjects of each kind: the first two of each write, and those that writers reach until a kill. */
const getSubjectCount = (kills: number): number => 80 + 12 * kills;

/** A write that was sent. */
interface SentWrite {
  kind: string;
  isAcknowledged: boolean;
  subject: Subject | undefined;
}

/** Text that names a write (`w`), or a member or guest (`m`, `g`). */
const formatMarker = (letter: 'w' | 'm' | 'g', number: number): string =>
  `${letter}${String(number).padStart(6, '0')}x`;

/** Creates people with a membership, a session and a group that may read and use the interface. */
async function makeSubjects(
  db: Db,
  siteId: number,
  letter: 'm' | 'g',
  count: number,
): Promise<readonly Subject[]> {
  const people = Array.from({ length: count }, (_each, number) => {
    const cookie = crypto.randomUUID();
    return { number, email: `${formatMarker(letter, number)}@crash.test`, cookie };
  });
  const { rows } = await sql<{ email: string; userId: number }>`
    with added as (
      insert into account (email, email_key, first_name, last_name, home_site_id)
      select email, email, 'P', 'Q', ${siteId}::int from unnest(${people.map(({ email }) => email)}::text[]) as email
      returning user_id, email),
    joined as (insert into membership (site_id, user_id, license_type_id) select ${siteId}::int, user_id, 1 from added)
    select email, user_id as "userId" from added`.execute(db);
  const groupId = await makeGroup(db, siteId, ['Read Data', 'Access Web Service']);
  await sql`insert into group_member (site_id, group_id, user_id)
    select ${siteId}::int, ${groupId}::int, unnest(${rows.map(({ userId }) => userId)}::int[])`.execute(db);
  const userIds = new Map(rows.map(({ email, userId }) => [email, userId]));
  const subjects = people.map((person) => ({ ...person, userId: userIds.get(person.email) ?? 0 }));
  await sql`insert into session (token_hash, site_id, user_id, expires_at)
    select hash, ${siteId}::int, user_id, now() from unnest(
      ${subjects.map(({ cookie }) => hashSecret(cookie))}::bytea[], ${subjects.map(({ userId }) => userId)}::int[]) as s (hash, user_id)`.execute(
    db,
  );
  return subjects;
}

async function prepare(place: TestDatabase, subjectCount: number): Promise<Site> {
  const database = await openDatabase(place);
  const { db } = database;
  const app = await createTestApp(database);
  const things = await makeThings({ app, db });
  const { siteId, person, api } = things;
  const entryIds = await things.create({ Name: 'One' }, { Name: 'Two' }, { Name: 'Three' });
  const types = await Promise.all(
    Array.from({ length: 40 }, (_each, index) => `Type ${index}`).map((name) =>
      api.post<{ id: number }>('/api/rest/v4/schema/entrytypes', {
        apiName: name.replace(' ', ''),
        singularName: name,
        pluralName: name,
      }),
    ),
  );
  const typeIds = types.map(({ body }) => body.id);
  const groupIds = [await makeGroup(db, siteId), await makeGroup(db, siteId)];
  await enableRelationships(db, siteId, [person.userId]);
  await makeAgentKey({ app, db }, person);
  await db.insertInto('platform_administrator').values({ user_id: person.userId }).execute();
  await sql`update site set may_manage_existing_users = true, dedicated_domain = 'crash.test' where site_id = ${siteId}`.execute(
    db,
  );
  const subjects = {
    member: await makeSubjects(db, siteId, 'm', subjectCount),
    guest: await makeSubjects(db, await makeSite(db), 'g', subjectCount),
  };
  const cookie = await openSession(db, siteId, person.userId);
  // No session or token ends by itself while the test runs, which may take hours.
  await sql`update session set proven_at = now() + interval '1 day', last_seen_at = now() + interval '1 day',
    expires_at = now() + interval '1 day'`.execute(db);
  await sql`update access_token set expires_at = now() + interval '1 day'`.execute(db);
  const { body: topics } = await api.get<{ id: number; name: string }[]>(
    '/api/rest/v1/publication/topicdefinitions',
  );
  const topicId = topics.find(({ name }) => name === 'default-schema')?.id ?? 0;
  const template = await makeDocx(paragraph('{Name}'));
  await app.close();
  await database.close();
  return { things, cookie, entryIds, typeIds, groupIds, topicId, template, subjects };
}

const operations = new Map(contract.operations.map((operation) => [operation.id, operation]));

/** Sends writes to one process after the other, and remembers them. */
function createWriters(site: Site) {
  const sent = new Map<number, SentWrite>();
  const refusals: string[] = [];
  const used: Record<SubjectKind, number> = { member: 0, guest: 0 };
  /** A person whom no other write changes. */
  const takeSubject = (kind: SubjectKind): Subject => {
    const subject = site.subjects[kind][used[kind]];
    used[kind] += 1;
    // The last one stays as it was.
    if (!subject || used[kind] >= site.subjects[kind].length) throw new Error(`No ${kind} is left`);
    return subject;
  };
  const counts = new Map<string, number>();
  /** Whether the service accepts another write of the kind. */
  const isAccepted = (kind: string): boolean =>
    (counts.get(kind) ?? 0) < (WRITES[kind]?.maxPerHour ?? Infinity);
  const send = async (address: string, kind: string): Promise<boolean> => {
    const number = sent.size + 1;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const definition = WRITES[kind];
    const operation = operations.get(definition?.operation ?? '');
    if (!definition || !operation) throw new Error(`There is no operation for ${kind}`);
    const subject = definition.subject && takeSubject(definition.subject);
    const write: SentWrite = { kind, isAcknowledged: false, subject };
    sent.set(number, write);
    const marker = formatMarker('w', number);
    const { params = {}, body } = definition.create(site, marker, number, subject ?? NOBODY);
    const path = operation.url.replaceAll(/:(\w+)/g, (_, name: string) => String(params[name]));
    const isForm = body instanceof FormData;
    const isOfConsole = operation.isConsoleOnly || definition.isOwn;
    const cookie = definition.isOwn ? subject?.cookie : site.cookie;
    try {
      const response = await fetch(`${address}${isOfConsole ? '/console' : ''}${path}`, {
        method: operation.method,
        headers: {
          'x-request-id': marker,
          ...(body && !isForm && { 'content-type': 'application/json' }),
          ...(isOfConsole
            ? { cookie: `steward=${cookie}`, 'x-steward-console': '1' }
            : { authorization: `Bearer ${site.things.person.token}` }),
        },
        ...(body && { body: isForm ? body : JSON.stringify(body) }),
      });
      const answer = await response.text();
      write.isAcknowledged = response.ok;
      if (!response.ok) refusals.push(`${kind}: ${response.status} ${answer}`);
      return true;
    } catch {
      return false;
    }
  };
  return { sent, refusals, isAccepted, send };
}
const LETTERS = { member: 'm', guest: 'g' } as const;
const NOBODY: Subject = { number: 0, userId: 0, email: '', cookie: '' };

/** Numbers of rows that name a write or a subject, by table. */
type Traces = Readonly<Record<string, number>>;

/** Traces of a kind as text, with those in the tables of a replaced value as one number. */
function joinTraces(kind: string, traces: Traces): string {
  const { [kind]: replaced = [] } = REPLACED_VALUES;
  const { [kind]: quoting = [] } = QUOTED_VALUES;
  const joined: Record<string, number> = {};
  for (const [table, count] of Object.entries(traces)) {
    if (quoting.includes(table)) continue;
    const name = replaced.includes(table) ? replaced.join(' + ') : table;
    joined[name] = (joined[name] ?? 0) + count;
  }
  return (
    Object.entries(joined)
      .filter(([, count]) => count !== 0)
      // Each change of an entry type stores its whole definition.
      .map(([name, count]) => (name === 'entry_type_definition' ? name : `${name}: ${count}`))
      .join(', ')
  );
}

/** What a subject has more, or less, than one that no write has changed. */
function subtract(traces: Traces, untouched: Traces): Traces {
  const names = [...new Set([...Object.keys(traces), ...Object.keys(untouched)])];
  return Object.fromEntries(names.map((name) => [name, (traces[name] ?? 0) - (untouched[name] ?? 0)]));
}

/** What the database holds of every write and subject, by marker; of users also by id. */
async function readTraces(db: Db): Promise<{ byMarker: Map<string, Traces>; byUser: Map<number, Traces> }> {
  const byMarker = new Map<string, Traces>();
  const byUser = new Map<number, Traces>();
  for (const { name, columns } of await listTables(db)) {
    const { rows } = await sql<{ marker: string; count: number }>`
      select marker, count(*)::int as count from (
        select distinct row, (regexp_matches(content, '[wmg][0-9]{6}x', 'g'))[1] as marker
        from (select row_number() over () as row, t::text as content from ${sql.table(name)} t) as rows
      ) as found group by marker`.execute(db);
    for (const { marker, count } of rows) byMarker.set(marker, { ...byMarker.get(marker), [name]: count });
    if (!columns.includes('user_id')) continue;
    const { rows: users } = await sql<{ userId: number; count: number }>`
      select user_id as "userId", count(*)::int as count from ${sql.table(name)} where user_id is not null group by user_id`.execute(
      db,
    );
    for (const { userId, count } of users)
      byUser.set(userId, { ...byUser.get(userId), [`${name} of the user`]: count });
  }
  const { rows } = await sql<{ userId: number; license: number }>`
    select user_id as "userId", license_type_id as license from membership`.execute(db);
  for (const { userId, license } of rows)
    byUser.set(userId, { ...byUser.get(userId), 'license type': license });
  return { byMarker, byUser };
}

const distributed: readonly string[] = DISTRIBUTED_TABLES;

/** Kinds whose row was not written by the transaction of their latest record. */
async function findUnrecordedRows(db: Db, siteId: number): Promise<readonly string[]> {
  const unrecorded: string[] = [];
  for (const [kind, { singleRow }] of Object.entries(WRITES)) {
    // Servers of a cluster number their transactions independently.
    if (!singleRow || (isOnCitus && distributed.includes(singleRow.table))) continue;
    const { rows } = await sql<{ isRecorded: boolean }>`
      select t.xmin = (select a.xmin from audit_log a where a.site_id = ${siteId} and a.action = ${singleRow.action}
        order by audit_id desc limit 1) as "isRecorded" from ${sql.table(singleRow.table)} t where t.site_id = ${siteId}`.execute(
      db,
    );
    if (rows.length !== 1 || rows[0]?.isRecorded !== true) unrecorded.push(kind);
  }
  return unrecorded;
}

/** Topics whose events are not numbered without a gap up to the next one. */
async function findGaps(db: Db): Promise<readonly object[]> {
  const { rows } = await sql<object>`
    select name, next::int, count(*)::int as events, min(off)::int as first, max(off)::int as last
    from ${sql.raw(TOPIC_MESSAGES)} as message group by site_id, name, next
    having count(*) <> max(off) - min(off) + 1 or max(off) + 1 <> next`.execute(db);
  return rows;
}

test('every area with operations that write has a write here, or a reason why it has none', () => {
  const written = new Set(Object.values(WRITES).map(({ operation }) => operation));
  const missing = areas
    .map(({ name, handlers = {}, ownRoutes = [] }: AreaDefinition) => ({
      name,
      ids: [...Object.keys(handlers), ...ownRoutes].filter((id) => operations.get(id)?.method !== 'GET'),
    }))
    .filter(({ ids }) => ids.length > 0 && !ids.some((id) => written.has(id)))
    .map(({ name }) => name);
  expect(missing.toSorted()).toEqual(Object.keys(AREAS_WITHOUT_WRITES).toSorted());
});

/** Kills the service of a new database while clients write, and compares what is stored with the model. */
async function runRound(
  kind: DatabaseKind,
  kills: number,
  { random, report }: Pick<ReturnType<typeof startKills>, 'random' | 'report'>,
): Promise<{ writes: number; acknowledged: number; stored: number }> {
  const place = await createTestDatabase(kind);
  onTestFinished(() => place.remove());
  const site = await prepare(place, getSubjectCount(kills));
  const { sent, refusals, isAccepted, send } = createWriters(site);
  const env = { TRUSTED_PROXIES: '127.0.0.1', STEWARD_MAX_REQUESTS: '0' };

  /** What each write has left behind. */
  const readWrites = async () => {
    const { db, close } = await openDatabase(place);
    const { byMarker, byUser } = await readTraces(db);
    const gaps = await findGaps(db);
    const unrecorded = await findUnrecordedRows(db, site.things.siteId);
    await close();
    const readSubject = (letter: 'm' | 'g', subject: Subject): Traces => ({
      ...byMarker.get(formatMarker(letter, subject.number)),
      ...byUser.get(subject.userId),
    });
    const readSubjectChange = (subjectKind: SubjectKind, subject: Subject): Traces => {
      const letter = LETTERS[subjectKind];
      const untouched = site.subjects[subjectKind].at(-1) ?? NOBODY;
      return subtract(readSubject(letter, subject), readSubject(letter, untouched));
    };
    const writes = [...sent].map(([number, write]) => {
      const subjectKind = WRITES[write.kind]?.subject;
      const traces = {
        ...byMarker.get(formatMarker('w', number)),
        ...(subjectKind && write.subject && readSubjectChange(subjectKind, write.subject)),
      };
      return { ...write, number, traces: joinTraces(write.kind, traces) };
    });
    return { writes, gaps, unrecorded };
  };

  const undisturbed = await startService(place, env);
  for (const each of [...KINDS, ...KINDS]) await send(undisturbed.address, each);
  undisturbed.child.kill('SIGKILL');
  await undisturbed.exited;
  expect(refusals).toEqual([]);
  const { writes: first, unrecorded: unrecordedAtFirst } = await readWrites();
  const model = new Map(first.map(({ kind: each, traces }) => [each, traces]));
  // Both writes of a kind left the same traces, an audit row among them.
  expect(first.filter(({ kind: each, traces }) => traces !== model.get(each))).toEqual([]);
  expect(first.filter(({ traces }) => !/audit_log: \d/.test(traces))).toEqual([]);
  // What has no marker is seen by its subject.
  const unseen = first.filter(
    ({ subject, traces }) => subject && !/(of the user|license type): /.test(traces),
  );
  expect(unseen).toEqual([]);
  expect(unrecordedAtFirst).toEqual([]);

  const isWhole = (write: SentWrite & { traces: string }) => write.traces === model.get(write.kind);
  for (let kill = 1; kill <= kills; kill += 1) {
    const service = await startService(place, env);
    let remaining = random.between(1, MAX_ANSWERS);
    const firstKind = random.between(0, KINDS.length - 1);
    const runWriter = async (writer: number): Promise<void> => {
      // One writer alone replaces rows without a marker, so that the latest record is that of the row.
      const kinds = writer === 0 ? KINDS : KINDS.filter((each) => !WRITES[each]?.singleRow);
      for (let count = firstKind + Math.floor((writer * kinds.length) / WRITERS); ; count += 1) {
        const each = kinds[count % kinds.length] ?? '';
        if (!isAccepted(each)) continue;
        if (!(await send(service.address, each))) return;
        remaining -= 1;
        if (remaining === 0) service.child.kill('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_each, writer) => runWriter(writer)));
    await service.exited;
  }

  const { writes, gaps, unrecorded } = await readWrites();
  const broken = writes.filter((write) => !isWhole(write) && (write.isAcknowledged || write.traces !== ''));
  if (broken.length > 0) {
    const lost = broken.filter(({ isAcknowledged }) => isAcknowledged).length;
    report({ kills, writes: sent.size, lost, half: broken.length - lost });
  }
  expect({ broken, gaps, unrecorded, refusals }).toEqual({
    broken: [],
    gaps: [],
    unrecorded: [],
    refusals: [],
  });
  const acknowledged = writes.filter(({ isAcknowledged }) => isAcknowledged).length;
  return { writes: writes.length, acknowledged, stored: writes.filter(isWhole).length };
}

onEachKind((kind) => {
  const kills = getKillCount(kind, SHARE, PROOF_KILLS);
  test(
    `${kills} kills leave every write of every area whole or absent, and none that was acknowledged is lost`,
    async () => {
      const { random, report } = startKills('writes of every area', kind);
      const total = { writes: 0, acknowledged: 0, stored: 0 };
      for (let done = 0; done < kills; done += KILLS_PER_ROUND) {
        const round = await runRound(kind, Math.min(KILLS_PER_ROUND, kills - done), { random, report });
        total.writes += round.writes;
        total.acknowledged += round.acknowledged;
        total.stored += round.stored;
        console.log(
          `${kind}: ${Math.min(kills, done + KILLS_PER_ROUND)} of ${kills} kills, ${total.writes} writes, ${total.stored} stored, none lost or half`,
        );
      }
      report({ kills, kinds: KINDS.length, ...total, lost: 0, half: 0 });
      expect(total.stored).toBeGreaterThanOrEqual(total.acknowledged);
    },
    300_000 + kills * 30_000,
  );
});
