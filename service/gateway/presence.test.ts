import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { OwnSecurity, Presence, SessionInfo } from '../../contract/generated/types.gen.ts';
import { codeOf } from '../testing/authenticator.ts';
import type { Refusal, Reply } from '../testing/calls.ts';
import {
  browserWith,
  cheapHash,
  deviceCookie,
  enrol,
  givePassword,
  sessionCookie,
} from '../testing/sign-in.ts';
import {
  as,
  contract,
  makePerson,
  makeSite,
  onEachApp,
  openApp,
  openSession,
  type Person,
} from '../testing/site.ts';

type Asked = Refusal & { code?: string };

const PASSWORD = 'correct horse battery';
const passwordHash = cheapHash(PASSWORD);
const NEW = 'another long password';
const statusOf = ({ status }: Reply<unknown>) => status;

test('what asks for a fresh proof is this, and nothing else', () => {
  const ids = contract.operations.filter(({ stepUp }) => stepUp).map(({ id }) => id);
  expect(ids.toSorted()).toEqual([
    'beginEnrolment',
    'beginPasskeyRegistration',
    'createBackupDownload',
    'createPlatformSite',
    'deleteBackup',
    'downloadBackup',
    'enableApiKey',
    'regenerateRecoveryCodes',
    'removePasskey',
    'removeUser',
    'requestBackup',
    'resetTwoFactor',
    'updateSiteIdentity',
  ]);
  const partly = contract.operations.filter(({ stepUpFor }) => stepUpFor.length > 0);
  expect(new Map(partly.map(({ id, stepUpFor }) => [id, stepUpFor]))).toEqual(
    new Map([
      ['updateProxies', ['users']],
      ['changeProxies', ['add']],
      ['updateUser', ['email', 'federationId', 'twoFactorEnabled', 'ipRestrictionsEnabled']],
    ]),
  );
});

