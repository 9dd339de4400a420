/**
 * Kill -9 while clients write to every area. The model is what an undisturbed write of the same kind leaves behind: the number of
 * rows of each table that name it. After a kill a write has left exactly these rows or none, and all of them if it was acknowledged.
 */
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { type Db, openDatabase } from '../kernel/db/database.ts';
import { listTables } from '../kernel/db/table-digest.ts';
import { makeAgentKey } from '../testing/agents.ts';
import { createTestDatabase, onEachKind, type TestDatabase } from '../testing/databases.ts';
import { makeDocx, paragraph } from '../testing/documents.ts';
import { DATA, makeThings, SCHEMA, type Things } from '../testing/entries.ts';
import { getKillCount } from '../testing/processes/kills.ts';
import { startService } from '../testing/processes/service-process.ts';
import { enableRelationships } from '../testing/relationships.ts';
import { createTestApp, openSession } from '../testing/site.ts';

const SHARE = { embedded: 1, postgres: 2 };
const WRITERS = 6;
/** Kills between two comparisons with the model, which read the whole database: at least 5, and 20 comparisons in a long run. */
const getKillsPerCheck = (kills: number): number => Math.max(5, Math.ceil(kills / 20));
/** A kill comes with one of the first answers of a process. */
const MAX_ANSWERS = 40;

const MANAGEMENT = '/api/rest/v1/management';
const REPORTS = '/api/rest/v4/templatereports';

interface Site {
  things: Things;
  /** Session of the person, for operations of the console. */
  cookie: string;
  /** Entries that writes change. */
  entryIds: readonly number[];
  /** Entry types that get fields. */
  typeIds: readonly number[];
  /** A topic that no other write uses. */
  topicId: number;
  template: Buffer;
}

interface Write {
  path: string;
  method?: 'PUT';
  /** A form with a file, or JSON. */
  body: object;
  /** Sent with the session instead of the token. */
  isConsoleOnly?: boolean;
}

/** A write of each kind, whose texts contain the marker. */
const WRITES: Readonly<Record<string, (marker: string, site: Site, number: number) => Write>> = {
  user: (marker) => ({
    path: `${MANAGEMENT}/user`,
    body: { email: `${marker}@crash.test`, firstName: marker, lastName: marker },
  }),
  userChange: (marker, { things }) => ({
    path: `${MANAGEMENT}/user`,
    method: 'PUT',
    body: { id: things.person.userId, lastName: marker },
  }),
  group: (marker) => ({
    path: `${MANAGEMENT}/user/group`,
    body: { name: marker, capabilities: ['Read Data', 'View Activity'] },
  }),
  entries: (marker, { things }) => ({
    path: `${DATA}/entrydata/${things.typeId}`,
    body: {
      storeRequests: [-1, -2, -3].flatMap((entryId) =>
        things.items(entryId, { Name: `${marker} ${entryId}`, Note: marker, Memo: marker }),
      ),
    },
  }),
  entryChange: (marker, { things, entryIds }) => ({
    path: `${DATA}/entrydata/${things.typeId}`,
    method: 'PUT',
    body: { storeRequests: entryIds.flatMap((entryId) => things.items(entryId, { Memo: marker })) },
  }),
  entryType: (marker) => ({
    path: `${SCHEMA}/entrytypes`,
    body: { apiName: marker, singularName: marker, pluralName: `${marker}s` },
  }),
  field: (marker, { typeIds }, number) => ({
    path: `${SCHEMA}/entrytypes/${typeIds[number % typeIds.length]}/fields`,
    body: {
      apiName: marker,
      name: marker,
      fieldType: 2,
      choiceValues: [{ name: `${marker} one` }, { name: `${marker} two` }],
    },
  }),
  view: (marker, { things }) => ({
    path: `${SCHEMA}/entrytypes/${things.typeId}/views`,
    body: {
      name: marker,
      search: marker,
      query: '',
      sort: '',
      columns: { order: [], hidden: [], widths: {}, frozen: 1 },
    },
  }),
  tableView: (marker) => ({
    path: `${MANAGEMENT}/tables/users/views`,
    body: { name: marker, address: '', layout: { order: [], hidden: [], widths: {} } },
    isConsoleOnly: true,
  }),
  investigation: (marker) => ({
    path: `${MANAGEMENT}/user/activity/investigations`,
    body: { name: marker, query: {} },
  }),
  topic: (marker, { typeIds }) => ({
    path: '/api/rest/v1/publication/topicdefinitions',
    body: { name: marker, format: 'Rows', entryTypes: [{ entryTypeId: typeIds[0] }] },
  }),
  destination: (marker, { topicId }) => ({
    path: '/api/rest/v1/publication/destinations',
    body: { topicId, name: marker, url: `https://${marker}.test/` },
  }),
  exclusion: (marker) => ({ path: '/api/rest/v4/ri/exclusions', body: { value: `${marker}.test` } }),
  template: (marker, { things, template }) => {
    const form = new FormData();
    form.append('model', JSON.stringify({ name: marker, entryTypeId: things.typeId }));
    form.append('file', new Blob([new Uint8Array(template)]), `${marker}.docx`);
    return { path: REPORTS, body: form };
  },
  agentKey: (marker) => ({ path: '/api/agent/keys', body: { name: marker }, isConsoleOnly: true }),
};
const KINDS = Object.keys(WRITES);
/**
 * Tables between which the traces of a kind move: the next write of this kind replaces the value, and its record then holds it as
 * the one before.
 */
