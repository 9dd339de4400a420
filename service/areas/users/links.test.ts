/** Invalidation of mailed links when the address or the membership changes. */
import { beforeEach, expect, test } from 'vitest';
import { createApiClient, type ApiClient } from '../../testing/calls.ts';
import { as, joinSite, makePerson, makeSite, onEachApp } from '../../testing/site.ts';

const PASSWORD = 'correct horse battery';
const uniqueAddress = () => `${crypto.randomUUID()}@links.test`;

onEachApp((context) => {
  let siteId = 0;
  let api: ApiClient;
  let id = 0;
  let email = '';
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    api = as(context().app, await makePerson(context().db, siteId));
    email = uniqueAddress();
    id = (await api.post<number>('user', { email, firstName: 'Ada', lastName: 'Okafor' })).body;
  });

  /** The tokens of the links mailed to an address, oldest first. */
  async function listTokens(recipient: string): Promise<string[]> {
    const mails = await context()
      .db.selectFrom('mail')
      .select('body_text')
      .where('recipient', '=', recipient)
      .orderBy('mail_id')
      .execute();
    return mails.map((mail) => /\/link#([\w-]+)/.exec(mail.body_text)?.[1] ?? '');
  }
  const anonymous = () => createApiClient(context().app, '/console', { 'x-steward-console': '1' });
  const setPassword = async (token: string | undefined) =>
    (await anonymous().post('/api/session/password', { token, password: PASSWORD })).status;

  test('a changed address invalidates the old link and gets a new one', async () => {
    const [first] = await listTokens(email);
    const corrected = uniqueAddress();
    expect((await api.put('user', { id, email: corrected })).status).toBe(200);
    expect(await setPassword(first)).toBe(404);
    const [second, ...others] = await listTokens(corrected);
    expect(others).toEqual([]);
    expect(await setPassword(second)).toBe(204);
  });

  test('a user with a password gets no mail when the address changes, and older links become invalid', async () => {
    await setPassword((await listTokens(email))[0]);
    await anonymous().post('/api/session/password/request', { email });
    const [, requestedToken] = await listTokens(email);
    const corrected = uniqueAddress();
    await api.put('user', { id, email: corrected });
    expect(await setPassword(requestedToken)).toBe(404);
    expect(await listTokens(corrected)).toEqual([]);
  });

  test('other changes keep the link valid', async () => {
    await api.put('user', { id, lastName: 'Lund' });
    expect(await setPassword((await listTokens(email))[0])).toBe(204);
  });

  test.each([
    ['deactivation', () => api.put('user', { id, isActive: false })],
    ['removal', () => api.del(`user/${id}`)],
  ])('%s invalidates the link', async (_name, change) => {
    expect((await change()).status).toBe(200);
    expect(await setPassword((await listTokens(email))[0])).toBe(404);
  });

  test('removal keeps the link valid for a member of another site', async () => {
    await joinSite(context().db, await makeSite(context().db), id);
    expect((await api.del(`user/${id}`)).status).toBe(200);
    expect(await setPassword((await listTokens(email))[0])).toBe(204);
  });

  test('an administrator sends a link that unlocks the account, at most three an hour', async () => {
    const { db, app } = context();
    await db
      .updateTable('account')
      .set({ locked_until: new Date(Date.now() + 60_000) })
      .where('user_id', '=', id)
      .execute();
    const admin = await makePerson(db, siteId);
    const send = () => as(app, admin, 'console').post(`user/${id}/password-link`);
    expect((await send()).status).toBe(204);
    expect(await setPassword((await listTokens(email)).at(-1))).toBe(204);
    const [account] = await db
      .selectFrom('account')
      .select('locked_until')
      .where('user_id', '=', id)
      .execute();
    expect(account).toEqual({ locked_until: null });
    const sent = await db
      .selectFrom('audit_log')
      .select('subject_id')
      .where('site_id', '=', siteId)
      .where('action', '=', 'user.password-link')
      .execute();
    expect(sent).toEqual([{ subject_id: String(id) }]);

    const statuses = [(await send()).status, (await send()).status, (await send()).status];
    expect(statuses).toEqual([204, 204, 429]);
    const weak = as(app, await makePerson(db, siteId, { capabilities: ['Manage Users'] }), 'console');
    expect((await weak.post(`user/${admin.userId}/password-link`)).status).toBe(403);
    await db
      .updateTable('site')
      .set({ identity_mode: 'identity-manager' })
      .where('site_id', '=', siteId)
      .execute();
    expect((await send()).status).toBe(409);
  });
});
