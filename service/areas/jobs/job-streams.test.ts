/** Streams of the progress of jobs, over real connections: `inject` waits for the end of a response. */
import type { AddressInfo } from 'node:net';
import { sql, type KyselyPlugin } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Job, JobChanges } from '../../../contract/generated/types.gen.ts';
import { createApp } from '../../app.ts';
import { createLog } from '../../kernel/telemetry/log.ts';
import { runJobs } from '../../testing/jobs.ts';
import {
  allScopes,
  as,
  contract,
  makePerson,
  makeSite,
  makeToken,
  onEachApp,
  services,
  type Person,
} from '../../testing/site.ts';
import { STREAM_LIMITS } from './job-streams.ts';

const PATH = '/api/rest/v1/management/jobs/events';
type App = Awaited<ReturnType<typeof createApp>>;

interface StreamEvent extends JobChanges {
  id: string;
}

/** The open stream: `next` resolves with the next event, undefined at the end. */
interface OpenStream {
  response: Response;
  next(): Promise<StreamEvent | undefined>;
  close(): void;
}

const asSession = ({ cookie }: Person) => ({ cookie: `steward=${cookie}`, 'x-steward-console': '1' });
const asProgram = (token: string) => ({ authorization: `Bearer ${token}` });
/** The next event that satisfies the condition. */
async function awaitEvent(stream: OpenStream, isWanted: (jobs: Job[]) => boolean): Promise<StreamEvent> {
  for (;;) {
    const event = await stream.next();
    if (!event) throw new Error('The stream has ended');
    if (isWanted(event.jobs)) return event;
  }
}

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  let users: Person[];
  let app: App;
  let address = '';
  const opened: AbortController[] = [];
  const serve = async (database = context().database) => {
    app = await createApp({
      contract,
      services,
      database,
      trustedProxies: [],
      log: createLog('silent'),
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  };
  beforeEach(async () => {
    await sql`delete from job`.execute(context().db);
    siteId = await makeSite(context().db);
    admin = await makePerson(context().db, siteId);
    users = await Promise.all([1, 2].map(() => makePerson(context().db, siteId)));
    await serve();
  });
  afterEach(async () => {
    for (const controller of opened.splice(0)) controller.abort();
    await app.close();
  });

  async function open(headers: Record<string, string>, prefix = '/console'): Promise<OpenStream> {
    const controller = new AbortController();
    opened.push(controller);
    const response = await fetch(`${address}${prefix}${PATH}`, {
      headers: { ...headers, 'accept-encoding': 'br, gzip' },
      signal: controller.signal,
    });
    const reader = (response.ok ? response.body : null)?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    return {
      response,
      async next() {
        for (;;) {
          const [, id = '', data = ''] = /^id: (\d+)\ndata: (.*)\n\n/.exec(text) ?? [];
          if (id !== '') {
            text = text.slice(text.indexOf('\n\n') + 2);
            return { id, ...(JSON.parse(data) as JobChanges) };
          }
          const { done, value } = (await reader?.read()) ?? { done: true, value: '' };
          if (done) return undefined;
          text += value;
        }
      },
      close: () => controller.abort(),
    };
  }
  const start = async (person: Person, body: object = {}) => {
    const path = 'jobs/userUpdates';
    const ids = users.map(({ userId }) => userId);
    return (
      await as(context().app, person, 'console').post<Job>(path, { userIds: ids, isActive: false, ...body })
    ).body;
  };

  test('sends the open jobs at once and each change in order, uncompressed, and never the jobs of others', async () => {
    const other = await makePerson(context().db, siteId);
    const foreign = await start(other, { notBefore: '2100-01-01T00:00:00Z' });
    const first = await start(admin, { notBefore: '2100-01-01T00:00:00Z' });
    const stream = await open(asSession(admin));
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.response.headers.get('content-encoding')).toBeNull();
    expect(stream.response.headers.get('cache-control')).toBe('no-store, no-transform');
    expect((await stream.next())?.jobs).toEqual([
      (await as(context().app, admin, 'console').get<Job>(`jobs/${first.id}`)).body,
    ]);
    const second = await start(admin);
    const seen: Job[] = [];
    await runJobs(context().db);
    const last = await awaitEvent(stream, (jobs) => {
      seen.push(...jobs);
      return jobs.some(({ id, state }) => id === second.id && state === 'finished');
    });
    expect(last.jobs).toMatchObject([{ id: second.id, done: 2 }]);
    expect(seen.map(({ id }) => id)).not.toContain(foreign.id);
    await as(context().app, admin, 'console').post(`jobs/${first.id}/cancel`);
    expect((await awaitEvent(stream, (jobs) => jobs.length > 0)).jobs).toMatchObject([
      { id: first.id, state: 'cancelled' },
    ]);
  });

  test('continues after the last event: a job that ended meanwhile is sent, one that ended before it is not', async () => {
    const old = await start(admin);
    await runJobs(context().db);
    await sql`update job set finished_at = finished_at - interval '1 hour' where job_id = ${old.id}`.execute(
      context().db,
    );
    const job = await start(admin);
    const stream = await open(asSession(admin));
    const event = await awaitEvent(stream, (jobs) => jobs.length > 0);
    stream.close();
    await runJobs(context().db);
    const resumed = await open({ ...asSession(admin), 'last-event-id': event.id });
    expect((await resumed.next())?.jobs).toMatchObject([{ id: job.id, state: 'finished' }]);
    const fresh = await open(asSession(admin));
    expect((await fresh.next())?.jobs).toEqual([]);
  });

  test('a token sees the jobs that its scopes show, and the limit of streams counts for each user', async () => {
    const job = await start(admin, { notBefore: '2100-01-01T00:00:00Z' });
    const token = await makeToken(context().db, admin, allScopes);
    const data = await makeToken(context().db, admin, ['data']);
    const withScope = await open(asProgram(token), '');
    expect((await withScope.next())?.jobs).toMatchObject([{ id: job.id }]);
    expect((await (await open(asProgram(data), '')).next())?.jobs).toEqual([]);
    for (let count = 2; count < STREAM_LIMITS.perPerson; count += 1) await open(asSession(admin));
    const { response } = await open(asSession(admin));
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '30']);
    expect(await response.json()).toMatchObject({
      message: 'At most 5 streams of jobs can be open for one user',
    });
    expect((await open(asSession(users[0] ?? admin))).response.status).toBe(200);
    withScope.close();
    await expect
      .poll(async () => (await open(asSession(admin))).response.status, { timeout: 5_000 })
      .toBe(200);
  });

  test('ends with the session, the token and the capability for programs', async () => {
    const own = await open(asSession(admin));
    const [deactivated, program] = users;
    if (!deactivated || !program) throw new Error('Two users are required');
    const ofDeactivated = await open(asSession(deactivated));
    const ofProgram = await open(asProgram(program.token), '');
    for (const stream of [own, ofDeactivated, ofProgram]) expect((await stream.next())?.jobs).toEqual([]);
    await sql`update membership set is_active = false where user_id = ${deactivated.userId}`.execute(
      context().db,
    );
    await sql`update user_group set capabilities = '{}' where group_id = ${program.groupId}`.execute(
      context().db,
    );
    expect((await as(context().app, admin, 'console').del('/api/session')).status).toBe(204);
    for (const stream of [own, ofDeactivated, ofProgram]) {
      let event = await stream.next();
      while (event) event = await stream.next();
    }
    expect((await open(asSession(admin))).response.status).toBe(401);
  });

  test('ends when the service stops, which refuses new streams and waits for no open one', async () => {
    const stream = await open(asSession(admin));
    await stream.next();
    const drained = app.drain.run({ delayMs: 300, onListenerClosed: () => {} });
    expect(await stream.next()).toBeUndefined();
    const { response } = await open(asSession(admin));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    await response.text();
    await drained;
  });

  test('reads the database once for all streams of the process', async () => {
    let statements = 0;
    const counter: KyselyPlugin = {
      transformQuery: ({ node }) => {
        statements += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const { database } = context();
    await app.close();
    await serve({ ...database, db: database.db.withPlugin(counter) });
    const streams = await Promise.all([admin, admin, ...users].map((person) => open(asSession(person))));
    for (const stream of streams) await stream.next();
    statements = 0;
    await start(admin, { notBefore: '2100-01-01T00:00:00Z' });
    for (const stream of streams.slice(0, 2)) await awaitEvent(stream, (jobs) => jobs.length === 1);
    // At most two readings of three statements.
    expect(statements).toBeGreaterThan(0);
    expect(statements).toBeLessThanOrEqual(6);
  });
});
