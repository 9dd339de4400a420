import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { PasskeyOptions, RegisteredPasskey, Session } from '../../contract/generated/types.gen.ts';
import { createPasskey } from '../testing/authenticator.ts';
import type { ErrorBody, Reply } from '../testing/calls.ts';
import {
  createBrowser,
  hashCheaply,
  enrol,
  signInWithPassword,
  getSessionCookie,
} from '../testing/sign-in.ts';
import {
  makePerson,
  makeSite,
  onEachApp,
  createTestApp,
  publicUrl,
  services,
  type Person,
} from '../testing/site.ts';

const PASSWORD = 'correct horse battery';
const passwordHash = hashCheaply(PASSWORD);
const getStatus = ({ status }: Reply<unknown>) => status;

onEachApp((context) => {
  let person: Person;
  beforeEach(async () => {
    person = await makePerson(context().db, await makeSite(context().db), { passwordHash });
  });

  type Passkey = ReturnType<typeof createPasskey>;
  const requestChallenge = async (path: string, steward = '') =>
    (await createBrowser(context().app, { steward }).post<PasskeyOptions>(path)).body.challenge;
  const register = async (passkey: Passkey, steward = person.cookie, name = 'Laptop') => {
    const options = await requestChallenge('/api/session/security/passkeys/options', steward);
    return createBrowser(context().app, { steward }).post<RegisteredPasskey & ErrorBody>(
      '/api/session/security/passkeys',
      {
        name,
        passkey: passkey.register(options),
      },
    );
  };
  const signIn = async (passkey: Passkey, app = context().app) =>
    createBrowser(app).post<Session & ErrorBody>('/api/session/passkey', {
      passkey: passkey.prove(await requestChallenge('/api/session/passkey/options')),
    });

  test('the first passkey comes with recovery codes and a mail, and signs in without a password', async () => {
    const passkey = createPasskey(publicUrl);
    const { status, body } = await register(passkey);
    expect([status, body.passkey.name, body.recoveryCodes?.length]).toEqual([200, 'Laptop', 10]);
    const mails = await sql`select 1 from mail where recipient = ${person.email}`.execute(context().db);
    expect(mails.rows).toHaveLength(1);
    const reply = await signIn(passkey);
    expect([reply.status, reply.body.user.id]).toEqual([200, person.userId]);
    const own = createBrowser(context().app, { steward: getSessionCookie(reply) });
    expect((await own.get('/api/session/sessions')).body).toMatchObject([
      { isCurrent: true, verifiedBy: 'passkey' },
      { isCurrent: false, verifiedBy: null },
    ]);
    expect((await own.get<object>('/api/session/security')).body).toMatchObject({
      passkeys: [{ name: 'Laptop' }],
      proofs: ['passkey', 'recovery-code'],
    });
    expect((await register(createPasskey(publicUrl))).body.recoveryCodes).toBeUndefined();
  });

  test('a passkey is the second factor after a password; its challenge belongs to the user and is used once', async () => {
    const passkey = createPasskey(publicUrl, { verifies: false });
    await register(passkey);
    const pendingSignIn = await signInWithPassword(context().app, {
      email: person.email,
      password: PASSWORD,
    });
    expect([pendingSignIn.status, pendingSignIn.body.methods]).toEqual([202, ['passkey', 'recovery-code']]);
    const cookie = getSessionCookie(pendingSignIn);
    const verify = (proof: object) =>
      createBrowser(context().app, { steward: cookie }).post('/api/session/two-factor', { passkey: proof });
    expect(
      getStatus(await verify(passkey.prove(await requestChallenge('/api/session/passkey/options')))),
    ).toBe(400);
    const stranger = await makePerson(context().db, person.siteId);
    const otherPasskey = createPasskey(publicUrl);
    await register(otherPasskey, stranger.cookie);
    const challengeForUser = await requestChallenge('/api/session/two-factor/passkey', cookie);
    expect(getStatus(await verify(otherPasskey.prove(challengeForUser)))).toBe(400);
    const proof = passkey.prove(challengeForUser);
    expect(getStatus(await verify(proof))).toBe(200);
    const secondSignIn = getSessionCookie(
      await signInWithPassword(context().app, { email: person.email, password: PASSWORD }),
    );
    const replayed = await createBrowser(context().app, { steward: secondSignIn }).post(
      '/api/session/two-factor',
      {
        passkey: proof,
      },
    );
    expect(replayed.status).toBe(400);
  });

  test('rejects another origin, an unverified user, a decreased counter and an unknown passkey', async () => {
    const passkey = createPasskey(publicUrl);
    await register(passkey);
    expect(getStatus(await signIn(createPasskey(publicUrl)))).toBe(401);
    const phishing = createPasskey('http://steward.test.evil.test');
    expect(getStatus(await register(phishing))).toBe(400);
    const touched = createPasskey(publicUrl, { verifies: false });
    expect(getStatus(await register(touched))).toBe(200);
    expect(getStatus(await signIn(touched))).toBe(401);
    expect(getStatus(await signIn(passkey))).toBe(200);
    await sql`update passkey set counter = 1000 where user_id = ${person.userId}`.execute(context().db);
    expect(getStatus(await signIn(passkey))).toBe(401);
    expect(
      getStatus(await createBrowser(context().app).post('/api/session/passkey', { passkey: { id: 'x' } })),
    ).toBe(400);
    const bent = { ...passkey.prove('x'), response: { clientDataJSON: 7, signature: null } };
    expect(
      getStatus(await createBrowser(context().app).post('/api/session/passkey', { passkey: bent })),
    ).toBe(401);
  });

  test('opens one session for twenty concurrent requests with the same proof', async () => {
    const passkey = createPasskey(publicUrl, { counts: false });
    await register(passkey);
    const proof = passkey.prove(await requestChallenge('/api/session/passkey/options'));
    const replies = await Promise.all(
      Array.from({ length: 20 }, () =>
        createBrowser(context().app).post('/api/session/passkey', { passkey: proof }),
      ),
    );
    expect(replies.map(getStatus).toSorted((a, b) => a - b)).toEqual([200, ...Array<number>(19).fill(401)]);
  });

  test('a removed passkey opens nothing; the last required factor cannot be removed', async () => {
    const passkey = createPasskey(publicUrl);
    const { body } = await register(passkey);
    const path = `/api/session/security/passkeys/${body.passkey.id}`;
    const stranger = await makePerson(context().db, person.siteId);
    expect(getStatus(await createBrowser(context().app, { steward: stranger.cookie }).del(path))).toBe(404);
    await sql`update membership set two_factor_enabled = true where user_id = ${person.userId}`.execute(
      context().db,
    );
    expect(getStatus(await createBrowser(context().app, { steward: person.cookie }).del(path))).toBe(409);
    const { cookie } = await enrol(context().app, person.cookie);
    expect(getStatus(await createBrowser(context().app, { steward: cookie }).del(path))).toBe(204);
    expect(getStatus(await signIn(passkey))).toBe(401);
  });

  test('passkeys are not offered when the console has an IP address as its public URL', async () => {
    const app = await createTestApp(context().database, {
      services: { ...services, publicUrl: 'http://127.0.0.1:4400' },
    });
    expect(getStatus(await createBrowser(app).post('/api/session/passkey/options'))).toBe(409);
    const own = await createBrowser(app, { steward: person.cookie }).get('/api/session/security');
    expect(own.body).toMatchObject({ passkeysOffered: false });
    await app.close();
  });
});
