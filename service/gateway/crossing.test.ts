/** What changes between a proof and the session that it opens, and what a new password leaves of the old one (T01, T13). */
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { PasskeyOptions } from '../../contract/generated/types.gen.ts';
import { hashPassword } from '../kernel/auth/password.ts';
import type { Tx } from '../kernel/db/database.ts';
import { codeOf, makePasskey } from '../testing/authenticator.ts';
import type { Reply } from '../testing/calls.ts';
import { browserWith, deviceCookie, enrol, sessionCookie } from '../testing/sign-in.ts';
import { makePerson, makeSite, onEachApp, publicUrl, type Person } from '../testing/site.ts';

const PASSWORD = 'correct horse battery';
const NEW = 'another long password';
type Cookies = { steward?: string; device?: string };

onEachApp((house) => {
  let passwordHash = '';
  let newHash = '';
  let person: Person;
  beforeAll(async () => {
    [passwordHash, newHash] = [await hashPassword(PASSWORD), await hashPassword(NEW)];
  });
  beforeEach(async () => {
    person = await makePerson(house().db, await makeSite(house().db), { passwordHash });
  });

  const browser = (cookies: Cookies = {}) => browserWith(house().app, cookies);
  const signIn = (cookies: Cookies = {}, password = PASSWORD) =>
    browser(cookies).post('/api/session', { email: person.email, password });
  const sessions = async () => {
    const { rows } = await sql`select 1 from session where user_id = ${person.userId}`.execute(house().db);
    return rows.length;
  };

  /** Holds the account, lets the request run into it, changes what `work` does, and lets go. */
  async function crossed<T>(request: () => Promise<Reply<T>>, work: (tx: Tx) => Promise<unknown>) {
    const { db, database } = house();
    let reply: Promise<Reply<T>> | undefined;
    await db.transaction().execute(async (tx) => {
      await sql`select 1 from account where user_id = ${person.userId} for no key update`.execute(tx);
      const asked = request();
      reply = asked;
      // The embedded database has one connection: there the request waits as a whole.
      if (database.kind === 'postgres') {
        let isOver = false;
        void asked.then(() => (isOver = true));
        await vi.waitUntil(async () => isOver || (await isWaiting()), { timeout: 5000 });
      }
      await work(tx);
      await tx.deleteFrom('session').where('user_id', '=', person.userId).execute();
    });
    return reply;
  }
  const isWaiting = async () => {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(house().db);
    return rows.length > 0;
  };

  test('the old password does not come in behind the back of the new one', async () => {
    const reply = await crossed(signIn, (tx) =>
      tx
        .updateTable('account')
        .set({ password_hash: newHash })
        .where('user_id', '=', person.userId)
        .execute(),
    );
    expect([reply?.status, await sessions()]).toEqual([401, 0]);
  });

  test('nor does a passkey that is being removed', async () => {
    const passkey = makePasskey(publicUrl);
    const own = browser({ steward: person.cookie });
    const made = await own.post<PasskeyOptions>('/api/session/security/passkeys/options');
    const answer = passkey.register(made.body.challenge);
    expect((await own.post('/api/session/security/passkeys', { name: 'One', passkey: answer })).status).toBe(
      200,
    );
    const { body } = await browser().post<PasskeyOptions>('/api/session/passkey/options');
    const proof = passkey.prove(body.challenge);
    const reply = await crossed(
      () => browser().post('/api/session/passkey', { passkey: proof }),
      (tx) => tx.deleteFrom('passkey').where('user_id', '=', person.userId).execute(),
    );
    expect([reply?.status, await sessions()]).toEqual([401, 0]);
  });

  test('with a new password the browsers that knew the old one are strangers again', async () => {
    const [mine, theirs] = [await signIn(), await signIn()];
    const changed = await browser({
      steward: sessionCookie(mine),
      device: deviceCookie(mine),
    }).post('/api/session/security/password', { currentPassword: PASSWORD, password: NEW });
    expect(changed.status).toBe(200);
    await sql`update activity set ip_address = '203.0.113.9' where user_id = ${person.userId}`.execute(
      house().db,
    );
    const resting = () =>
      sql`update account set failed_count = 9, locked_until = now() + interval '10 minutes'
        where user_id = ${person.userId}`.execute(house().db);
    await resting();
    const from = (reply: Reply<unknown>) => signIn({ device: deviceCookie(reply) }, NEW);
    expect((await from(theirs)).status).toBe(401);
    expect((await from(mine)).status).toBe(200);
  });

  const half = async (cookies: Cookies = {}) => sessionCookie(await signIn(cookies));

  const give = async (code: string, cookies: Cookies = {}) =>
    browser({ ...cookies, steward: await half(cookies) }).post('/api/session/two-factor', { code });

  test('who knows the password and guesses codes does not lock the owner out of a known browser (T14)', async () => {
    const { secret } = await enrol(house().app, person.cookie);
    const fresh = () => sql`update authenticator set last_step = 1`.execute(house().db);
    await fresh();
    const device = deviceCookie(await give(await codeOf(secret)));
    const replies = [];
    for (let at = 0; at < 11; at += 1) replies.push((await give(String(100_000 + at))).status);
    expect(replies.at(-1)).toBe(429);
    await fresh();
    expect((await give(await codeOf(secret), { device })).status).toBe(200);
    // A browser that is known for its own tries is held to them as well.
    const known = [];
    for (let at = 0; at < 11; at += 1) known.push((await give(String(200_000 + at), { device })).status);
    expect(known.at(-1)).toBe(429);
  });
});
