import { beforeEach, expect, test } from 'vitest';
import { createLink } from '../kernel/auth/links.store.ts';
import { withTransaction } from '../kernel/db/transaction.ts';
import { callsWith, type Refusal } from '../testing/calls.ts';
import { makePerson, makeSite, onEachApp } from '../testing/site.ts';

const PASSWORD = 'correct horse battery';

onEachApp((house) => {
  let siteId = 0;
  let token = '';
  const visitor = () => callsWith(house().app, '/console', { 'x-steward-console': '1' });
  const setUp = (more: object = {}) =>
    visitor().post<Refusal>('/api/session/setup', {
      token,
      email: `${crypto.randomUUID()}@first.test`,
      firstName: 'Grace',
      lastName: 'Lund',
      password: PASSWORD,
      ...more,
    });
  const newLink = () =>
    withTransaction(house().db, {}, (tx) =>
      createLink(tx, { purpose: 'first-administrator', siteId, userId: null }),
    );

  beforeEach(async () => {
    siteId = await makeSite(house().db);
    token = await newLink();
  });

  test('the link of the first start makes an administrator who is signed in, once', async () => {
    expect((await visitor().post('/api/session/link', { token })).body).toMatchObject({
      purpose: 'first-administrator',
      email: null,
    });
    const made = await setUp();
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({ site: { id: siteId } });
    expect(String(made.headers['set-cookie'])).toContain('HttpOnly');
    expect((await setUp()).status).toBe(404);
  });

  test('a refused try does not use it up', async () => {
    expect((await setUp({ password: 'short' })).status).toBe(400);
    const known = await makePerson(house().db, await makeSite(house().db));
    expect((await setUp({ email: known.email })).status).toBe(409);
    expect((await setUp()).status).toBe(200);
  });

  test('names and password keep the rules that they keep everywhere, at the link of a password too', async () => {
    const email = `${crypto.randomUUID()}@first.test`;
    const refused = await setUp({ email, firstName: ' ', lastName: '\t', password: email.toUpperCase() });
    expect([refused.status, refused.body.errors?.map(({ path }) => path)]).toEqual([
      400,
      ['firstName', 'lastName', 'password'],
    ]);
    expect((await setUp({ password: ' '.repeat(12) })).status).toBe(400);
    const person = await makePerson(house().db, siteId, { capabilities: [] });
    const link = await withTransaction(house().db, {}, (tx) =>
      createLink(tx, { purpose: 'set-password', siteId, userId: person.userId }),
    );
    for (const password of [' '.repeat(12), person.email])
      expect((await visitor().post('/api/session/password', { token: link, password })).status).toBe(400);
  });

  test('the first administrator is told on each site that they join', async () => {
    const other = await makeSite(house().db);
    await setUp();
    for (const site of [siteId, other]) {
      const rows = await house()
        .db.selectFrom('audit_log')
        .select('action')
        .where('site_id', '=', site)
        .orderBy('audit_id')
        .execute();
      expect(rows.map(({ action }) => action)).toEqual([
        'group.create',
        'site.first-administrator',
        'group.assign',
      ]);
      const events = await house()
        .db.selectFrom('topic_event')
        .select('off')
        .where('site_id', '=', site)
        .execute();
      expect(events).toHaveLength(3);
    }
  });

  test('of ten tries at the same time one makes an administrator', async () => {
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => setUp()))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(Math.max(...statuses)).toBeLessThan(500);
  });

  test('it opens nothing on a site that has an administrator by now: 409', async () => {
    await makePerson(house().db, siteId);
    expect((await setUp()).status).toBe(409);
  });

  test('a newer one leaves it; the first that is used ends both; one for a password is none', async () => {
    const newer = await newLink();
    const person = await makePerson(house().db, siteId, { capabilities: [] });
    const password = await withTransaction(house().db, {}, (tx) =>
      createLink(tx, { purpose: 'set-password', siteId, userId: person.userId }),
    );
    expect((await setUp({ token: password })).status).toBe(404);
    expect((await visitor().post('/api/session/password', { token, password: PASSWORD })).status).toBe(404);
    expect((await setUp({ token })).status).toBe(200);
    expect((await setUp({ token: newer, email: 'second@example.com' })).status).toBe(409);
  });

  test('a link opens nothing after its time, and nobody guesses one', async () => {
    await house()
      .db.updateTable('one_time_link')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('site_id', '=', siteId)
      .execute();
    expect((await setUp()).status).toBe(404);
    expect((await setUp({ token: 'x'.repeat(43) })).status).toBe(404);
    expect((await setUp({ token: '../../etc/passwd-and-more' })).status).toBe(400);
  });

  test('at most 60 tries in five minutes from one address: 429', async () => {
    const remoteAddress = '192.0.2.88';
    await house()
      .db.insertInto('throttle')
      .values({ key: `link:${remoteAddress}`, count: 60, window_started_at: new Date() })
      .onConflict((on) => on.column('key').doUpdateSet({ count: 60 }))
      .execute();
    const { status, headers } = await visitor().post('/api/session/link', { token }, { remoteAddress });
    expect([status, Number(headers['retry-after']) > 0]).toEqual([429, true]);
  });
});
