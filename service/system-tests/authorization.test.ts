/** Authorization matrix: every operation of the contract, in both APIs, with callers that must be rejected. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Capability, Scope } from '../../contract/generated/types.gen.ts';
import type { Operation } from '../kernel/http/contract.ts';
import { hashSecret } from '../kernel/secret.ts';
import {
  foreignCalls,
  jobOperations,
  UNKNOWN_ID,
  publicOperations,
  ownSessionOperations,
  platformOperations,
} from '../testing/authorization.ts';
import { createApiClient, type ApiClient, type Reply } from '../testing/calls.ts';
import {
  as,
  contract,
  allScopes,
  allCapabilities,
  makePerson,
  makeSite,
  makeToken,
  onEachApp,
  openSession,
  type Person,
} from '../testing/site.ts';

const METHOD_FUNCTIONS = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'del', PATCH: 'put' } as const;
/** The path of an operation with a value for each parameter. */
const buildPath = (operation: Operation, ids: Readonly<Record<string, number>> = {}) =>
  operation.url.replaceAll(/:(\w+)/g, (_, name: string) => String(ids[name] ?? UNKNOWN_ID));

const call = (
  calls: ApiClient,
  operation: Operation,
  path = buildPath(operation),
  body?: unknown,
): Promise<Reply<unknown>> =>
  operation.method === 'GET' ? calls.get(path) : calls[METHOD_FUNCTIONS[operation.method]](path, body);

/** Agents have an endpoint and credentials of their own (areas/agent/endpoint.test.ts). */
const apiOperations = contract.operations.filter((operation) => operation.access !== 'agent');
const bearerOperations = apiOperations.filter((operation) => !operation.isConsoleOnly);
const sessionOperations = apiOperations.filter((operation) => operation.id !== 'issueToken');
/** Operations with their ids, for test.each. */
const toTestCases = (operations: readonly Operation[]) =>
  operations.map((operation) => [operation.id, operation] as const);
const requiresCredentials = (operation: Operation) => operation.access !== 'public';

test('every operation is public by decision, concerns the own session, or requires capabilities and a scope', () => {
  for (const { id, access, capabilities, scope, isConsoleOnly: consoleOnly } of contract.operations) {
    expect([id, access === 'public']).toEqual([id, publicOperations.has(id)]);
    expect([id, capabilities.length > 0]).toEqual([
      id,
      !publicOperations.has(id) &&
        !ownSessionOperations.has(id) &&
        !platformOperations.has(id) &&
        !jobOperations.has(id),
    ]);
    expect([id, scope !== undefined]).toEqual([
      id,
      !publicOperations.has(id) && !consoleOnly && !jobOperations.has(id),
    ]);
  }
});

test('foreignRows covers every operation that requires capabilities', () => {
  const built = apiOperations.filter(
    ({ id, capabilities }) => capabilities.length > 0 || jobOperations.has(id),
  );
  expect(Object.keys(foreignCalls).toSorted()).toEqual(built.map(({ id }) => id).toSorted());
});