const REPLACED_VALUES: Readonly<Record<string, readonly string[]>> = {
  userChange: ['account', 'audit_log'],
  entryChange: ['entry', 'cell_log'],
};

/** A write that was sent. */
interface SentWrite {
  kind: string;
  isAcknowledged: boolean;
}

const formatMarker = (number: number): string => `w${String(number).padStart(6, '0')}x`;

async function prepare(place: TestDatabase): Promise<Site> {
  const database = await openDatabase(place);
  const { db } = database;
  const app = await createTestApp(database);
  const things = await makeThings({ app, db });
  const { siteId, person, api } = things;
  const entryIds = await things.create({ Name: 'One' }, { Name: 'Two' }, { Name: 'Three' });
  const types = await Promise.all(
    Array.from({ length: 40 }, (_each, index) => `Type ${index}`).map((name) =>
      api.post<{ id: number }>(`${SCHEMA}/entrytypes`, {
        apiName: name.replace(' ', ''),
        singularName: name,
        pluralName: name,
      }),
    ),
  );
  const typeIds = types.map(({ body }) => body.id);
  await enableRelationships(db, siteId, [person.userId]);
  await makeAgentKey({ app, db }, person);
  const cookie = await openSession(db, siteId, person.userId);
  await sql`update session set proven_at = now() + interval '1 day', expires_at = now() + interval '1 day'`.execute(
    db,
  );
  const { body: topics } = await api.get<{ id: number; name: string }[]>(
    '/api/rest/v1/publication/topicdefinitions',
  );
  const topicId = topics.find(({ name }) => name === 'default-schema')?.id ?? 0;
  const template = await makeDocx(paragraph('{Name}'));
  await app.close();
  await database.close();
  return { things, cookie, entryIds, typeIds, topicId, template };
}

/** Sends writes to one process after the other, and remembers them. */
function createWriters(site: Site) {
  const sent = new Map<number, SentWrite>();
  const refusals: string[] = [];
  const send = async (address: string, kind: string): Promise<boolean> => {
    const number = sent.size + 1;
    const write: SentWrite = { kind, isAcknowledged: false };
    sent.set(number, write);
    const marker = formatMarker(number);
    const {
      path,
      method = 'POST',
      body,
      isConsoleOnly,
    } = WRITES[kind]?.(marker, site, number) ?? { path: '', body: {} };
    const isForm = body instanceof FormData;
    try {
      const response = await fetch(`${address}${isConsoleOnly ? '/console' : ''}${path}`, {
        method,
        headers: {
          'x-request-id': marker,
          ...(!isForm && { 'content-type': 'application/json' }),
          ...(isConsoleOnly
            ? { cookie: `steward=${site.cookie}`, 'x-steward-console': '1' }
            : { authorization: `Bearer ${site.things.person.token}` }),
        },
        body: isForm ? body : JSON.stringify(body),
      });
      const answer = await response.text();
      write.isAcknowledged = response.ok;
      if (!response.ok) refusals.push(`${kind}: ${response.status} ${answer}`);
      return true;
    } catch {
      return false;
    }
  };
  return { sent, refusals, send };
}

/** Numbers of rows that name a write, by table. */
type Traces = Readonly<Record<string, number>>;

/** Traces as text, with those in the tables of a replaced value as one number. */
function joinTraces(traces: Traces, replaced: readonly string[]): string {
  const joined: Record<string, number> = {};
  for (const [table, count] of Object.entries(traces)) {
    const name = replaced.includes(table) ? replaced.join(' + ') : table;
    joined[name] = (joined[name] ?? 0) + count;
  }
  return (
    Object.entries(joined)
      // Each change of an entry type stores its whole definition.
      .map(([name, count]) => (name === 'entry_type_definition' ? name : `${name}: ${count}`))
      .join(', ')
  );
}

