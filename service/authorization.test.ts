/** The authorisation matrix: every operation of the contract, at every door that serves it, against who must not use it. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Capability, Scope } from '../contract/generated/types.gen.ts';
import { notBuilt } from './areas/not-built.ts';
import { hashSecret } from './kernel/secret.ts';
import type { Operation } from './kernel/http/contract.ts';
import { foreignRows, NOBODY, open, own, platform } from './testing/authorization.ts';
import { callsWith, type Calls, type Reply } from './testing/calls.ts';
import {
  as,
  contract,
  everyScope,
  everything,
  makePerson,
  makeSite,
  makeToken,
  onEachApp,
  openSession,
  type Person,
} from './testing/site.ts';

const VERBS = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'del', PATCH: 'put' } as const;
/** The path of an operation with something in each of its parameters. */
const pathOf = (operation: Operation, ids: Readonly<Record<string, number>> = {}) =>
  operation.url.replaceAll(/:(\w+)/g, (_, name: string) => String(ids[name] ?? NOBODY));

const call = (
  calls: Calls,
  operation: Operation,
  path = pathOf(operation),
  body?: unknown,
): Promise<Reply<unknown>> =>
  operation.method === 'GET' ? calls.get(path) : calls[VERBS[operation.method]](path, body);

const programs = contract.operations.filter((operation) => !operation.consoleOnly);
const browsers = contract.operations.filter((operation) => operation.id !== 'issueToken');
/** Operations by name, as the titles of tests have them. */
const named = (operations: readonly Operation[]) =>
  operations.map((operation) => [operation.id, operation] as const);
const guarded = (operation: Operation) => operation.access !== 'public';

test('every operation is open by decision, on the own session, or asks for capabilities; programs need a scope', () => {
  for (const { id, access, capabilities, scope, consoleOnly } of contract.operations) {
    expect([id, access === 'public']).toEqual([id, open.has(id)]);
    expect([id, capabilities.length > 0]).toEqual([id, !open.has(id) && !own.has(id) && !platform.has(id)]);
    expect([id, scope !== undefined]).toEqual([id, !open.has(id) && !consoleOnly]);
  }
});

test('every built operation on a site has a row for the administrator of another one', () => {
  const built = contract.operations.filter(
    ({ id, capabilities }) => capabilities.length > 0 && !notBuilt.some((name) => name === id),
  );
  expect(Object.keys(foreignRows).toSorted()).toEqual(built.map(({ id }) => id).toSorted());
});

