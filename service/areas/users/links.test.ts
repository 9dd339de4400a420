/** A mailed link opens nothing once the address it went to, or the person, is no longer trusted with the account. */
import { beforeEach, expect, test } from 'vitest';
import { callsWith, type Calls } from '../../testing/calls.ts';
import { as, joinSite, makePerson, makeSite, onEachApp } from '../../testing/site.ts';

const PASSWORD = 'correct horse battery';
const address = () => `${crypto.randomUUID()}@links.test`;

onEachApp((house) => {
  let siteId = 0;
  let api: Calls;
  let id = 0;
  let email = '';
  beforeEach(async () => {
    siteId = await makeSite(house().db);
    api = as(house().app, await makePerson(house().db, siteId));
    email = address();
    id = (await api.post<number>('user', { email, firstName: 'Ada', lastName: 'Okafor' })).body;
  });

  /** The links mailed to an address, the first one first. */
  async function linksTo(recipient: string): Promise<string[]> {
    const mails = await house()
      .db.selectFrom('mail')
      .select('body_text')
      .where('recipient', '=', recipient)
      .orderBy('mail_id')
      .execute();
    return mails.map((mail) => /\/link#([\w-]+)/.exec(mail.body_text)?.[1] ?? '');
  }
  const visitor = () => callsWith(house().app, '/console', { 'x-steward-console': '1' });
  const use = async (token: string | undefined) =>
    (await visitor().post('/api/session/password', { token, password: PASSWORD })).status;

  test('a corrected address: the old link is dead, the new address gets one of its own', async () => {
    const [first] = await linksTo(email);
    const corrected = address();
    expect((await api.put('user', { id, email: corrected })).status).toBe(200);
    expect(await use(first)).toBe(404);
    const [second, ...others] = await linksTo(corrected);
    expect(others).toEqual([]);
    expect(await use(second)).toBe(204);
  });

  test('who has a password gets no mail when the address changes, and a link asked for before is dead', async () => {
    await use((await linksTo(email))[0]);
    await visitor().post('/api/session/password/request', { email });
    const [, asked] = await linksTo(email);
    const corrected = address();
    await api.put('user', { id, email: corrected });
    expect(await use(asked)).toBe(404);
    expect(await linksTo(corrected)).toEqual([]);
  });

  test('another change leaves the link alone', async () => {
    await api.put('user', { id, lastName: 'Lund' });
    expect(await use((await linksTo(email))[0])).toBe(204);
  });

  test.each([
    ['deactivation', () => api.put('user', { id, isActive: false })],
    ['removal', () => api.del(`user/${id}`)],
  ])('%s ends it', async (_deed, deed) => {
    expect((await deed()).status).toBe(200);
    expect(await use((await linksTo(email))[0])).toBe(404);
  });

  test('removal leaves it to somebody who belongs to another site too', async () => {
    await joinSite(house().db, await makeSite(house().db), id);
    expect((await api.del(`user/${id}`)).status).toBe(200);
    expect(await use((await linksTo(email))[0])).toBe(204);
  });
});
