/** Changes between a proof and the session it opens, and what a password change invalidates (T01, T13). */
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { PasskeyOptions } from '../../contract/generated/types.gen.ts';
import { hashPassword } from '../kernel/auth/passwords.ts';
import type { Tx } from '../kernel/db/database.ts';
import { generateCode, createPasskey } from '../testing/authenticator.ts';
import type { Reply } from '../testing/calls.ts';
import { countWaiting } from '../testing/databases.ts';
import { createBrowser, getDeviceCookie, enrol, getSessionCookie } from '../testing/sign-in.ts';
import { makePerson, makeSite, onEachApp, publicUrl, type Person } from '../testing/site.ts';

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'another long password';
type Cookies = { steward?: string; device?: string };

onEachApp((context) => {
  let passwordHash = '';
  let newPasswordHash = '';
  let person: Person;
  beforeAll(async () => {
    [passwordHash, newPasswordHash] = [await hashPassword(PASSWORD), await hashPassword(NEW_PASSWORD)];
  });
  beforeEach(async () => {
    person = await makePerson(context().db, await makeSite(context().db), { passwordHash });
  });

  const createUserBrowser = (cookies: Cookies = {}) => createBrowser(context().app, cookies);
  const signIn = (cookies: Cookies = {}, password = PASSWORD) =>
    createUserBrowser(cookies).post('/api/session', { email: person.email, password });
  const countSessions = async () => {
    const { rows } = await sql`select 1 from session where user_id = ${person.userId}`.execute(context().db);
    return rows.length;
  };

  /** Locks the account, waits until the request blocks on it, runs `work`, and commits. */
  async function runDuringLock<T>(request: () => Promise<Reply<T>>, work: (tx: Tx) => Promise<unknown>) {
    const { db, database } = context();
    let reply: Promise<Reply<T>> | undefined;
    await db.transaction().execute(async (tx) => {
      await sql`select 1 from account where user_id = ${person.userId} for no key update`.execute(tx);
      const pendingRequest = request();
      reply = pendingRequest;
      // The embedded database has one connection: there the whole request waits.
      if (database.kind === 'postgres') {
        let isOver = false;
        void pendingRequest.then(() => (isOver = true));
        await vi.waitUntil(async () => isOver || (await countWaiting(db)) > 0, { timeout: 5000 });
      }
      await work(tx);
      await tx.deleteFrom('session').where('user_id', '=', person.userId).execute();
    });
    return reply;
  }

  test('a sign-in with the old password fails when the password changes meanwhile', async () => {
    const reply = await runDuringLock(signIn, (tx) =>
      tx
        .updateTable('account')
        .set({ password_hash: newPasswordHash })
        .where('user_id', '=', person.userId)
        .execute(),
    );
    expect([reply?.status, await countSessions()]).toEqual([401, 0]);
  });

  test('a sign-in with a passkey fails when the passkey is removed meanwhile', async () => {
    const passkey = createPasskey(publicUrl);
    const ownBrowser = createUserBrowser({ steward: person.cookie });
    const options = await ownBrowser.post<PasskeyOptions>('/api/session/security/passkeys/options');
    const answer = passkey.register(options.body.challenge);
    expect(
      (await ownBrowser.post('/api/session/security/passkeys', { name: 'One', passkey: answer })).status,
    ).toBe(200);
    const { body } = await createUserBrowser().post<PasskeyOptions>('/api/session/passkey/options');
    const proof = passkey.prove(body.challenge);
    const reply = await runDuringLock(
      () => createUserBrowser().post('/api/session/passkey', { passkey: proof }),
      (tx) => tx.deleteFrom('passkey').where('user_id', '=', person.userId).execute(),
    );
    expect([reply?.status, await countSessions()]).toEqual([401, 0]);
  });

  test('a password change makes all other known devices unknown', async () => {
    const [ownSignIn, otherSignIn] = [await signIn(), await signIn()];
    const changed = await createUserBrowser({
      steward: getSessionCookie(ownSignIn),
      device: getDeviceCookie(ownSignIn),
    }).post('/api/session/security/password', { currentPassword: PASSWORD, password: NEW_PASSWORD });
    expect(changed.status).toBe(200);
    await sql`update activity set ip_address = '203.0.113.9' where user_id = ${person.userId}`.execute(
      context().db,
    );
    const lockAccount = () =>
      sql`update account set failed_count = 9, locked_until = now() + interval '10 minutes'
        where user_id = ${person.userId}`.execute(context().db);
    await lockAccount();
    const signInFromDevice = (reply: Reply<unknown>) =>
      signIn({ device: getDeviceCookie(reply) }, NEW_PASSWORD);
    expect((await signInFromDevice(otherSignIn)).status).toBe(401);
    expect((await signInFromDevice(ownSignIn)).status).toBe(200);
  });

  const startSignIn = async (cookies: Cookies = {}) => getSessionCookie(await signIn(cookies));

  const submitCode = async (code: string, cookies: Cookies = {}) =>
    createUserBrowser({ ...cookies, steward: await startSignIn(cookies) }).post('/api/session/two-factor', {
      code,
    });

  test('guessing codes with the right password does not lock the owner out of a known device (T14)', async () => {
    const { secret } = await enrol(context().app, person.cookie);
    const resetLastStep = () => sql`update authenticator set last_step = 1`.execute(context().db);
    await resetLastStep();
    const device = getDeviceCookie(await submitCode(await generateCode(secret)));
    const replies = [];
    for (let at = 0; at < 11; at += 1) replies.push((await submitCode(String(100_000 + at))).status);
    expect(replies.at(-1)).toBe(429);
    await resetLastStep();
    expect((await submitCode(await generateCode(secret), { device })).status).toBe(200);
    // A known device is limited by its own attempts.
    const statuses = [];
    for (let at = 0; at < 11; at += 1)
      statuses.push((await submitCode(String(200_000 + at), { device })).status);
    expect(statuses.at(-1)).toBe(429);
  });
});