onEachApp((house) => {
  let siteId = 0;
  /** Where all who are refused belong: the site that is looked at before and after has one user. */
  let crowd = 0;
  let all: Person;
  let elsewhere: Person;
  let entryTypeId = NOBODY;
  let fieldId = NOBODY;
  beforeAll(async () => {
    // Ids of people that nothing else has: what is looked for in answers are those.
    await sql`alter table account alter column user_id restart with 1000003`.execute(house().db);
    siteId = await makeSite(house().db);
    crowd = await makeSite(house().db);
    all = await makePerson(house().db, siteId);
    const names = { apiName: 'Hidden', singularName: 'Hidden', pluralName: 'Hidden' };
    const type = await as(house().app, all).post<{ id: number }>('/api/rest/v4/schema/entrytypes', names);
    entryTypeId = type.body.id;
    const fields = await as(house().app, all).get<{ id: number }[]>('/api/rest/v4/schema/allfields');
    fieldId = fields.body[0]?.id ?? NOBODY;
    elsewhere = await makePerson(house().db, await makeSite(house().db));
  });

  /** A session of this person that lacks something. */
  const openHalf = async (person: Person, pending: 'two-factor' | 'enrolment') => {
    const cookie = await openSession(house().db, person.siteId, person.userId);
    await sql`update session set pending = ${pending} where token_hash = ${hashSecret(cookie)}`.execute(
      house().db,
    );
    return cookie;
  };
  const lacking = new Map<string, Promise<Person>>();
  /** Somebody with every capability but these; the same for all operations, because who is refused changes nothing. */
  const without = (...names: readonly string[]) => {
    const key = names.join();
    const made =
      lacking.get(key) ??
      makePerson(house().db, crowd, {
        capabilities: everything.filter((capability) => !names.includes(capability)),
      });
    lacking.set(key, made);
    return made;
  };
  const bearer = (token: string) => callsWith(house().app, '', { authorization: `Bearer ${token}` });
  const session = (headers: Record<string, string>) =>
    callsWith(house().app, '/console', { 'x-steward-console': '1', ...headers });

  describe.each(named(programs.filter(guarded)))('%s at the door of programs', (_id, operation) => {
    test('401 without a token, with a bad one, and with a session instead of one', async () => {
      const bad = [
        callsWith(house().app, '', {}),
        callsWith(house().app, '', { cookie: `steward=${all.cookie}`, 'x-steward-console': '1' }),
        callsWith(house().app, '', { authorization: 'Basic YTpi' }),
        bearer('not-a-token'),
        bearer(all.cookie),
      ];
      for (const calls of bad) {
        const { status, headers } = await call(calls, operation);
        expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="steward"']);
      }
    });

    test('403 without the scope, the capability, or access for programs', async () => {
      const scopes = everyScope.filter((scope) => scope !== (operation.scope as Scope | undefined));
      const refused = [
        bearer(await makeToken(house().db, all, scopes)),
        bearer((await without(...operation.capabilities)).token),
        bearer((await without('Access Web Service')).token),
      ];
      for (const calls of refused) expect((await call(calls, operation)).status).toBe(403);
    });
  });

  test.each(named(programs))(
    '%s at the door of programs: neither 401 nor 403 with exactly what it asks for',
    async (id, operation) => {
      const capabilities = ['Access Web Service', ...operation.capabilities.slice(0, 1)] as Capability[];
      const scopes = everyScope.filter((scope) => scope === (operation.scope as Scope | undefined));
      const person = await makePerson(house().db, crowd, { capabilities, scopes });
      const calls = id === 'issueToken' ? callsWith(house().app, '', {}) : as(house().app, person);
      expect([401, 403]).not.toContain((await call(calls, operation)).status);
    },
  );

  describe.each(named(browsers))('%s at the door of the console', (_id, operation) => {
    test('401 without a session and with a bad one or a token; 403 without the header of the console', async () => {
      const bad = [
        session({}),
        session({ cookie: 'steward=nothing' }),
        session({ cookie: `steward=${all.token}` }),
        session({ authorization: `Bearer ${all.token}` }),
      ];
      for (const calls of bad) {
        const { status } = await call(calls, operation);
        expect(guarded(operation) ? status === 401 : status !== 401 && status !== 403).toBe(true);
      }
      const bare = callsWith(house().app, '/console', { cookie: `steward=${all.cookie}` });
      expect((await call(bare, operation)).status).toBe(403);
    });

    test('neither 401 nor 403 with it', async () => {
      const person = await makePerson(house().db, crowd, {
        capabilities: operation.capabilities.slice(0, 1) as Capability[],
      });
      if (platform.has(operation.id))
        await house().db.insertInto('platform_administrator').values({ user_id: person.userId }).execute();
      expect([401, 403]).not.toContain((await call(as(house().app, person, 'console'), operation)).status);
    });
  });

  describe.each(['two-factor', 'enrolment'] as const)(
    'a sign-in that lacks its second factor (%s)',
    (pending) => {
      test.each(named(browsers.filter(guarded)))(
        '%s: 401, but for what completes it (T14)',
        async (_id, operation) => {
          const cookie = await openHalf(all, pending);
          const { status } = await call(as(house().app, { token: '', cookie }, 'console'), operation);
          expect([operation.id, status === 401]).toEqual([operation.id, operation.halfSession !== pending]);
        },
      );
    },
  );

  test.each(named(browsers.filter(({ capabilities }) => capabilities.length > 0)))(
    '%s at the door of the console: 403 without the capability',
    async (_id, operation) => {
      const calls = as(house().app, await without(...operation.capabilities), 'console');
      expect((await call(calls, operation)).status).toBe(403);
    },
  );

  const state = async () => {
    const here = as(house().app, all);
    return [
      (await here.get('user?pageSize=1000')).body,
      (await here.get('user/group?pageSize=1000')).body,
      (await here.get('/api/rest/v4/schema/allfields')).body,
    ];
  };

  describe('what the administrator of another site asks for', () => {
    let before: unknown[] = [];
    beforeAll(async () => {
      before = await state();
    });

    describe.each(Object.entries(foreignRows))('%s', (id, row) => {
      test.each(['program', 'console'] as const)('shows and changes nothing here (%s)', async (door) => {
        const operation = contract.operations.find((each) => each.id === id);
        if (!operation) throw new Error(`${id} is not in the contract`);
        const ids = { userId: all.userId, groupId: all.groupId, entryTypeId, fieldId };
        const path = pathOf(operation, ids) + (row.query?.(all) ?? '');
        const caller = as(house().app, elsewhere, door);
        const { status, text, body } = await call(caller, operation, path, row.body?.(all));
        expect(status).toBe(door === 'program' && operation.consoleOnly ? 404 : row.status);
        expect(body).toEqual(row.answer ?? body);
        expect(text).not.toContain(all.email);
        expect(text).not.toContain('Hidden');
        expect(text).not.toMatch(new RegExp(`"(id|userId)":${all.userId}\\b`));
        expect(await state()).toEqual(before);
      });
    });
  });
});