onEachApp((context) => {
  let siteId = 0;
  /** Site of the callers that are rejected; the site whose state is compared has only one user. */
  let callersSiteId = 0;
  let administrator: Person;
  let foreignAdministrator: Person;
  let entryTypeId = UNKNOWN_ID;
  let fieldId = UNKNOWN_ID;
  beforeAll(async () => {
    // Distinctive user ids, because responses are searched for them.
    await sql`select setval(pg_get_serial_sequence('account', 'user_id'), 1000002)`.execute(context().db);
    siteId = await makeSite(context().db);
    callersSiteId = await makeSite(context().db);
    administrator = await makePerson(context().db, siteId);
    const names = { apiName: 'Hidden', singularName: 'Hidden', pluralName: 'Hidden' };
    const type = await as(context().app, administrator).post<{ id: number }>(
      '/api/rest/v4/schema/entrytypes',
      names,
    );
    entryTypeId = type.body.id;
    const fields = await as(context().app, administrator).get<{ id: number }[]>(
      '/api/rest/v4/schema/allfields',
    );
    fieldId = fields.body[0]?.id ?? UNKNOWN_ID;
    foreignAdministrator = await makePerson(context().db, await makeSite(context().db));
  });

  /** A half-completed sign-in of this person. */
  const openHalfCompletedSession = async (person: Person, pending: 'two-factor' | 'enrolment') => {
    const cookie = await openSession(context().db, person.siteId, person.userId);
    await sql`update session set pending = ${pending} where token_hash = ${hashSecret(cookie)}`.execute(
      context().db,
    );
    return cookie;
  };
  const personsByMissingCapabilities = new Map<string, Promise<Person>>();
  /** A person with all capabilities except these; reused, because rejected calls change nothing. */
  const makePersonWithout = (...names: readonly string[]) => {
    const key = names.join();
    const existing =
      personsByMissingCapabilities.get(key) ??
      makePerson(context().db, callersSiteId, {
        capabilities: allCapabilities.filter((capability) => !names.includes(capability)),
      });
    personsByMissingCapabilities.set(key, existing);
    return existing;
  };
  const createBearerClient = (token: string) =>
    createApiClient(context().app, '', { authorization: `Bearer ${token}` });
  const createSessionClient = (headers: Record<string, string>) =>
    createApiClient(context().app, '/console', { 'x-steward-console': '1', ...headers });

  describe.each(toTestCases(bearerOperations.filter(requiresCredentials)))(
    '%s in the bearer API',
    (_id, operation) => {
      test('rejects a missing or invalid token and a session cookie with 401', async () => {
        const bad = [
          createApiClient(context().app, '', {}),
          createApiClient(context().app, '', {
            cookie: `steward=${administrator.cookie}`,
            'x-steward-console': '1',
          }),
          createApiClient(context().app, '', { authorization: 'Basic YTpi' }),
          createBearerClient('not-a-token'),
          createBearerClient(administrator.cookie),
        ];
        for (const calls of bad) {
          const { status, headers } = await call(calls, operation);
          expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="steward"']);
        }
      });

      test('rejects callers without the scope, the capability or Access Web Service with 403', async () => {
        const scopes = allScopes.filter((scope) => scope !== (operation.scope as Scope | undefined));
        const isJob = jobOperations.has(operation.id);
        const withoutScope = createBearerClient(await makeToken(context().db, administrator, scopes));
        const answered = isJob ? undefined : await call(withoutScope, operation);
        expect(answered?.status).toBe(isJob ? undefined : 403);
        // Relationship Intelligence answers 401 to users without the capabilities (shapes 6), and names them.
        const { capabilityStatus } = operation;
        for (const capabilities of [...(isJob ? [] : [operation.capabilities]), ['Access Web Service']]) {
          const refused = createBearerClient((await makePersonWithout(...capabilities)).token);
          const { status, body } = await call(refused, operation);
          const named = `Cannot perform the action. User capabilities are required: ${capabilities.join(', ')}`;
          const isNamed = capabilityStatus !== 401 || Object(body).message === named;
          expect([status, isNamed]).toEqual([capabilityStatus, true]);
        }
      });
    },
  );

  test.each(toTestCases(bearerOperations))(
    '%s in the bearer API accepts a caller with exactly the required scope and capability',
    async (id, operation) => {
      const capabilities = ['Access Web Service', ...operation.capabilities.slice(0, 1)] as Capability[];
      const scopes = allScopes.filter((scope) => scope === (operation.scope as Scope | undefined));
      const person = await makePerson(context().db, callersSiteId, { capabilities, scopes });
      const calls = id === 'issueToken' ? createApiClient(context().app, '', {}) : as(context().app, person);
      expect([401, 403]).not.toContain((await call(calls, operation)).status);
    },
  );

  describe.each(toTestCases(sessionOperations))('%s in the session API', (_id, operation) => {
    test('rejects a missing or invalid session and a token with 401, and a missing console header with 403', async () => {
      const bad = [
        createSessionClient({}),
        createSessionClient({ cookie: 'steward=nothing' }),
        createSessionClient({ cookie: `steward=${administrator.token}` }),
        createSessionClient({ authorization: `Bearer ${administrator.token}` }),
      ];
      for (const calls of bad) {
        const { status } = await call(calls, operation);
        expect(requiresCredentials(operation) ? status === 401 : status !== 401 && status !== 403).toBe(true);
      }
      const bare = createApiClient(context().app, '/console', { cookie: `steward=${administrator.cookie}` });
      expect((await call(bare, operation)).status).toBe(403);
    });

    test('accepts a session with exactly the required capability', async () => {
      const person = await makePerson(context().db, callersSiteId, {
        capabilities: operation.capabilities.slice(0, 1) as Capability[],
      });
      if (platformOperations.has(operation.id))
        await context().db.insertInto('platform_administrator').values({ user_id: person.userId }).execute();
      expect([401, 403]).not.toContain((await call(as(context().app, person, 'console'), operation)).status);
    });
  });

  describe.each(['two-factor', 'enrolment'] as const)('a half-completed sign-in (%s)', (pending) => {
    test.each(toTestCases(sessionOperations.filter(requiresCredentials)))(
      '%s is rejected with 401 unless it completes the sign-in (T14)',
      async (_id, operation) => {
        const cookie = await openHalfCompletedSession(administrator, pending);
        const { status } = await call(as(context().app, { token: '', cookie }, 'console'), operation);
        expect([operation.id, status === 401]).toEqual([
          operation.id,
          operation.allowedPendingStep !== pending,
        ]);
      },
    );
  });

  test.each(toTestCases(sessionOperations.filter(({ capabilities }) => capabilities.length > 0)))(
    '%s in the session API rejects callers without the capability with 403',
    async (_id, operation) => {
      const calls = as(context().app, await makePersonWithout(...operation.capabilities), 'console');
      expect((await call(calls, operation)).status).toBe(403);
    },
  );

  const readSiteState = async () => {
    const api = as(context().app, administrator);
    return [
      (await api.get('user?pageSize=1000')).body,
      (await api.get('user/group?pageSize=1000')).body,
      (await api.get('/api/rest/v4/schema/allfields')).body,
    ];
  };

  describe('calls by the administrator of another site', () => {
    let before: unknown[] = [];
    beforeAll(async () => {
      before = await readSiteState();
    });

    describe.each(Object.entries(foreignCalls))('%s', (id, row) => {
      test.each(['program', 'console'] as const)('reveal and change nothing (%s)', async (door) => {
        const operation = contract.operations.find((each) => each.id === id);
        if (!operation) throw new Error(`${id} is not in the contract`);
        const ids = {
          userId: administrator.userId,
          groupId: administrator.groupId,
          entryTypeId,
          fieldId,
          part: 1,
        };
        const path = buildPath(operation, ids) + (row.query?.(administrator) ?? '');
        const caller = as(context().app, foreignAdministrator, door);
        // The number of waiting jobs is limited.
        await context().db.deleteFrom('job').where('owner_id', '=', foreignAdministrator.userId).execute();
        const { status, text, body } = await call(caller, operation, path, row.body?.(administrator));
        expect(status).toBe(door === 'program' && operation.isConsoleOnly ? 404 : row.status);
        expect(body).toEqual(row.answer ?? body);
        expect(text).not.toContain(administrator.email);
        expect(text).not.toContain('Hidden');
        expect(text).not.toMatch(new RegExp(`"(id|userId)":${administrator.userId}\\b`));
        expect(await readSiteState()).toEqual(before);
      });
    });
  });
});