/** What the database holds of every write, by its number. */
async function readTraces(db: Db): Promise<Map<number, Traces>> {
  const traces = new Map<number, Record<string, number>>();
  for (const { name } of await listTables(db)) {
    const { rows } = await sql<{ number: number; count: number }>`
      select number::int, count(*)::int as count from (
        select distinct row, (regexp_matches(content, 'w([0-9]{6})x', 'g'))[1] as number
        from (select row_number() over () as row, t::text as content from ${sql.table(name)} t) as rows
      ) as found group by number`.execute(db);
    for (const { number, count } of rows) traces.set(number, { ...traces.get(number), [name]: count });
  }
  return traces;
}

/** Topics whose events are not numbered without a gap up to the next one. */
async function findGaps(db: Db): Promise<readonly object[]> {
  const { rows } = await sql<object>`
    select t.name, t.next::int, count(e.off)::int as events, min(e.off)::int as first, max(e.off)::int as last
    from topic t join topic_event e on e.site_id = t.site_id and e.topic_id = t.topic_id
    group by t.site_id, t.topic_id, t.name, t.next
    having count(*) <> max(e.off) - min(e.off) + 1 or max(e.off) + 1 <> t.next`.execute(db);
  return rows;
}

onEachKind((kind) => {
  const kills = getKillCount(kind, SHARE);
  test(
    `${kills} kills leave every write of every area whole or absent, and none that was acknowledged is lost`,
    async () => {
      const place = await createTestDatabase(kind);
      onTestFinished(() => place.remove());
      const site = await prepare(place);
      const { sent, refusals, send } = createWriters(site);
      const env = { TRUSTED_PROXIES: '127.0.0.1', STEWARD_MAX_REQUESTS: '0' };

      /** What each write has left behind. */
      const readWrites = async () => {
        const { db, close } = await openDatabase(place);
        const traces = await readTraces(db);
        const gaps = await findGaps(db);
        await close();
        const writes = [...sent].map(([number, write]) => ({
          ...write,
          number,
          traces: joinTraces(traces.get(number) ?? {}, REPLACED_VALUES[write.kind] ?? []),
        }));
        return { writes, gaps };
      };

      const undisturbed = await startService(place, env);
      for (const each of [...KINDS, ...KINDS]) await send(undisturbed.address, each);
      undisturbed.child.kill('SIGKILL');
      await undisturbed.exited;
      expect(refusals).toEqual([]);
      const { writes: first } = await readWrites();
      const model = new Map(first.map(({ kind: each, traces }) => [each, traces]));
      // Both writes of a kind left the same traces, an audit row among them.
      expect(first.filter(({ kind: each, traces }) => traces !== model.get(each))).toEqual([]);
      expect(first.filter(({ traces }) => !/audit_log: [12]/.test(traces))).toEqual([]);

      const isWhole = (write: SentWrite & { traces: string }) => write.traces === model.get(write.kind);
      const check = async (): Promise<number> => {
        const { writes, gaps } = await readWrites();
        const broken = writes.filter(
          (write) => !isWhole(write) && (write.isAcknowledged || write.traces !== ''),
        );
        expect({ broken, gaps }).toEqual({ broken: [], gaps: [] });
        return writes.filter(isWhole).length;
      };

      let stored = 0;
      for (let kill = 1; kill <= kills; kill += 1) {
        const service = await startService(place, env);
        let remaining = 1 + Math.floor(Math.random() * MAX_ANSWERS);
        const runWriter = async (writer: number): Promise<void> => {
          for (let count = writer; ; count += 1) {
            if (!(await send(service.address, KINDS[count % KINDS.length] ?? ''))) return;
            remaining -= 1;
            if (remaining === 0) service.child.kill('SIGKILL');
          }
        };
        await Promise.all(Array.from({ length: WRITERS }, (_each, writer) => runWriter(writer + kill)));
        await service.exited;
        if (kill % getKillsPerCheck(kills) !== 0 && kill !== kills) continue;
        stored = await check();
        console.log(
          `${kind}: ${kill} of ${kills} kills, ${sent.size} writes, ${stored} stored, none lost or half`,
        );
      }
      const acknowledged = [...sent.values()].filter(({ isAcknowledged }) => isAcknowledged).length;
      console.log(
        `${kind}: ${kills} kills, ${sent.size} writes of ${KINDS.length} kinds, ${acknowledged} acknowledged, ${stored} stored`,
      );
      expect(refusals).toEqual([]);
    },
    120_000 + kills * 20_000,
  );
});
