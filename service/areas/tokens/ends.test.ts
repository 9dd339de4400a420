/** How API keys expire by themselves, and say so before. */
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type {
  ApiKeySecret,
  ApiKeyUsage,
  OwnApiKey,
  TokenResponse,
  UserSecurity,
} from '../../../contract/generated/types.gen.ts';
import { findAccessToken } from '../../kernel/auth/store.ts';
import { withTransaction } from '../../kernel/db/transaction.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { askToken, callsWith, type Calls, type Refusal } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, openApp, type Person } from '../../testing/site.ts';
import { keyEndsChore } from './ends.ts';
import { findApiKey } from './store.ts';

const KEY = '/api/session/apikey';
const DAY = 86_400_000;
const LOCAL = '127.0.0.1';

onEachApp((house) => {
  let siteId = 0;
  let person: Person;
  let own: Calls;
  beforeEach(async () => {
    siteId = await makeSite(house().db);
    person = await makePerson(house().db, siteId);
    own = as(house().app, person, 'console');
    await own.del(KEY);
  });

  const turnOn = (expiresInDays?: number | null) =>
    own.post<ApiKeySecret & Refusal>(KEY, {
      scopes: ['user_management'],
      ...(expiresInDays !== undefined && { expiresInDays }),
    });
  const token = (key: Pick<ApiKeySecret, 'clientId' | 'clientSecret'>, app = house().app) =>
    askToken(app, key);
  const listWith = async ({ access_token }: TokenResponse, app = house().app) =>
    (await callsWith(app, '', { authorization: `Bearer ${access_token}` }).get('user?pageSize=1')).status;
  const read = async () => (await own.get<OwnApiKey>(KEY)).body;
  /** So much time has passed for the key. */
  const pass = (ms: number) =>
    sql`update api_key set expires_at = expires_at - make_interval(secs => ${ms / 1000})
      where user_id = ${person.userId} and disabled_at is null`.execute(house().db);
  const publicUrl = 'https://steward.test';
  const sweep = () => keyEndsChore({ db: house().db, services: { wakeMail: () => {}, publicUrl } }).run();
  const mails = () =>
    house()
      .db.selectFrom('mail')
      .select(['subject', 'body_text', 'expires_at'])
      .where('recipient', '=', person.email)
      .execute();
  const told = async () => {
    const rows = await house()
      .db.selectFrom('audit_log')
      .select(['action', 'actor_id'])
      .where('site_id', '=', siteId)
      .where('subject_id', '=', String(person.userId))
      .where('action', 'like', 'user.api-key-%')
      .orderBy('audit_id')
      .execute();
    return rows.map(({ action, actor_id }) => [action.replace('user.api-key-', ''), actor_id]);
  };

  test('it ends as many days after it was turned on as its owner says; where they say nothing, never', async () => {
    const { body } = await turnOn(90);
    const { apiKey } = await read();
    expect(apiKey?.expiresDate).toBe(body.expiresDate);
    expect(Date.parse(body.expiresDate ?? '') - Date.parse(body.createdDate)).toBe(90 * DAY);
    for (const none of [undefined, null]) {
      await own.del(KEY);
      expect((await turnOn(none)).body.expiresDate).toBeNull();
      expect(await read()).toMatchObject({ apiKey: { expiresDate: null }, expiredApiKey: null });
    }
    await own.del(KEY);
    for (const wrong of [0, -1, 1.5, 3651]) expect((await turnOn(wrong)).status).toBe(400);
  });

  test('at its instant, by the clock of the database, it opens nothing, and a millisecond before it does', async () => {
    const { body: key } = await turnOn(30);
    const { body } = await token(key);
    await withTransaction(house().db, {}, async (tx) => {
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

  test('its tokens end with it on every process, before any chore came by; it stands there as expired', async () => {
    const elsewhere = await openApp(house().database);
    const { body: key } = await turnOn(30);
    const { body } = await token(key, elsewhere);
    expect([await listWith(body), await listWith(body, elsewhere)]).toEqual([200, 200]);
    await pass(30 * DAY);
    expect([await listWith(body), await listWith(body, elsewhere)]).toEqual([401, 401]);
    expect([(await token(key)).status, (await token(key, elsewhere)).status]).toEqual([401, 401]);
    await elsewhere.close();
    const expired = { clientId: key.clientId };
    expect((await read()).expiredApiKey?.expiresDate).toEqual(expect.any(String));
    expect(await read()).toMatchObject({ apiKey: null, expiredApiKey: expired });
    expect((await own.get<ApiKeyUsage>(`${KEY}/usage`)).status).toBe(404);
    expect((await own.del(KEY)).status).toBe(404);
    await sweep();
    expect(await read()).toMatchObject({ apiKey: null, expiredApiKey: expired });
    const admin = as(house().app, await makePerson(house().db, siteId));
    expect((await admin.get<UserSecurity>(`user/${person.userId}/security`)).body).toMatchObject({
      apiKey: null,
      expiredApiKey: expired,
    });
    const { rows } = await sql`select 1 from access_token where client_id = ${key.clientId}`.execute(
      house().db,
    );
    expect(rows).toEqual([]);
  });

  test.each(['before a chore came by', 'after it'])(
    'a new one takes its place, %s; the old one never comes back (spec 5.3)',
    async (when) => {
      const { body: old } = await turnOn(30);
      await pass(30 * DAY);
      if (when === 'after it') await sweep();
      const { status, body: key } = await turnOn(null);
      expect([status, key.clientId === old.clientId]).toEqual([200, false]);
      expect([(await token(old)).status, (await token(key)).status]).toEqual([401, 200]);
      expect(await read()).toMatchObject({ apiKey: { clientId: key.clientId }, expiredApiKey: null });
      expect((await told()).slice(1)).toEqual([
        ['on', person.userId],
        ['expire', null],
        ['on', person.userId],
      ]);
      await own.del(KEY);
      expect(await read()).toEqual({ apiKey: null, expiredApiKey: null });
    },
  );

  test('of several that turn one on in its place at once, one does; sweeps at the same time tell the end once', async () => {
    await turnOn(30);
    await pass(30 * DAY);
    const replies = await Promise.all([turnOn(), sweep(), turnOn(), sweep(), turnOn()]);
    const statuses = replies.flatMap((reply) => (reply ? [reply.status] : []));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect((await told()).filter(([action]) => action === 'expire')).toHaveLength(1);
  });

  test('a token that would hold longer than the key ends with it, and says so', async () => {
    const { body: key } = await turnOn(30);
    expect((await token(key)).body.expires_in).toBe(900);
    await pass(30 * DAY - 60_000);
    const { body } = await token(key);
    expect(body.expires_in).toBeGreaterThan(50);
    expect(body.expires_in).toBeLessThan(60);
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from access_token t
      join api_key k using (client_id) where client_id = ${key.clientId} and t.expires_at <= k.expires_at`.execute(
      house().db,
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('its owner is told 14 days before, by mail, once, whoever sweeps; the mail is not sent after the end', async () => {
    await turnOn(90);
    await pass(76 * DAY - 60_000);
    await sweep();
    expect(await mails()).toEqual([]);
    await pass(60_000);
    await Promise.all([sweep(), sweep(), sweep()]);
    await sweep();
    const [mail, ...more] = await mails();
    expect([mail?.subject, more]).toEqual([expect.stringMatching(/^Your API key for .+ expires soon$/), []]);
    expect(mail?.body_text).toContain(`${publicUrl}/profile`);
    expect(Math.abs((mail?.expires_at.getTime() ?? 0) - Date.now() - 14 * DAY)).toBeLessThan(3_700_000);
    expect((await told()).at(-1)).toEqual(['remind', null]);
  });

  test('nobody is told of a key turned on for fewer days, turned off, or of whom cannot act', async () => {
    await turnOn(14);
    await pass(5 * DAY);
    await sweep();
    await own.del(KEY);
    await turnOn(20);
    await own.del(KEY);
    await sweep();
    await turnOn(20);
    await pass(10 * DAY);
    await house()
      .db.updateTable('membership')
      .set({ is_active: false })
      .where('user_id', '=', person.userId)
      .execute();
    await sweep();
    expect(await mails()).toEqual([]);
  });
});
