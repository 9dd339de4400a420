import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { OwnSecurity, Presence, SessionInfo } from '../../contract/generated/types.gen.ts';
import { createLink } from '../kernel/auth/one-time-links.store.ts';
import { withTransaction } from '../kernel/db/database.ts';
import { generateCode } from '../testing/authenticator.ts';
import type { ErrorBody, Reply } from '../testing/calls.ts';
import {
  createBrowser,
  hashCheaply,
  getDeviceCookie,
  enrol,
  signInWithPassword,
  getSessionCookie,
} from '../testing/sign-in.ts';
import {
  as,
  contract,
  makePerson,
  makeSite,
  onEachApp,
  createTestApp,
  openSession,
  type Person,
} from '../testing/site.ts';

type StepUpError = ErrorBody & { code?: string };

const PASSWORD = 'correct horse battery';
const passwordHash = hashCheaply(PASSWORD);
const NEW_PASSWORD = 'another long password';
const getStatus = ({ status }: Reply<unknown>) => status;

test('exactly these operations require a fresh proof of presence', () => {
  const ids = contract.operations.filter(({ requiresStepUp: stepUp }) => stepUp).map(({ id }) => id);
  expect(ids.toSorted()).toEqual([
    'approveAgentAuthorization',
    'beginEnrolment',
    'beginPasskeyRegistration',
    'completeHistory',
    'createAgentKey',
    'createBackupDownload',
    'createErasure',
    'createPlatformSite',
    'deleteBackup',
    'downloadBackup',
    'enableApiKey',
    'regenerateRecoveryCodes',
    'removePasskey',
    'removeUser',
    'requestBackup',
    'resetTwoFactor',
    'startUserRemovals',
    'updateSiteIdentity',
  ]);
  const partly = contract.operations.filter(({ stepUpProperties: stepUpFor }) => stepUpFor.length > 0);
  expect(new Map(partly.map(({ id, stepUpProperties: stepUpFor }) => [id, stepUpFor]))).toEqual(
    new Map([
      ['updateProxies', ['users']],
      ['changeProxies', ['add']],
      ['startUserUpdates', ['twoFactorEnabled', 'ipRestrictionsEnabled']],
      ['startUserImport', ['changesSignIn']],
      ['updateUser', ['email', 'federationId', 'twoFactorEnabled', 'ipRestrictionsEnabled']],
    ]),
  );
});

