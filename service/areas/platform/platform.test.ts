import { beforeEach, expect, test } from 'vitest';
import type { PlatformSite, Session, SiteIdentity } from '../../../contract/generated/types.gen.ts';
import type { Refusal } from '../../testing/calls.ts';
import {
  as,
  joinSite,
  makePerson,
  makeRunnerElsewhere,
  makeSite,
  onEachApp,
  type Person,
} from '../../testing/site.ts';
import { grantPlatform, grantPlatformFirst } from '../sites/index.ts';

const SITES = '/api/platform/sites';

const slug = () => `s${crypto.randomUUID().slice(0, 8)}`;

onEachApp((house) => {
  let person: Person;
  beforeEach(async () => {
    const { db } = house();
    person = await makePerson(db, await makeSite(db), {});
    await db.transaction().execute((tx) => grantPlatform(tx, person.userId));
  });
  const api = (who = person) => as(house().app, who, 'console');
  const create = (body: object) => api().post<PlatformSite & Refusal>(SITES, body);

  test('somebody who administers a site alone is refused everything above it', async () => {
    const other = await makePerson(house().db, person.siteId, {});
    for (const path of [SITES, `${SITES}/${person.siteId}`, `${SITES}/${person.siteId}/identity`]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await api(other).get<Refusal>(path)).status).toBe(403);
    }
    expect((await api(other).get<Session>('/api/session')).body.runsPlatform).toBe(false);
    expect((await api().get<Session>('/api/session')).body.runsPlatform).toBe(true);
  });

  test('makes a site with a new administrator, who is mailed a link', async () => {
    const email = `${slug()}@first.test`;
    const made = await create({
      slug: slug(),
      name: ' Østre ',
      timeZone: 'europe/oslo',
      administrator: { email, firstName: 'Fay', lastName: 'First' },
    });
    expect([made.status, made.body]).toEqual([
      200,
      expect.objectContaining({ name: 'Østre', timeZone: 'Europe/Oslo', members: 1, administrators: 1 }),
    ]);
    const mails = await house().db.selectFrom('mail').selectAll().where('recipient', '=', email).execute();
    expect(mails.map(({ body_text }) => body_text)).toEqual([expect.stringContaining('/link#')]);
  });

  test('gives a site to somebody who is known, under the account they have', async () => {
    const known = await makePerson(house().db, person.siteId, {});
    const made = await create({ slug: slug(), name: 'Second', administrator: { email: known.email } });
    expect(made.body).toMatchObject({ members: 1, administrators: 1 });
    const { body } = await api(known).get<Session>('/api/session');
    expect(body.sites.map(({ name }) => name)).toContain('Second');
  });

  test('at most 20 an hour by one person: each mails somebody', async () => {
    await house()
      .db.insertInto('throttle')
      .values({ key: `new-site:${person.userId}`, count: 20, window_started_at: new Date() })
      .execute();
    const made = await create({ slug: slug(), name: 'More', administrator: { email: person.email } });
    expect(made.status).toBe(429);
  });

  test('a taken short name, a person without names and a wrong zone leave nothing behind', async () => {
    const taken = slug();
    await create({ slug: taken, name: 'One', administrator: { email: person.email } });
    const before = (await api().get<PlatformSite[]>(SITES)).body.length;
    const again = await create({ slug: taken, name: 'Two', administrator: { email: person.email } });
    expect([again.status, again.body.errors?.[0]?.path]).toEqual([409, 'slug']);
    const nameless = await create({ slug: slug(), name: 'Three', administrator: { email: 'new@one.test' } });
    expect([nameless.status, nameless.body.errors?.map(({ path }) => path)]).toEqual([
      400,
      ['administrator.firstName', 'administrator.lastName'],
    ]);
    const zone = { slug: slug(), name: 'Four', timeZone: 'Moon', administrator: { email: person.email } };
    expect((await create(zone)).status).toBe(400);
    expect((await api().get<PlatformSite[]>(SITES)).body).toHaveLength(before);
  });

  test('sets the domain of a site as it is compared, and is not written over unseen', async () => {
    const path = `${SITES}/${person.siteId}`;
    const { headers } = await api().get(path);
    const changed = await api().put<PlatformSite>(path, {
      dedicatedDomain: 'MÜNCHEN.example',
      mayManageExistingUsers: true,
      hasAgentServer: true,
    });
    expect(changed.body).toMatchObject({
      dedicatedDomain: 'xn--mnchen-3ya.example',
      mayManageExistingUsers: true,
      hasAgentServer: true,
    });
    const ifMatch = { 'if-match': String(headers['etag']) };
    expect((await api().put(path, { name: 'Late' }, { headers: ifMatch })).status).toBe(412);
    const wrong = await api().put<Refusal>(path, { dedicatedDomain: '*.example', name: ' ' });
    expect(wrong.body.errors?.map(({ path: at }) => at)).toEqual(['name', 'dedicatedDomain']);
    expect((await api().put<PlatformSite>(path, { dedicatedDomain: null })).body.dedicatedDomain).toBeNull();
    expect((await api().get(`${SITES}/2147483647`)).status).toBe(404);
  });

  test('an administrator of the site does not take over somebody who runs the platform', async () => {
    const { db } = house();
    const admin = await makePerson(db, person.siteId, {});
    const { userId } = person;
    const attempts = (who: Person) => [
      () => api(who).put<Refusal>('user', { id: userId, email: `${slug()}@taken.test` }),
      () => api(who).put<Refusal>('user', { id: userId, isActive: false }),
      () => api(who).put<Refusal>('userLicense', { userId, licenseTypeId: 4 }),
      () => api(who).del<Refusal>(`user/${userId}/sessions`),
      () => api(who).del<Refusal>(`user/${userId}/two-factor`),
      () => api(who).del<Refusal>(`user/${userId}`),
    ];
    for (const attempt of attempts(admin)) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { status, body } = await attempt();
      expect([status, body.message]).toEqual([403, expect.stringContaining('run the platform')]);
    }
    await db.transaction().execute((tx) => grantPlatform(tx, admin.userId));
    const [changed] = attempts(admin);
    expect((await changed?.())?.status).toBe(200);
  });

  test('a site gets no identity manager while nobody could run the platform without that site', async () => {
    const { db } = house();
    await db.deleteFrom('platform_administrator').where('user_id', '!=', person.userId).execute();
    const path = `${SITES}/${person.siteId}/identity`;
    const beside = async () => (await api().get<SiteIdentity>(path)).body.runnersBeside;
    // The provider is asked before: the writing of an issuer that answers is in identity.test.
    await db
      .insertInto('identity_provider')
      .values({
        site_id: person.siteId,
        issuer: 'http://127.0.0.1:1',
        client_id: 'x',
        client_secret: null,
        claim: 'sub',
      })
      .execute();
    expect(await beside()).toEqual({ you: false, others: 0 });
    const second = await makeSite(db);
    await joinSite(db, second, person.userId, { isActive: false });
    expect(await beside()).toEqual({ you: false, others: 0 });
    await db.updateTable('membership').set({ is_active: true }).where('site_id', '=', second).execute();
    expect(await beside()).toEqual({ you: true, others: 0 });
    await db
      .updateTable('account')
      .set({ password_hash: null })
      .where('user_id', '=', person.userId)
      .execute();
    expect(await beside()).toEqual({ you: false, others: 0 });
    await makeRunnerElsewhere(db);
    expect(await beside()).toEqual({ you: false, others: 1 });
  });

  test('the first administrator runs the platform, the second does not', async () => {
    const { db } = house();
    const second = await makePerson(db, person.siteId, {});
    await db.transaction().execute((tx) => grantPlatformFirst(tx, second.userId));
    expect((await api(second).get<Session>('/api/session')).body.runsPlatform).toBe(false);
  });
});
