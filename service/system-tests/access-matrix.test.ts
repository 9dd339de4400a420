/**
 * Rights on two sites: every operation in both APIs, by nine kinds of callers, with what a site of their own has and with
 * what another site has (T03, T04). The refusals that are expected follow from the contract alone.
 */
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { getActingRefusal } from '../../contract/rules/people/proxies.ts';
import { openAndReadBackup } from '../cli/restore/restore-backup.ts';
import type { Db } from '../kernel/db/database.ts';
import { digestTable, listTables } from '../kernel/db/table-digest.ts';
import type { Operation } from '../kernel/http/contract.ts';
import { loadInstallationMetrics } from '../kernel/installation/metrics.store.ts';
import { runDueJobs } from '../kernel/jobs/run-jobs.ts';
import { createLog } from '../kernel/telemetry/log.ts';
import { formatMetrics } from '../kernel/telemetry/metrics.ts';
import { callTool, readTool } from '../testing/agents.ts';
import { platformOperations, publicOperations } from '../testing/authorization.ts';
import { makeBackup, makeQueuedBackups } from '../testing/backups.ts';
import { createApiClient, type Reply, sendForm } from '../testing/calls.ts';
import { DATA } from '../testing/entries/entries.ts';
import { readMember } from '../testing/files/documents.ts';
import { buildRequest, createRequests, type RequestPlan } from '../testing/fuzz/requests.ts';
import { fuzz, LogCollector } from '../testing/fuzz/run.ts';
import {
  CALLER_KINDS,
  type CallerKind,
  createFuzzWorld,
  type FuzzWorld,
  type Surface,
} from '../testing/fuzz/world.ts';
import { createJobContext, exportFile } from '../testing/jobs.ts';
import { isOnCitus } from '../testing/servers/citus.ts';
import { contract, onEachApp, services } from '../testing/site.ts';

/** Text in the names and entries of the other site. */
const MARKER = 'okapi-of-the-other-site';
const OWN_MARKER = 'quagga-of-the-own-site';
/** Ids of the other site begin here, and no other ids are as large. */
const FIRST_ID = 5_000_003;
const IDS = /\b5\d{6}\b/g;

const REPORTS = '/api/rest/v4/templatereports';

const isProof = process.env['STEWARD_PROOF'] !== undefined;
/** `npm test` takes every eleventh cell, `npm run proof` all of them. */
const STEP = isProof ? 1 : 11;

/** Operations that find people of other sites by their address, which is what they are for. */
const FINDS_PEOPLE = new Set([
  'addExistingUser',
  'addExistingUserAlias',
  'inviteExistingUser',
  'startInvitations',
]);

/** Operations that refuse what a request names or proves, whoever sends it: credentials, a site, a list, the job or report of somebody else, a scope. */
const JUDGES_REQUEST = new Set([
  'signIn',
  'finishIdentitySignIn',
  'signInWithPasskey',
  'switchSite',
  'listTableViews',
  'createTableView',
  'setDefaultTableView',
  'updateTableView',
  'deleteTableView',
  'resumeJob',
  'downloadReport',
  'compareReportRuns',
  'enableApiKey',
]);

interface Cell {
  operation: Operation;
  surface: Surface;
  caller: CallerKind;
  /** Site whose ids and names the request holds. */
  site: 'own' | 'other';
}

/** The request without what makes it invalid on purpose. */
const simplify = ({ mutation: _mutation, text: _text, ...plan }: RequestPlan): RequestPlan => ({
  ...plan,
  headers: {},
});

const getSurfaces = ({ id, access, isConsoleOnly }: Operation): readonly Surface[] => {
  if (id === 'issueToken' || access === 'agent') return ['program'];
  return isConsoleOnly ? ['console'] : ['program', 'console'];
};

const cells: readonly Cell[] = contract.operations.flatMap((operation) =>
  getSurfaces(operation).flatMap((surface) =>
    CALLER_KINDS.flatMap((caller) =>
      (['other', 'own'] as const).map((site) => ({ operation, surface, caller, site })),
    ),
  ),
);

/** Capabilities of readers, and of the user for whom the proxy acts. */
const READER_CAPABILITIES: ReadonlySet<string> = new Set(['Read Data', 'Access Web Service']);