onEachApp((context) => {
  let siteId = 0;
  let person: Person;
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    person = await makePerson(context().db, siteId, { passwordHash });
  });

  const createUserBrowser = (steward: string, app = context().app) => createBrowser(app, { steward });
  /** Makes the last proof of all sessions eleven minutes old. */
  const expireProofs = () =>
    sql`update session set proven_at = now() - interval '11 minutes'`.execute(context().db);
  const listStatuses = async (...cookies: string[]) => {
    const replies = [];
    for (const cookie of cookies)
      replies.push(getStatus(await createUserBrowser(cookie).get('/api/session')));
    return replies;
  };

  test('requires a proof ten minutes after the last one, and accepts the same call after it', async () => {
    const startEnrolment = (cookie: string) =>
      createUserBrowser(cookie).post<StepUpError>('/api/session/two-factor/enrolment');
    expect(getStatus(await startEnrolment(person.cookie))).toBe(200);
    await expireProofs();
    const refused = await startEnrolment(person.cookie);
    expect([refused.status, refused.body.code]).toEqual([403, 'step-up-required']);
    expect(
      (await createUserBrowser(person.cookie).get<OwnSecurity>('/api/session/security')).body,
    ).toMatchObject({
      proofs: ['password'],
      provenUntil: null,
    });
    const wrong = await createUserBrowser(person.cookie).post<ErrorBody>('/api/session/proof', {
      password: 'wrong',
    });
    expect([wrong.status, wrong.body.errors?.[0]?.path]).toEqual([400, 'password']);
    const proof = await createUserBrowser(person.cookie).post<Presence>('/api/session/proof', {
      password: PASSWORD,
    });
    const cookie = getSessionCookie(proof);
    expect(proof.status).toBe(200);
    const minutes = (Date.parse(proof.body.provenUntil) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(9.9);
    expect(minutes).toBeLessThan(10.1);
    expect(await listStatuses(person.cookie, cookie)).toEqual([401, 200]);
    expect(getStatus(await startEnrolment(cookie))).toBe(200);
  });

  test('without a proof rejects removing users, granting proxies and changing sign-in methods; programs are exempt', async () => {
    const other = await makePerson(context().db, siteId, { capabilities: [] });
    await expireProofs();
    const own = createUserBrowser(person.cookie);
    const put = (info: object) => own.put<StepUpError>('user', { id: other.userId, ...info });
    const pair = { proxyUserId: other.userId, userId: person.userId };
    const grant = { proxyUserId: other.userId, users: [person.userId] };
    const refused = [
      own.del<StepUpError>(`user/${other.userId}`),
      own.post<StepUpError>('user/proxy', grant),
      own.post<StepUpError>('user/proxy/changes', { add: [pair] }),
      own.post<StepUpError>('/api/rest/v4/backups/request', {}),
      ...[
        { email: 'thief@elsewhere.test' },
        { federationId: 'thief' },
        { twoFactorEnabled: true },
        { ipRestrictionsEnabled: true },
      ].map(put),
    ];
    const codes = (await Promise.all(refused)).map(({ body }) => body.code);
    expect(codes).toEqual(Array(8).fill('step-up-required'));
    expect(await listStatuses(other.cookie)).toEqual([200]);
    // Revoking requires no proof, because an abused right must be revoked quickly.
    expect(getStatus(await as(context().app, person).post('user/proxy', grant))).toBe(200);
    expect(getStatus(await own.post('user/proxy/changes', { remove: [pair] }))).toBe(204);
    expect(getStatus(await own.post('user/proxy', { ...grant, users: null }))).toBe(200);
    const unchanged = { email: other.email, twoFactorEnabled: false, firstName: 'Otto', isActive: false };
    expect(getStatus(await put(unchanged))).toBe(200);
    const program = as(context().app, person);
    expect(
      getStatus(await program.put('user', { id: other.userId, email: `${crypto.randomUUID()}@x.test` })),
    ).toBe(200);
    expect(getStatus(await program.del(`user/${other.userId}`))).toBe(200);
  });

  test('requires the second factor as proof when the user has one', async () => {
    const { secret, cookie } = await enrol(context().app, person.cookie);
    await expireProofs();
    await sql`update authenticator set last_step = 1`.execute(context().db);
    expect(
      getStatus(await createUserBrowser(cookie).post('/api/session/proof', { password: PASSWORD })),
    ).toBe(403);
    const code = await generateCode(secret);
    const proof = await createUserBrowser(cookie).post('/api/session/proof', { code });
    expect(proof.status).toBe(200);
    const next = getSessionCookie(proof);
    expect(getStatus(await createUserBrowser(next).post('/api/session/security/recovery-codes'))).toBe(200);
    expect(getStatus(await createUserBrowser(next).post('/api/session/proof', { code }))).toBe(400);
  });

  test('limits wrong passwords in a session to ten in 15 minutes', async () => {
    const replies = [];
    for (let at = 0; at < 11; at += 1)
      replies.push(
        getStatus(
          await createUserBrowser(person.cookie).post('/api/session/proof', { password: `wrong ${at}` }),
        ),
      );
    expect(replies).toEqual([...Array<number>(10).fill(400), 429]);
  });

  test('a password change requires the current one, rejects common ones, and ends all other sessions (T01)', async () => {
    const other = await openSession(context().db, siteId, person.userId);
    const change = (body: object) =>
      createUserBrowser(person.cookie).post<ErrorBody & { ended: number }>(
        '/api/session/security/password',
        body,
      );
    const rejections = [
      await change({ currentPassword: 'wrong', password: NEW_PASSWORD }),
      await change({ currentPassword: PASSWORD, password: 'Password2026!' }),
      await change({ currentPassword: PASSWORD, password: person.email }),
    ];
    expect(rejections.map(({ status, body }) => [status, body.errors?.[0]?.path])).toEqual([
      [400, 'currentPassword'],
      [400, 'password'],
      [400, 'password'],
    ]);
    const changed = await change({ currentPassword: PASSWORD, password: NEW_PASSWORD });
    expect([changed.status, changed.body.ended]).toEqual([200, 1]);
    expect(await listStatuses(person.cookie, other, getSessionCookie(changed))).toEqual([401, 401, 200]);
    const replies = [PASSWORD, NEW_PASSWORD].map((password) =>
      signInWithPassword(context().app, { email: person.email, password }),
    );
    expect((await Promise.all(replies)).map(getStatus)).toEqual([401, 200]);
  });

  test('a password change ends a mailed link with which the new one could be replaced', async () => {
    const token = await withTransaction(context().db, {}, (tx) =>
      createLink(tx, { purpose: 'set-password', siteId, userId: person.userId }),
    );
    const body = { currentPassword: PASSWORD, password: NEW_PASSWORD };
    expect(
      getStatus(await createUserBrowser(person.cookie).post('/api/session/security/password', body)),
    ).toBe(200);
    const used = await createBrowser(context().app).post('/api/session/password', {
      token,
      password: PASSWORD,
    });
    expect(used.status).toBe(404);
  });

  test('lists own sessions on all sites, and ends one or all others', async () => {
    const [two, three] = [
      await openSession(context().db, siteId, person.userId),
      await openSession(context().db, siteId, person.userId),
    ];
    const stranger = await makePerson(context().db, siteId);
    const { body: list } = await createUserBrowser(person.cookie).get<SessionInfo[]>('/api/session/sessions');
    expect(list).toHaveLength(3);
    expect(list.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
    expect(JSON.stringify(list)).not.toContain(person.cookie);
    const own = list.find(({ isCurrent }) => isCurrent)?.id ?? '';
    const { body: twos } = await createUserBrowser(two).get<SessionInfo[]>('/api/session/sessions');
    const second = twos.find(({ isCurrent }) => isCurrent)?.id ?? '';
    const end = (cookie: string, id: string) => createUserBrowser(cookie).del(`/api/session/sessions/${id}`);
    expect(getStatus(await end(stranger.cookie, second))).toBe(404);
    expect(getStatus(await end(person.cookie, own))).toBe(409);
    expect(getStatus(await end(person.cookie, second))).toBe(204);
    expect(await listStatuses(person.cookie, two, three)).toEqual([200, 401, 200]);
    expect((await createUserBrowser(person.cookie).del('/api/session/sessions')).body).toEqual({ ended: 1 });
    expect(await listStatuses(person.cookie, three, stranger.cookie)).toEqual([200, 401, 200]);
  });

  test('an administrator lists and ends sessions of a user, also on another process', async () => {
    const admin = await makePerson(context().db, siteId);
    const elsewhere = await createTestApp(context().database);
    expect(getStatus(await createUserBrowser(person.cookie, elsewhere).get('/api/session'))).toBe(200);
    const { body } = await as(context().app, admin).get<{ sessions: SessionInfo[] }>(
      `user/${person.userId}/security`,
    );
    expect(body).toMatchObject({ methods: [], apiKey: { clientId: person.clientId } });
    expect(body.sessions).toHaveLength(1);
    const path = `user/${person.userId}/sessions`;
    const lesser = await makePerson(context().db, siteId, { capabilities: ['Manage Users'] });
    expect(getStatus(await createUserBrowser(lesser.cookie).del(path))).toBe(403);
    expect(
      (await createUserBrowser(admin.cookie).del(`${path}?sessionId=${crypto.randomUUID()}`)).body,
    ).toEqual({
      ended: 0,
    });
    expect(
      (await createUserBrowser(admin.cookie).del(`${path}?sessionId=${body.sessions[0]?.id}`)).body,
    ).toEqual({
      ended: 1,
    });
    expect(getStatus(await createUserBrowser(person.cookie, elsewhere).get('/api/session'))).toBe(401);
    expect((await createUserBrowser(admin.cookie).del(`user/${admin.userId}/sessions`)).body).toEqual({
      ended: 0,
    });
    await elsewhere.close();
  });

  test('a factor reset ends the sessions, is mailed and audited, and keeps the factor required', async () => {
    await sql`update membership set two_factor_enabled = true where user_id = ${person.userId}`.execute(
      context().db,
    );
    const { cookie } = await enrol(context().app, person.cookie);
    const admin = await makePerson(context().db, siteId);
    const lesser = await makePerson(context().db, siteId, { capabilities: ['Manage Users'] });
    const reset = (by: string, userId = person.userId) =>
      createUserBrowser(by).del<ErrorBody & { code?: string }>(`user/${userId}/two-factor`);
    expect(getStatus(await reset(lesser.cookie))).toBe(403);
    expect(getStatus(await reset(cookie))).toBe(409);
    expect(getStatus(await reset(admin.cookie, lesser.userId))).toBe(409);
    await expireProofs();
    expect((await reset(admin.cookie)).body.code).toBe('step-up-required');
    await sql`update session set proven_at = now()`.execute(context().db);
    expect(getStatus(await reset(admin.cookie))).toBe(204);
    expect(await listStatuses(cookie, admin.cookie)).toEqual([401, 200]);
    const { rows } =
      await sql`select action, actor_id from audit_log where subject_id = ${String(person.userId)}
      and site_id = ${siteId} order by audit_id desc limit 1`.execute(context().db);
    expect(rows).toEqual([{ action: 'user.two-factor-reset', actor_id: admin.userId }]);
    const mails =
      await sql`select 1 from mail where recipient = ${person.email} and body_text like '%second factor was reset%'`.execute(
        context().db,
      );
    expect(mails.rows).toHaveLength(1);
    expect((await as(context().app, admin).get(`user/${person.userId}`)).body).toMatchObject({
      twoFactorEnabled: true,
      secondFactorSetUp: false,
    });
    const nextSignIn = await signInWithPassword(context().app, { email: person.email, password: PASSWORD });
    expect(nextSignIn.body.pending).toBe('enrolment');
  });

  test('one site cannot reset the factor of a user who belongs to another one', async () => {
    await enrol(context().app, person.cookie);
    const other = await makeSite(context().db);
    await sql`insert into membership (site_id, user_id, license_type_id) values (${other}, ${person.userId}, 1)`.execute(
      context().db,
    );
    const admin = await makePerson(context().db, siteId);
    expect(getStatus(await createUserBrowser(admin.cookie).del(`user/${person.userId}/two-factor`))).toBe(
      409,
    );
  });

  test('a known device opens a locked account from any address, and is exempt from the limit on unknown devices (T13)', async () => {
    const first = await signInWithPassword(context().app, { email: person.email, password: PASSWORD });
    const device = getDeviceCookie(first);
    expect(device).toMatch(/^[\w-]{43}$/);
    const from = (remoteAddress: string, cookies: object) =>
      createBrowser(context().app, cookies).post(
        '/api/session',
        { email: person.email, password: PASSWORD },
        { remoteAddress },
      );
    await sql`update account set failed_count = 9, locked_until = now() + interval '10 minutes'
      where user_id = ${person.userId}`.execute(context().db);
    const knownDeviceSignIn = await from('203.0.113.7', { device });
    expect([knownDeviceSignIn.status, getDeviceCookie(knownDeviceSignIn)]).toEqual([200, '']);
    await sql`update account set locked_until = now() + interval '10 minutes' where user_id = ${person.userId}`.execute(
      context().db,
    );
    expect(getStatus(await from('203.0.113.8', { device: 'x'.repeat(43) }))).toBe(401);
    const stranger = await makePerson(context().db, siteId, { passwordHash });
    const otherDevice = getDeviceCookie(
      await signInWithPassword(context().app, { email: stranger.email, password: PASSWORD }),
    );
    expect(getStatus(await from('203.0.113.9', { device: otherDevice }))).toBe(401);
    await sql`insert into throttle (key, count, window_started_at) values ('sign-in:strangers', 1000, now())
      on conflict (key) do update set count = 1000, window_started_at = now()`.execute(context().db);
    expect(getStatus(await from('203.0.113.10', {}))).toBe(429);
    expect(getStatus(await from('203.0.113.11', { device }))).toBe(200);
    await sql`delete from throttle`.execute(context().db);
  });
});
