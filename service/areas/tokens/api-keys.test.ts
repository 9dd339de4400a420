import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { OwnApiKey, ApiKeySecret, ApiKeyUsage } from '../../../contract/generated/types.gen.ts';
import { requestToken, createApiClient, type ApiClient, type ErrorBody } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, createTestApp, type Person } from '../../testing/site.ts';
import { deleteOldKeyUsage } from './key-usage.store.ts';

const KEY = '/api/session/apikey';

onEachApp((context) => {
  let siteId = 0;
  let person: Person;
  let client: ApiClient;
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    person = await makePerson(context().db, siteId);
    client = as(context().app, person, 'console');
  });

  const token = (key: Pick<ApiKeySecret, 'clientId' | 'clientSecret'>, app = context().app) =>
    requestToken(app, key);
  const bearer = (accessToken: string, agent = 'sync/2.1', app = context().app) =>
    createApiClient(app, '', { authorization: `Bearer ${accessToken}`, 'user-agent': agent });

  test('allows one key at a time, shows its secret once, and turns it off at once and permanently (spec 5.3)', async () => {
    expect((await client.get<OwnApiKey>(KEY)).body).toMatchObject({
      apiKey: { clientId: person.clientId, lastUsedDate: null },
    });
    expect((await client.post(KEY, { scopes: ['data'] })).status).toBe(409);
    const old = await as(context().app, person).get('user');
    expect(old.status).toBe(200);
    expect((await client.del(KEY)).status).toBe(204);
    expect((await as(context().app, person).get('user')).status).toBe(401);
    expect((await client.get<OwnApiKey>(KEY)).body).toEqual({ apiKey: null, expiredApiKey: null });
    expect((await client.del(KEY)).status).toBe(404);

    const { status, body: key } = await client.post<ApiKeySecret>(KEY, { scopes: ['user_management'] });
    expect([status, key.scopes]).toEqual([200, ['user_management']]);
    expect(key.clientId).not.toBe(person.clientId);
    const { body } = await token(key);
    expect((await bearer(body.access_token).get('user')).status).toBe(200);
    const seen = await client.get<OwnApiKey>(KEY);
    expect(seen.text).not.toContain(key.clientSecret);
    expect(seen.body.apiKey?.lastUsedDate).toEqual(expect.any(String));
    expect((await client.del(KEY)).status).toBe(204);
    expect((await bearer(body.access_token).get('user')).status).toBe(401);
    expect((await token(key)).status).toBe(401);
    const { rows } = await sql<{
      stored: string;
    }>`select string_agg(k::text, ' ') as stored from api_key k`.execute(context().db);
    expect(rows[0]?.stored).not.toContain(key.clientSecret);
    const { rows: auditRows } = await sql<{
      action: string;
    }>`select action from audit_log where subject_id = ${String(person.userId)}
      and site_id = ${siteId} order by audit_id`.execute(context().db);
    expect(auditRows.map(({ action }) => action)).toEqual([
      'user.api-key-off',
      'user.api-key-on',
      'user.api-key-off',
    ]);
  });

  test('turns on one key when requested concurrently', async () => {
    await client.del(KEY);
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => client.post(KEY, { scopes: ['data'] })),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array<number>(9).fill(409),
    ]);
  });

  test('requires a usable operation for each scope, and Access Web Service', async () => {
    const reader = await makePerson(context().db, siteId, {
      capabilities: ['Access Web Service', 'Write Data'],
    });
    const calls = as(context().app, reader, 'console');
    await calls.del(KEY);
    const refused = await calls.post<ErrorBody>(KEY, { scopes: ['data', 'user_management'] });
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain('user_management');
    expect((await calls.post(KEY, { scopes: ['data'] })).status).toBe(200);
    const outsider = await makePerson(context().db, siteId, { capabilities: ['Read Data'] });
    await as(context().app, outsider, 'console').del(KEY);
    expect((await as(context().app, outsider, 'console').post(KEY, { scopes: ['data'] })).status).toBe(403);
  });

  test('adds up the usage counted by all processes by operation, address and agent', async () => {
    const [one, two] = [await createTestApp(context().database), await createTestApp(context().database)];
    for (let at = 0; at < 5; at += 1) await bearer(person.token, 'sync/2.1', one).get('user');
    await bearer(person.token, 'curl/8 \u0007', two).get('user/group', { remoteAddress: '203.0.113.9' });
    await bearer(person.token, 'curl/8', two).get('user', { remoteAddress: '203.0.113.9' });
    const { rows: before } =
      await sql`select 1 from api_key_use where client_id = ${person.clientId}`.execute(context().db);
    expect(before).toHaveLength(0);
    await Promise.all([one.close(), two.close()]);
    await sql`insert into api_key_use (client_id, day, operation_id, ip, agent, calls)
      values (${person.clientId}, (now() - interval '29 days')::date, 'getUser', '203.0.113.9', 'old', 3),
        (${person.clientId}, (now() - interval '40 days')::date, 'getUser', '203.0.113.9', 'older', 7)`.execute(
      context().db,
    );
    const { body } = await client.get<ApiKeyUsage>(`${KEY}/usage`);
    const today = new Date().toISOString().slice(0, 10);
    expect(body).toMatchObject({
      clientId: person.clientId,
      calls: 10,
      tokens: 1,
      openStreams: null,
      runningImports: null,
    });
    expect(body.operations).toEqual([
      { name: 'searchUsers', label: 'Search users', calls: 6, lastDate: today },
      expect.objectContaining({ name: 'getUser', calls: 3 }),
      expect.objectContaining({ name: 'listGroups', calls: 1 }),
    ]);
    expect(body.addresses).toMatchObject([
      { name: '127.0.0.1', calls: 5 },
      { name: '203.0.113.9', calls: 5 },
    ]);
    expect(body.agents[0]).toMatchObject({ name: 'sync/2.1', calls: 5 });
    await deleteOldKeyUsage(context().db);
    const { rows } = await sql`select 1 from api_key_use where agent = 'older'`.execute(context().db);
    expect(rows).toHaveLength(0);
    await client.del(KEY);
    expect((await client.get(`${KEY}/usage`)).status).toBe(404);
  });
});