onEachApp((house) => {
  let siteId = 0;
  let person: Person;
  beforeEach(async () => {
    siteId = await makeSite(house().db);
    person = await makePerson(house().db, siteId, { passwordHash });
  });

  const browser = (steward: string, app = house().app) => browserWith(app, { steward });
  /** Lets the proofs of everybody's sessions become eleven minutes old. */
  const age = () => sql`update session set proven_at = now() - interval '11 minutes'`.execute(house().db);
  const alive = async (...cookies: string[]) => {
    const replies = [];
    for (const cookie of cookies) replies.push(statusOf(await browser(cookie).get('/api/session')));
    return replies;
  };

  test('ten minutes after the last proof it is asked for, and the same call goes through after it', async () => {
    const begin = (cookie: string) => browser(cookie).post<Asked>('/api/session/two-factor/enrolment');
    expect(statusOf(await begin(person.cookie))).toBe(200);
    await age();
    const refused = await begin(person.cookie);
    expect([refused.status, refused.body.code]).toEqual([403, 'step-up-required']);
    expect((await browser(person.cookie).get<OwnSecurity>('/api/session/security')).body).toMatchObject({
      proofs: ['password'],
      provenUntil: null,
    });
    const wrong = await browser(person.cookie).post<Refusal>('/api/session/proof', { password: 'wrong' });
    expect([wrong.status, wrong.body.errors?.[0]?.path]).toEqual([400, 'password']);
    const proof = await browser(person.cookie).post<Presence>('/api/session/proof', { password: PASSWORD });
    const cookie = sessionCookie(proof);
    expect(proof.status).toBe(200);
    const minutes = (Date.parse(proof.body.provenUntil) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(9.9);
    expect(minutes).toBeLessThan(10.1);
    expect(await alive(person.cookie, cookie)).toEqual([401, 200]);
    expect(statusOf(await begin(cookie))).toBe(200);
  });

  test('without a proof nobody is removed, acted for, or given another way to sign in; programs are not asked', async () => {
    const other = await makePerson(house().db, siteId, { capabilities: [] });
    await age();
    const own = browser(person.cookie);
    const put = (info: object) => own.put<Asked>('user', { id: other.userId, ...info });
    const pair = { proxyUserId: other.userId, userId: person.userId };
    const grant = { proxyUserId: other.userId, users: [person.userId] };
    const refused = [
      own.del<Asked>(`user/${other.userId}`),
      own.post<Asked>('user/proxy', grant),
      own.post<Asked>('user/proxy/changes', { add: [pair] }),
      own.post<Asked>('/api/rest/v4/backups/request', {}),
      ...[
        { email: 'thief@elsewhere.test' },
        { federationId: 'thief' },
        { twoFactorEnabled: true },
        { ipRestrictionsEnabled: true },
      ].map(put),
    ];
    const codes = (await Promise.all(refused)).map(({ body }) => body.code);
    expect(codes).toEqual(Array(8).fill('step-up-required'));
    expect(await alive(other.cookie)).toEqual([200]);
    // Taking away asks for nothing: whoever finds a right abused must be quick.
    expect(statusOf(await as(house().app, person).post('user/proxy', grant))).toBe(200);
    expect(statusOf(await own.post('user/proxy/changes', { remove: [pair] }))).toBe(204);
    expect(statusOf(await own.post('user/proxy', { ...grant, users: null }))).toBe(200);
    const same = { email: other.email, twoFactorEnabled: false, firstName: 'Otto', isActive: false };
    expect(statusOf(await put(same))).toBe(200);
    const program = as(house().app, person);
    expect(
      statusOf(await program.put('user', { id: other.userId, email: `${crypto.randomUUID()}@x.test` })),
    ).toBe(200);
    expect(statusOf(await program.del(`user/${other.userId}`))).toBe(200);
  });

  test('who has a second factor proves it with that one; the password is not enough any more', async () => {
    const { secret, cookie } = await enrol(house().app, person.cookie);
    await age();
    await sql`update authenticator set last_step = 1`.execute(house().db);
    expect(statusOf(await browser(cookie).post('/api/session/proof', { password: PASSWORD }))).toBe(403);
    const code = await codeOf(secret);
    const proof = await browser(cookie).post('/api/session/proof', { code });
    expect(proof.status).toBe(200);
    const next = sessionCookie(proof);
    expect(statusOf(await browser(next).post('/api/session/security/recovery-codes'))).toBe(200);
    expect(statusOf(await browser(next).post('/api/session/proof', { code }))).toBe(400);
  });

  test('ten wrong passwords in a quarter of an hour are the most, in a session too', async () => {
    const replies = [];
    for (let at = 0; at < 11; at += 1)
      replies.push(
        statusOf(await browser(person.cookie).post('/api/session/proof', { password: `wrong ${at}` })),
      );
    expect(replies).toEqual([...Array<number>(10).fill(400), 429]);
  });

  test('a new password needs the present one, is not a common one, and ends every other session (T01)', async () => {
    const other = await openSession(house().db, siteId, person.userId);
    const change = (body: object) =>
      browser(person.cookie).post<Refusal & { ended: number }>('/api/session/security/password', body);
    const faults = [
      await change({ currentPassword: 'wrong', password: NEW }),
      await change({ currentPassword: PASSWORD, password: 'Password2026!' }),
      await change({ currentPassword: PASSWORD, password: person.email }),
    ];
    expect(faults.map(({ status, body }) => [status, body.errors?.[0]?.path])).toEqual([
      [400, 'currentPassword'],
      [400, 'password'],
      [400, 'password'],
    ]);
    const changed = await change({ currentPassword: PASSWORD, password: NEW });
    expect([changed.status, changed.body.ended]).toEqual([200, 1]);
    expect(await alive(person.cookie, other, sessionCookie(changed))).toEqual([401, 401, 200]);
    const replies = [PASSWORD, NEW].map((password) =>
      givePassword(house().app, { email: person.email, password }),
    );
    expect((await Promise.all(replies)).map(statusOf)).toEqual([401, 200]);
  });

  test('own sessions are listed on all sites, and ended one by one or all but this one', async () => {
    const [two, three] = [
      await openSession(house().db, siteId, person.userId),
      await openSession(house().db, siteId, person.userId),
    ];
    const stranger = await makePerson(house().db, siteId);
    const { body: list } = await browser(person.cookie).get<SessionInfo[]>('/api/session/sessions');
    expect(list).toHaveLength(3);
    expect(list.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
    expect(JSON.stringify(list)).not.toContain(person.cookie);
    const own = list.find(({ isCurrent }) => isCurrent)?.id ?? '';
    const { body: twos } = await browser(two).get<SessionInfo[]>('/api/session/sessions');
    const second = twos.find(({ isCurrent }) => isCurrent)?.id ?? '';
    const end = (cookie: string, id: string) => browser(cookie).del(`/api/session/sessions/${id}`);
    expect(statusOf(await end(stranger.cookie, second))).toBe(404);
    expect(statusOf(await end(person.cookie, own))).toBe(409);
    expect(statusOf(await end(person.cookie, second))).toBe(204);
    expect(await alive(person.cookie, two, three)).toEqual([200, 401, 200]);
    expect((await browser(person.cookie).del('/api/session/sessions')).body).toEqual({ ended: 1 });
    expect(await alive(person.cookie, three, stranger.cookie)).toEqual([200, 401, 200]);
  });

  test('an administrator sees and ends the sessions of a user, also of one who works on another process', async () => {
    const admin = await makePerson(house().db, siteId);
    const elsewhere = await openApp(house().database);
    expect(statusOf(await browser(person.cookie, elsewhere).get('/api/session'))).toBe(200);
    const { body } = await as(house().app, admin).get<{ sessions: SessionInfo[] }>(
      `user/${person.userId}/security`,
    );
    expect(body).toMatchObject({ methods: [], apiKey: { clientId: person.clientId } });
    expect(body.sessions).toHaveLength(1);
    const path = `user/${person.userId}/sessions`;
    const lesser = await makePerson(house().db, siteId, { capabilities: ['Manage Users'] });
    expect(statusOf(await browser(lesser.cookie).del(path))).toBe(403);
    expect((await browser(admin.cookie).del(`${path}?sessionId=${crypto.randomUUID()}`)).body).toEqual({
      ended: 0,
    });
    expect((await browser(admin.cookie).del(`${path}?sessionId=${body.sessions[0]?.id}`)).body).toEqual({
      ended: 1,
    });
    expect(statusOf(await browser(person.cookie, elsewhere).get('/api/session'))).toBe(401);
    expect((await browser(admin.cookie).del(`user/${admin.userId}/sessions`)).body).toEqual({ ended: 0 });
    await elsewhere.close();
  });

  test('a lost factor is reset by who may: it ends the sessions, is told by mail and in the log, and stays asked for', async () => {
    await sql`update membership set two_factor_enabled = true where user_id = ${person.userId}`.execute(
      house().db,
    );
    const { cookie } = await enrol(house().app, person.cookie);
    const admin = await makePerson(house().db, siteId);
    const lesser = await makePerson(house().db, siteId, { capabilities: ['Manage Users'] });
    const reset = (by: string, userId = person.userId) =>
      browser(by).del<Refusal & { code?: string }>(`user/${userId}/two-factor`);
    expect(statusOf(await reset(lesser.cookie))).toBe(403);
    expect(statusOf(await reset(cookie))).toBe(409);
    expect(statusOf(await reset(admin.cookie, lesser.userId))).toBe(409);
    await age();
    expect((await reset(admin.cookie)).body.code).toBe('step-up-required');
    await sql`update session set proven_at = now()`.execute(house().db);
    expect(statusOf(await reset(admin.cookie))).toBe(204);
    expect(await alive(cookie, admin.cookie)).toEqual([401, 200]);
    const { rows } =
      await sql`select action, actor_id from audit_log where subject_id = ${String(person.userId)}
      and site_id = ${siteId} order by audit_id desc limit 1`.execute(house().db);
    expect(rows).toEqual([{ action: 'user.two-factor-reset', actor_id: admin.userId }]);
    const mails =
      await sql`select 1 from mail where recipient = ${person.email} and body_text like '%second factor was reset%'`.execute(
        house().db,
      );
    expect(mails.rows).toHaveLength(1);
    expect((await as(house().app, admin).get(`user/${person.userId}`)).body).toMatchObject({
      twoFactorEnabled: true,
      secondFactorSetUp: false,
    });
    const again = await givePassword(house().app, { email: person.email, password: PASSWORD });
    expect(again.body.pending).toBe('enrolment');
  });

  test('one site alone does not reset the factor of somebody who belongs to another too', async () => {
    await enrol(house().app, person.cookie);
    const other = await makeSite(house().db);
    await sql`insert into membership (site_id, user_id, license_type_id) values (${other}, ${person.userId}, 1)`.execute(
      house().db,
    );
    const admin = await makePerson(house().db, siteId);
    expect(statusOf(await browser(admin.cookie).del(`user/${person.userId}/two-factor`))).toBe(409);
  });

  test('a browser that is known opens a resting account from any address, and an attack on all of them stops only strangers (T13)', async () => {
    const first = await givePassword(house().app, { email: person.email, password: PASSWORD });
    const device = deviceCookie(first);
    expect(device).toMatch(/^[\w-]{43}$/);
    const from = (remoteAddress: string, cookies: object) =>
      browserWith(house().app, cookies).post(
        '/api/session',
        { email: person.email, password: PASSWORD },
        { remoteAddress },
      );
    await sql`update account set failed_count = 9, locked_until = now() + interval '10 minutes'
      where user_id = ${person.userId}`.execute(house().db);
    const known = await from('203.0.113.7', { device });
    expect([known.status, deviceCookie(known)]).toEqual([200, '']);
    await sql`update account set locked_until = now() + interval '10 minutes' where user_id = ${person.userId}`.execute(
      house().db,
    );
    expect(statusOf(await from('203.0.113.8', { device: 'x'.repeat(43) }))).toBe(401);
    const stranger = await makePerson(house().db, siteId, { passwordHash });
    const theirs = deviceCookie(
      await givePassword(house().app, { email: stranger.email, password: PASSWORD }),
    );
    expect(statusOf(await from('203.0.113.9', { device: theirs }))).toBe(401);
    await sql`insert into throttle (key, count, window_started_at) values ('sign-in:strangers', 1000, now())
      on conflict (key) do update set count = 1000, window_started_at = now()`.execute(house().db);
    expect(statusOf(await from('203.0.113.10', {}))).toBe(429);
    expect(statusOf(await from('203.0.113.11', { device }))).toBe(200);
    await sql`delete from throttle`.execute(house().db);
  });
});
