import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { PasskeyOptions, RegisteredPasskey, Session } from '../../contract/generated/types.gen.ts';
import { makePasskey } from '../testing/authenticator.ts';
import type { Refusal, Reply } from '../testing/calls.ts';
import { browserWith, cheapHash, enrol, givePassword, sessionCookie } from '../testing/sign-in.ts';
import {
  makePerson,
  makeSite,
  onEachApp,
  openApp,
  publicUrl,
  services,
  type Person,
} from '../testing/site.ts';

const PASSWORD = 'correct horse battery';
const passwordHash = cheapHash(PASSWORD);
const statusOf = ({ status }: Reply<unknown>) => status;

onEachApp((house) => {
  let person: Person;
  beforeEach(async () => {
    person = await makePerson(house().db, await makeSite(house().db), { passwordHash });
  });

  type Passkey = ReturnType<typeof makePasskey>;
  const challenge = async (path: string, steward = '') =>
    (await browserWith(house().app, { steward }).post<PasskeyOptions>(path)).body.challenge;
  const register = async (passkey: Passkey, steward = person.cookie, name = 'Laptop') => {
    const options = await challenge('/api/session/security/passkeys/options', steward);
    return browserWith(house().app, { steward }).post<RegisteredPasskey & Refusal>(
      '/api/session/security/passkeys',
      {
        name,
        passkey: passkey.register(options),
      },
    );
  };
  const signIn = async (passkey: Passkey, app = house().app) =>
    browserWith(app).post<Session & Refusal>('/api/session/passkey', {
      passkey: passkey.prove(await challenge('/api/session/passkey/options')),
    });

  test('the first one comes with recovery codes, is told by mail, and opens the console by itself', async () => {
    const passkey = makePasskey(publicUrl);
    const { status, body } = await register(passkey);
    expect([status, body.passkey.name, body.recoveryCodes?.length]).toEqual([200, 'Laptop', 10]);
    const mails = await sql`select 1 from mail where recipient = ${person.email}`.execute(house().db);
    expect(mails.rows).toHaveLength(1);
    const reply = await signIn(passkey);
    expect([reply.status, reply.body.user.id]).toEqual([200, person.userId]);
    const own = browserWith(house().app, { steward: sessionCookie(reply) });
    expect((await own.get('/api/session/sessions')).body).toMatchObject([
      { isCurrent: true, verifiedBy: 'passkey' },
      { isCurrent: false, verifiedBy: null },
    ]);
    expect((await own.get<object>('/api/session/security')).body).toMatchObject({
      passkeys: [{ name: 'Laptop' }],
      proofs: ['passkey', 'recovery-code'],
    });
    expect((await register(makePasskey(publicUrl))).body.recoveryCodes).toBeUndefined();
  });

  test('after a password it is the second factor; its challenge is of this person and counts once', async () => {
    const passkey = makePasskey(publicUrl, { verifies: false });
    await register(passkey);
    const half = await givePassword(house().app, { email: person.email, password: PASSWORD });
    expect([half.status, half.body.methods]).toEqual([202, ['passkey', 'recovery-code']]);
    const cookie = sessionCookie(half);
    const verify = (proof: object) =>
      browserWith(house().app, { steward: cookie }).post('/api/session/two-factor', { passkey: proof });
    expect(statusOf(await verify(passkey.prove(await challenge('/api/session/passkey/options'))))).toBe(400);
    const stranger = await makePerson(house().db, person.siteId);
    const theirs = makePasskey(publicUrl);
    await register(theirs, stranger.cookie);
    const asked = await challenge('/api/session/two-factor/passkey', cookie);
    expect(statusOf(await verify(theirs.prove(asked)))).toBe(400);
    const proof = passkey.prove(asked);
    expect(statusOf(await verify(proof))).toBe(200);
    const again = sessionCookie(await givePassword(house().app, { email: person.email, password: PASSWORD }));
    const replayed = await browserWith(house().app, { steward: again }).post('/api/session/two-factor', {
      passkey: proof,
    });
    expect(replayed.status).toBe(400);
  });

  test('what does not fit is refused: another origin, a person who was not verified, a counter that went back, a stranger', async () => {
    const passkey = makePasskey(publicUrl);
    await register(passkey);
    expect(statusOf(await signIn(makePasskey(publicUrl)))).toBe(401);
    const phishing = makePasskey('http://steward.test.evil.test');
    expect(statusOf(await register(phishing))).toBe(400);
    const touched = makePasskey(publicUrl, { verifies: false });
    expect(statusOf(await register(touched))).toBe(200);
    expect(statusOf(await signIn(touched))).toBe(401);
    expect(statusOf(await signIn(passkey))).toBe(200);
    await sql`update passkey set counter = 1000 where user_id = ${person.userId}`.execute(house().db);
    expect(statusOf(await signIn(passkey))).toBe(401);
    expect(
      statusOf(await browserWith(house().app).post('/api/session/passkey', { passkey: { id: 'x' } })),
    ).toBe(400);
    const bent = { ...passkey.prove('x'), response: { clientDataJSON: 7, signature: null } };
    expect(statusOf(await browserWith(house().app).post('/api/session/passkey', { passkey: bent }))).toBe(
      401,
    );
  });

  test('of twenty at the same moment with one proof one opens a session', async () => {
    const passkey = makePasskey(publicUrl, { counts: false });
    await register(passkey);
    const proof = passkey.prove(await challenge('/api/session/passkey/options'));
    const replies = await Promise.all(
      Array.from({ length: 20 }, () =>
        browserWith(house().app).post('/api/session/passkey', { passkey: proof }),
      ),
    );
    expect(replies.map(statusOf).toSorted((a, b) => a - b)).toEqual([200, ...Array<number>(19).fill(401)]);
  });

  test('removed it opens nothing; the last factor of somebody who is asked for one stays', async () => {
    const passkey = makePasskey(publicUrl);
    const { body } = await register(passkey);
    const path = `/api/session/security/passkeys/${body.passkey.id}`;
    const stranger = await makePerson(house().db, person.siteId);
    expect(statusOf(await browserWith(house().app, { steward: stranger.cookie }).del(path))).toBe(404);
    await sql`update membership set two_factor_enabled = true where user_id = ${person.userId}`.execute(
      house().db,
    );
    expect(statusOf(await browserWith(house().app, { steward: person.cookie }).del(path))).toBe(409);
    const { cookie } = await enrol(house().app, person.cookie);
    expect(statusOf(await browserWith(house().app, { steward: cookie }).del(path))).toBe(204);
    expect(statusOf(await signIn(passkey))).toBe(401);
  });

  test('a console that is reached by an IP address says that it has none', async () => {
    const app = await openApp(house().database, {
      services: { ...services, publicUrl: 'http://127.0.0.1:4400' },
    });
    expect(statusOf(await browserWith(app).post('/api/session/passkey/options'))).toBe(409);
    const own = await browserWith(app, { steward: person.cookie }).get('/api/session/security');
    expect(own.body).toMatchObject({ passkeysOffered: false });
    await app.close();
  });
});