/** The status of the refusal that the contract requires, whatever the request names; undefined: the caller may call the operation. */
function findRefusal({ operation, surface, caller }: Cell): number | undefined {
  const { id, access, capabilities, capabilityStatus, scope, allowedPendingStep } = operation;
  if (publicOperations.has(id)) return undefined;
  if (caller === 'anonymous' || caller === 'invalid') return 401;
  // The key of the agent stands for the caller.
  if (access === 'agent') return undefined;
  if (surface === 'console' && caller === 'half')
    return allowedPendingStep === 'two-factor' ? undefined : 401;
  if (platformOperations.has(id)) return caller === 'platform' ? undefined : 403;
  const isActing = surface === 'program' && caller === 'proxy';
  if (isActing && getActingRefusal(operation) !== undefined) return 403;
  if (caller !== 'reader' && !isActing) return undefined;
  const isCapable = capabilities.length === 0 || capabilities.some((each) => READER_CAPABILITIES.has(each));
  if (!isCapable) return surface === 'program' ? capabilityStatus : 403;
  const lacksScope = surface === 'program' && !isActing && scope !== undefined && scope !== 'data';
  return lacksScope ? 403 : undefined;
}

/** Marks what has a name, so that no response about the site can go unnoticed. */
async function markSite({ db, siteId, things, values }: FuzzWorld): Promise<void> {
  for (const [table, column] of [
    ['site', 'name'],
    ['user_group', 'name'],
    ['entry_type', 'singular_name'],
    ['report_template', 'name'],
    ['investigation', 'name'],
  ] as const)
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} || ${` ${MARKER}`}
      where site_id = ${siteId}`.execute(db);
  await sql`update account set last_name = ${MARKER} where user_id >= ${FIRST_ID}`.execute(db);
  for (const entryId of values.list('entryId'))
    await things.update(Number(entryId), { Name: `${MARKER} ${Number(entryId)}`, Note: MARKER });
}

/** Tables whose rows belong to no site and no user, and the counts of calls of a key, which are written up to a minute later. */
const TABLES_LEFT_OUT = [
  'api_key_use',
  'audit_sealing',
  // Has no rows.
  ...(isOnCitus ? ['cluster_commit'] : []),
  'installation_value',
  'service_process',
  'throttle',
];
/** Tables whose rows lapse: requests of anybody delete them then. The test begins with none, so that it sees new ones. */
const LAPSING_TABLES = ['job_file_link', 'passkey_challenge'];

/**
 * Digests of the rows of a site and of its people by table, without the time of the last use of a key, which is written up to a minute
 * later.
 */
async function digestSite(db: Db, siteId: number): Promise<Record<string, unknown>> {
  const digests: Record<string, unknown> = {};
  const skipped: string[] = [];
  for (const { name, columns } of await listTables(db)) {
    const lasting = columns.filter((column) => column !== 'last_used_at');
    if (columns.includes('site_id'))
      digests[name] = await digestTable(db, { name, columns: lasting }, sql`where site_id = ${siteId}`);
    else if (columns.includes('user_id'))
      digests[name] = await digestTable(
        db,
        { name, columns: lasting },
        sql`where user_id in (select user_id from membership where site_id = ${siteId})`,
      );
    else skipped.push(name);
  }
  expect(skipped).toEqual(TABLES_LEFT_OUT);
  return digests;
}

/**
 * Share of the operations that may answer no request of the own site with a 2xx. Each has one request in a run, and cells before have
 * changed or deleted what some name: 217 of 300 answered. The generated requests of fuzz.test.ts have a gate of 95 %.
 */
const MAX_UNANSWERED = 0.35;
/** Requests of which the first that is valid is taken. */
const SAMPLES = 40;

/** Whether a request fits the contract. */
function isValid(operation: Operation, { url, payload }: ReturnType<typeof buildRequest>): boolean {
  const { pathname, searchParams } = new URL(url, 'http://steward.test');
  const names = [...operation.url.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const values = pathname.match(new RegExp(`${operation.url.replaceAll(/:\w+/g, '([^/]+)')}$`)) ?? [];
  const params = Object.fromEntries(
    names.map((name, at) => [name, decodeURIComponent(values[at + 1] ?? '')]),
  );
  const query = Object.fromEntries(searchParams);
  // Forms are read before they are checked.
  if (Buffer.isBuffer(payload) || operation.isForm)
    return operation.validateParameters({ params, query }).errors.length === 0;
  const body: unknown = typeof payload === 'string' ? JSON.parse(payload) : undefined;
  return operation.validateRequest({ params, query, body }).errors.length === 0;
}

const lines = new LogCollector();
const log = createLog('info', lines);

onEachApp(
  (context) => {
    let own: FuzzWorld;
    let other: FuzzWorld;
    const plans = new Map<string, RequestPlan>();

    beforeAll(async () => {
      other = await createFuzzWorld({ ...context(), log, firstId: FIRST_ID, withoutStates: true });
      own = await createFuzzWorld({ ...context(), log, withoutStates: true });
      // Views, jobs, topics, templates and so on of both sites.
      for (const world of isProof ? [other, own] : [])
        await fuzz(world, contract, { requests: contract.operations.length, seed: 1, log: lines });
      await markSite(other);
      for (const generator of createRequests(contract)) {
        const samples = fc.sample(generator, { numRuns: SAMPLES, seed: 7 });
        const [first] = samples;
        if (!first) continue;
        const { operation } = first;
        const valid = samples.find((plan) => isValid(operation, buildRequest(simplify(plan), own)));
        plans.set(operation.id, valid ?? first);
      }
    }, 600_000);

    /** Operations that have answered a request of their own site with a 2xx. */
    const answered = new Set<string>();

    /** Sends the request of a cell and returns what is wrong with its response. */
    const check = async (cell: Cell): Promise<string[]> => {
      const { operation, surface, caller, site } = cell;
      const plan = plans.get(operation.id);
      if (!plan) throw new Error(`${operation.id} has no request`);
      // Callers without credentials belong to no site, and people to all of theirs.
      const isOfSites = publicOperations.has(operation.id) || FINDS_PEOPLE.has(operation.id);
      const { values } = site === 'own' || isOfSites ? own : other;
      const request = { ...simplify(plan), surface, caller };
      const { headers, ...sent } = buildRequest(request, { ...own, values });
      const { statusCode: status, payload } = await context().app.inject({
        ...sent,
        headers: { ...headers, 'accept-encoding': 'identity' },
        remoteAddress: '10.1.1.1',
      });
      if (site === 'own' && status < 300) answered.add(operation.id);
      const faults: string[] = [];
      const refusal = findRefusal(cell);
      if (status >= 500) faults.push(`${status} ${payload}`);
      if (refusal !== undefined && status !== refusal) faults.push(`${status} instead of ${refusal}`);
      const isOfSite = site === 'own' && caller !== 'foreign' && !JUDGES_REQUEST.has(operation.id);
      // Every second disposable user has no API key.
      const hasCredentials = caller !== 'disposable' || surface === 'console';
      if (refusal === undefined && isOfSite && hasCredentials && [401, 403].includes(status))
        faults.push(`${status} ${payload}`);
      const body = Buffer.isBuffer(sent.payload) ? sent.payload.toString() : JSON.stringify(sent.payload);
      const sentText = `${sent.url} ${body}`;
      const revealed = [MARKER, ...new Set(payload.match(IDS))].filter(
        (text) => payload.includes(text) && !sentText.includes(text),
      );
      const seesAllSites = caller === 'platform' && platformOperations.has(operation.id);
      if (revealed.length > 0 && !seesAllSites) faults.push(`reveals ${revealed.join(', ')}`);
      // A second backup is refused while one is being made.
      if (status < 300 && operation.id === 'requestBackup') await makeQueuedBackups(context().db);
      if (status < 300 && operation.method !== 'GET') await own.repair();
      return faults.map((fault) => `${caller}, ${operation.id}, ${surface}, ${site} site: ${fault}`);
    };

    test('callers are refused as the contract says, and nobody sees or changes another site', async () => {
      for (const table of LAPSING_TABLES) await sql`delete from ${sql.table(table)}`.execute(context().db);
      const before = await digestSite(context().db, other.siteId);
      const checked = cells.filter((_, index) => index % STEP === 0);
      const faults: string[] = [];
      for (const cell of checked) faults.push(...(await check(cell)));
      const unanswered = contract.operations.filter(({ id }) => !answered.has(id)).map(({ id }) => id);
      console.log(
        `access matrix: ${checked.length} of ${cells.length} cells, ${answered.size} of ${contract.operations.length} operations with a 2xx of the own site`,
      );
      if (isProof) console.log(`without a 2xx of the own site: ${unanswered.join(', ')}`);
      expect(faults).toEqual([]);
      expect(await digestSite(context().db, other.siteId)).toEqual(before);
      // A share sends too few requests to each operation.
      const maxUnanswered = isProof ? contract.operations.length * MAX_UNANSWERED : Infinity;
      expect(unanswered.length).toBeLessThanOrEqual(maxUnanswered);
      const operations = new Set(checked.map(({ operation }) => operation.id));
      expect(contract.operations.filter(({ id }) => !operations.has(id))).toEqual([]);
      expect(new Set(checked.map(({ caller, site }) => `${caller} ${site}`)).size).toBe(18);
    }, 3_600_000);

    /** What an agent of the own site reads. */
    async function readAgentTools(): Promise<Record<string, string>> {
      const [secret] = own.values.list('agentSecret');
      const query = { Name: { $contains: MARKER.slice(0, 5) } };
      const calls: Record<string, object> = {
        list_entry_types: {},
        describe_fields: { entryType: 'Thing' },
        query_rows: { entryType: 'Thing', limit: 50 },
        count_rows: { entryType: 'Thing', query },
        rows_as_of: { entryType: 'Thing', asOf: new Date().toISOString() },
        find_users: { search: MARKER.slice(0, 5) },
      };
      const [entryId] = own.values.list('entryId');
      const texts: Record<string, string> = {};
      const history = { entryType: 'Thing', entryId };
      for (const [name, args] of [...Object.entries(calls), ['entry_history', history] as const])
        texts[`tool ${name}`] = JSON.stringify(await readTool(context().app, String(secret), name, args));
      for (const name of ['get_entry', 'entry_history']) {
        const args = { entryType: 'Thing', entryId: other.values.list('entryId')[0] };
        const { body } = await callTool(context().app, String(secret), name, args);
        expect([name, body.result?.['isError']]).toEqual([name, true]);
      }
      return texts;
    }

    /** What streams of the own site send while both sites write. */
    async function readStreams(): Promise<Record<string, string>> {
      const { app } = context();
      const address = await app.listen({ host: '127.0.0.1', port: 0 });
      const [ownApi, otherApi] = [own, other].map((world) =>
        createApiClient(app, '', world.getHeaders('administrator', 'program')),
      );
      /** Text of a stream up to what `write` returns. */
      const read = async (path: string, write: () => Promise<string>): Promise<string> => {
        const controller = new AbortController();
        const { body } = await fetch(`${address}${path}`, {
          headers: own.getHeaders('administrator', 'program'),
          signal: controller.signal,
        });
        const end = await write();
        let text = '';
        for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
          text += chunk;
          if (text.includes(end)) break;
        }
        controller.abort();
        return text;
      };
      return {
        'stream of a topic': await read('/api/rest/v1/publication/stream?topic=default-data', async () => {
          for (const [world, writer, name] of [
            [other, otherApi, MARKER],
            [own, ownApi, OWN_MARKER],
          ] as const) {
            const storeRequests = world.things.items(-1, { Name: `${name} streamed` });
            expect((await writer?.post(`${DATA}/entrydata/Thing`, { storeRequests }))?.status).toBe(200);
          }
          return OWN_MARKER;
        }),
        'stream of jobs': await read('/api/rest/v1/management/jobs/events', async () => {
          const request = { entryType: 'Thing', format: 'csv' };
          await otherApi?.post('jobs/entryExports', request);
          const started = await ownApi?.post<{ id: number }>('jobs/entryExports', request);
          return `"id":${started?.body.id}`;
        }),
      };
    }

    /** A report about an entry of the own site; one about an entry of the other site is refused. */
    async function readReport(entryId = 0): Promise<Record<string, string>> {
      const { app, db } = context();
      const headers = own.getHeaders('administrator', 'program');
      const api = createApiClient(app, '', headers);
      const { body: made } = await sendForm<{ id: number }>(app, {
        url: REPORTS,
        token: headers['authorization']?.split(' ')[1] ?? '',
        model: { name: `Report ${entryId}`, entryTypeId: own.things.typeId },
        files: [{ part: 'file', name: 'report.docx', content: own.template }],
      });
      const start = (entryIds: readonly unknown[]) =>
        api.post<{ runId: number }>(`${REPORTS}/${made.id}/runs`, { entryIds, format: 'docx' });
      const refused = await start([entryId, other.values.list('entryId')[0]]);
      expect(refused.status).toBeGreaterThanOrEqual(400);
      const started = await start([entryId]);
      expect([started.status, started.text]).toEqual([202, started.text]);
      await runDueJobs({ ...createJobContext(db), files: { ...services, leaseRenewalMs: 50 } });
      const { rawPayload } = await app.inject({ url: `${REPORTS}/runs/${started.body.runId}/file`, headers });
      return { report: await readMember(rawPayload, 'word/document.xml') };
    }

    test('no search, export, report, backup, event, stream, agent tool, metric or log of a site holds data of another', async () => {
      const { db } = context();
      // Tokens are valid for a quarter of an hour.
      await other.repair();
      await own.repair();
      const api = createApiClient(context().app, '', own.getHeaders('administrator', 'program'));
      const item = { entryId: -1, fieldId: own.things.field('Name').id, value: OWN_MARKER };
      const created = await api.post<{ entryId: number }[]>(`${DATA}/entrydata/Thing`, {
        storeRequests: [item],
      });
      expect([created.status, created.text]).toEqual([200, created.text]);
      const entryIds = other.values.list('entryId');
      const [email] = other.values.list('email');
      const texts: Record<string, string> = {};
      const read = async (name: string, answer: Promise<Reply<unknown>>) => {
        const { status, text } = await answer;
        expect([name, status]).toEqual([name, 200]);
        texts[name] = text;
      };
      lines.records.clear();
      await read('entries by id', api.post(`${DATA}/entrylookup`, { ids: entryIds }));
      await read('entries by name', api.post(`${DATA}/entrylookup`, { startsWith: MARKER.slice(0, 5) }));
      const query = { Name: { $contains: MARKER.slice(0, 5) } };
      await read('rows', api.post(`${DATA}/entrydata/rows/query/Thing`, { query }));
      await read('user by address', api.get(`user?email=${String(email)}`));
      await read('users', api.get('user?pageSize=1000'));
      await read('activity', api.post('user/activity', {}));
      texts['log'] = [...lines.records.values()]
        .flat()
        .map(({ line }) => line)
        .join('\n');
      for (const kind of ['entryExports', 'userExports', 'activityExports']) {
        const what = { entryExports: { entryType: 'Thing' }, activityExports: { query: {} } }[kind];
        texts[kind] = (await exportFile(db, api, kind, { format: 'csv', ...what })).text;
      }
      for (const name of ['default-data', 'default-users', 'default-schema'])
        await read(name, api.post('/api/rest/v1/publication/poll', { topics: [name], timeOut: 0, count: 0 }));
      Object.assign(
        texts,
        await readAgentTools(),
        await readStreams(),
        await readReport(created.body[0]?.entryId),
      );
      const { path } = await makeBackup(db, api);
      const backup = await openAndReadBackup(path);
      for (const member of backup.manifest.members)
        texts[`backup: ${member.name}`] = Buffer.concat(
          await Array.fromAsync(backup.read(member)),
        ).toString();
      backup.close();
      texts['metrics'] = await formatMetrics(() => loadInstallationMetrics(db));
      const revealed = Object.entries(texts).flatMap(([name, text]) =>
        [MARKER, ...new Set(text.match(IDS))]
          .filter((found) => text.includes(found))
          .map((found) => `${name}: ${found}`),
      );
      expect(revealed).toEqual([]);
      // The data of the site itself are there.
      const found = Object.keys(texts).filter((name) => texts[name]?.includes(OWN_MARKER));
      expect(found).toEqual(
        expect.arrayContaining([
          'entryExports',
          'default-data',
          'tool query_rows',
          'stream of a topic',
          'report',
        ]),
      );
      expect(found.filter((name) => name.startsWith('backup: '))).not.toEqual([]);
    }, 600_000);
  },
  { log, validateResponses: false },
);
