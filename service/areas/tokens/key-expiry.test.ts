/** Expiry of API keys and reminders. */
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type {
  ApiKeySecret,
  ApiKeyUsage,
  OwnApiKey,
  TokenResponse,
  UserSecurity,
} from '../../../contract/generated/types.gen.ts';
import { findAccessToken } from '../../kernel/auth/callers.store.ts';
import { withTransaction } from '../../kernel/db/database.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { requestToken, createApiClient, type ApiClient, type ErrorBody } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, createTestApp, type Person } from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { findApiKey } from './access-tokens.store.ts';
import { keyExpiryTask } from './key-expiry.ts';

const KEY = '/api/session/apikey';
const DAY_MS = 86_400_000;
const LOCAL = '127.0.0.1';

onEachApp((context) => {
  let siteId = 0;
  let person: Person;
  let client: ApiClient;
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    person = await makePerson(context().db, siteId);
    client = as(context().app, person, 'console');
    await client.del(KEY);
  });

  const turnOn = (expiresInDays?: number | null) =>
    client.post<ApiKeySecret & ErrorBody>(KEY, {
      scopes: ['user_management'],
      ...(expiresInDays !== undefined && { expiresInDays }),
    });
  const token = (key: Pick<ApiKeySecret, 'clientId' | 'clientSecret'>, app = context().app) =>
    requestToken(app, key);
  const listUsersStatus = async ({ access_token }: TokenResponse, app = context().app) =>
    (await createApiClient(app, '', { authorization: `Bearer ${access_token}` }).get('user?pageSize=1'))
      .status;
  const readKeys = async () => (await client.get<OwnApiKey>(KEY)).body;
  /** Moves the expiry date back, as if time had passed. */
  const advanceTime = (ms: number) =>
    sql`update api_key set expires_at = expires_at - make_interval(secs => ${ms / 1000})
      where user_id = ${person.userId} and disabled_at is null`.execute(context().db);
  const publicUrl = 'https://steward.test';
  const runExpiryTask = () => runTask(keyExpiryTask({ db: context().db, services: { publicUrl } }));
  const listMails = () =>
    context()
      .db.selectFrom('mail')
      .select(['subject', 'body_text', 'expires_at'])
      .where('recipient', '=', person.email)
      .execute();
  const listAuditRows = async () => {
    const rows = await context()
      .db.selectFrom('audit_log')
      .select(['action', 'actor_id'])
      .where('site_id', '=', siteId)
      .where('subject_id', '=', String(person.userId))
      .where('action', 'like', 'user.api-key-%')
      .orderBy('audit_id')
      .execute();
    return rows.map(({ action, actor_id }) => [action.replace('user.api-key-', ''), actor_id]);
  };

  test('expires after the number of days chosen by the owner, or never', async () => {
    const { body } = await turnOn(90);
    const { apiKey } = await readKeys();
    expect(apiKey?.expiresDate).toBe(body.expiresDate);
    expect(Date.parse(body.expiresDate ?? '') - Date.parse(body.createdDate)).toBe(90 * DAY_MS);
    for (const none of [undefined, null]) {
      await client.del(KEY);
      expect((await turnOn(none)).body.expiresDate).toBeNull();
      expect(await readKeys()).toMatchObject({ apiKey: { expiresDate: null }, expiredApiKey: null });
    }
    await client.del(KEY);
    for (const wrong of [0, -1, 1.5, 3651]) expect((await turnOn(wrong)).status).toBe(400);
  });

  test('is valid until its expiry date and invalid from that instant on, by the clock of the database', async () => {
    const { body: key } = await turnOn(30);
    const { body } = await token(key);
    await withTransaction(context().db, {}, async (tx) => {
      const opens = async (ms: number) => {
        await sql`update api_key set expires_at = now()::timestamptz(3) + make_interval(secs => ${ms / 1000})
          where client_id = ${key.clientId}`.execute(tx);
        return [
          (await findApiKey(tx, key.clientId, hashSecret(key.clientSecret), LOCAL)) !== undefined,
          (await findAccessToken(tx, hashSecret(body.access_token), LOCAL)) !== undefined,
        ];
      };
      expect([await opens(1), await opens(0), await opens(-1)]).toEqual([
        [true, true],
        [false, false],
        [false, false],
      ]);
    });
  });

  test('expires together with its tokens on every process before the task runs, and is shown as expired', async () => {
    const elsewhere = await createTestApp(context().database);
    const { body: key } = await turnOn(30);
    const { body } = await token(key, elsewhere);
    expect([await listUsersStatus(body), await listUsersStatus(body, elsewhere)]).toEqual([200, 200]);
    await advanceTime(30 * DAY_MS);
    expect([await listUsersStatus(body), await listUsersStatus(body, elsewhere)]).toEqual([401, 401]);
    expect([(await token(key)).status, (await token(key, elsewhere)).status]).toEqual([401, 401]);
    await elsewhere.close();
    const expired = { clientId: key.clientId };
    expect((await readKeys()).expiredApiKey?.expiresDate).toEqual(expect.any(String));
    expect(await readKeys()).toMatchObject({ apiKey: null, expiredApiKey: expired });
    expect((await client.get<ApiKeyUsage>(`${KEY}/usage`)).status).toBe(404);
    expect((await client.del(KEY)).status).toBe(404);
    await runExpiryTask();
    expect(await readKeys()).toMatchObject({ apiKey: null, expiredApiKey: expired });
    const admin = as(context().app, await makePerson(context().db, siteId));
    expect((await admin.get<UserSecurity>(`user/${person.userId}/security`)).body).toMatchObject({
      apiKey: null,
      expiredApiKey: expired,
    });
    const { rows } = await sql`select 1 from access_token where client_id = ${key.clientId}`.execute(
      context().db,
    );
    expect(rows).toEqual([]);
  });

  test.each(['before the task runs', 'after the task has run'])(
    'can be replaced once expired, %s; the old key stays invalid (spec 5.3)',
    async (when) => {
      const { body: old } = await turnOn(30);
      await advanceTime(30 * DAY_MS);
      if (when === 'after the task has run') await runExpiryTask();
      const { status, body: key } = await turnOn(null);
      expect([status, key.clientId === old.clientId]).toEqual([200, false]);
      expect([(await token(old)).status, (await token(key)).status]).toEqual([401, 200]);
      expect(await readKeys()).toMatchObject({ apiKey: { clientId: key.clientId }, expiredApiKey: null });
      expect((await listAuditRows()).slice(1)).toEqual([
        ['on', person.userId],
        ['expire', null],
        ['on', person.userId],
      ]);
      await client.del(KEY);
      expect(await readKeys()).toEqual({ apiKey: null, expiredApiKey: null });
    },
  );

  test('is replaced once and its expiry recorded once under concurrent requests and tasks', async () => {
    await turnOn(30);
    await advanceTime(30 * DAY_MS);
    const replies = await Promise.all([turnOn(), runExpiryTask(), turnOn(), runExpiryTask(), turnOn()]);
    const statuses = replies.flatMap((reply) => (reply ? [reply.status] : []));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect((await listAuditRows()).filter(([action]) => action === 'expire')).toHaveLength(1);
  });

  test('limits the validity of its tokens to its own', async () => {
    const { body: key } = await turnOn(30);
    expect((await token(key)).body.expires_in).toBe(900);
    await advanceTime(30 * DAY_MS - 60_000);
    const { body } = await token(key);
    expect(body.expires_in).toBeGreaterThan(50);
    expect(body.expires_in).toBeLessThan(60);
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from access_token t
      join api_key k using (client_id) where client_id = ${key.clientId} and t.expires_at <= k.expires_at`.execute(
      context().db,
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('announces its expiry to the owner once, 14 days before; the mail itself expires with the key', async () => {
    await turnOn(90);
    await advanceTime(76 * DAY_MS - 60_000);
    await runExpiryTask();
    expect(await listMails()).toEqual([]);
    await advanceTime(60_000);
    await Promise.all([runExpiryTask(), runExpiryTask(), runExpiryTask()]);
    await runExpiryTask();
    const [mail, ...more] = await listMails();
    expect([mail?.subject, more]).toEqual([expect.stringMatching(/^Your API key for .+ expires soon$/), []]);
    expect(mail?.body_text).toContain(`${publicUrl}/profile`);
    expect(Math.abs((mail?.expires_at.getTime() ?? 0) - Date.now() - 14 * DAY_MS)).toBeLessThan(3_700_000);
    expect((await listAuditRows()).at(-1)).toEqual(['remind', null]);
  });

  test('sends no reminder for a short-lived or disabled key or to an owner who cannot act', async () => {
    await turnOn(14);
    await advanceTime(5 * DAY_MS);
    await runExpiryTask();
    await client.del(KEY);
    await turnOn(20);
    await client.del(KEY);
    await runExpiryTask();
    await turnOn(20);
    await advanceTime(10 * DAY_MS);
    await context()
      .db.updateTable('membership')
      .set({ is_active: false })
      .where('user_id', '=', person.userId)
      .execute();
    await runExpiryTask();
    expect(await listMails()).toEqual([]);
  });
});
