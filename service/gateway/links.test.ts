import { beforeEach, expect, test } from 'vitest';
import { createLink } from '../kernel/auth/one-time-links.store.ts';
import { withTransaction } from '../kernel/db/database.ts';
import { createApiClient, type ErrorBody } from '../testing/calls.ts';
import { makePerson, makeSite, onEachApp } from '../testing/site.ts';

const PASSWORD = 'correct horse battery';

onEachApp((context) => {
  let siteId = 0;
  let token = '';
  const callConsole = () => createApiClient(context().app, '/console', { 'x-steward-console': '1' });
  const createAdministrator = (more: object = {}) =>
    callConsole().post<ErrorBody>('/api/session/setup', {
      token,
      email: `${crypto.randomUUID()}@first.test`,
      firstName: 'Grace',
      lastName: 'Lund',
      password: PASSWORD,
      ...more,
    });
  const createFirstLink = () =>
    withTransaction(context().db, {}, (tx) =>
      createLink(tx, { purpose: 'first-administrator', siteId, userId: null }),
    );

  beforeEach(async () => {
    siteId = await makeSite(context().db);
    token = await createFirstLink();
  });

  test('the link of the first start creates a signed-in administrator once', async () => {
    expect((await callConsole().post('/api/session/link', { token })).body).toMatchObject({
      purpose: 'first-administrator',
      email: null,
    });
    const created = await createAdministrator();
    expect(created.status).toBe(200);
    expect(created.body).toMatchObject({ site: { id: siteId } });
    expect(String(created.headers['set-cookie'])).toContain('HttpOnly');
    expect((await createAdministrator()).status).toBe(404);
  });

  test('a rejected request does not consume the link', async () => {
    expect((await createAdministrator({ password: 'short' })).status).toBe(400);
    const existing = await makePerson(context().db, await makeSite(context().db));
    expect((await createAdministrator({ email: existing.email })).status).toBe(409);
    expect((await createAdministrator()).status).toBe(200);
  });

  test('validates names and passwords, also for a set-password link', async () => {
    const email = `${crypto.randomUUID()}@first.test`;
    const refused = await createAdministrator({
      email,
      firstName: ' ',
      lastName: '\t',
      password: email.toUpperCase(),
    });
    expect([refused.status, refused.body.errors?.map(({ path }) => path)]).toEqual([
      400,
      ['firstName', 'lastName', 'password'],
    ]);
    expect((await createAdministrator({ password: ' '.repeat(12) })).status).toBe(400);
    const person = await makePerson(context().db, siteId, { capabilities: [] });
    const link = await withTransaction(context().db, {}, (tx) =>
      createLink(tx, { purpose: 'set-password', siteId, userId: person.userId }),
    );
    for (const password of [' '.repeat(12), person.email])
      expect((await callConsole().post('/api/session/password', { token: link, password })).status).toBe(400);
  });

  test('audits and publishes the first administrator on each of their sites', async () => {
    const other = await makeSite(context().db);
    await createAdministrator();
    for (const site of [siteId, other]) {
      const rows = await context()
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
      const events = await context()
        .db.selectFrom('topic_event')
        .select('off')
        .where('site_id', '=', site)
        .execute();
      expect(events).toHaveLength(3);
    }
  });

  test('creates only one administrator for ten concurrent requests', async () => {
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => createAdministrator()))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(Math.max(...statuses)).toBeLessThan(500);
  });

  test('is 409 when the site already has an administrator', async () => {
    await makePerson(context().db, siteId);
    expect((await createAdministrator()).status).toBe(409);
  });

  test('replaces older links, and does not accept set-password links', async () => {
    const newer = await createFirstLink();
    const person = await makePerson(context().db, siteId, { capabilities: [] });
    const password = await withTransaction(context().db, {}, (tx) =>
      createLink(tx, { purpose: 'set-password', siteId, userId: person.userId }),
    );
    expect((await createAdministrator({ token: password })).status).toBe(404);
    expect((await callConsole().post('/api/session/password', { token, password: PASSWORD })).status).toBe(
      404,
    );
    expect((await createAdministrator({ token })).status).toBe(404);
    expect((await createAdministrator({ token: newer })).status).toBe(200);
  });

  test('rejects expired, unknown and malformed links', async () => {
    await context()
      .db.updateTable('one_time_link')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('site_id', '=', siteId)
      .execute();
    expect((await createAdministrator()).status).toBe(404);
    expect((await createAdministrator({ token: 'x'.repeat(43) })).status).toBe(404);
    expect((await createAdministrator({ token: '../../etc/passwd-and-more' })).status).toBe(400);
  });

  test('limits requests to 60 in five minutes per address', async () => {
    const remoteAddress = '192.0.2.88';
    await context()
      .db.insertInto('throttle')
      .values({ key: `link:${remoteAddress}`, count: 60, window_started_at: new Date() })
      .onConflict((on) => on.column('key').doUpdateSet({ count: 60 }))
      .execute();
    const { status, headers } = await callConsole().post('/api/session/link', { token }, { remoteAddress });
    expect([status, Number(headers['retry-after']) > 0]).toEqual([429, true]);
  });
});
