import { beforeEach, describe, expect, test } from 'vitest';
import type { UserInfoResponse } from '../../../contract/generated/types.gen.ts';
import { callsWith, type Calls, type Refusal } from '../../testing/calls.ts';
import {
  as,
  makeGroup,
  makePerson,
  makeSite,
  onEachApp,
  publicUrl,
  type Person,
} from '../../testing/site.ts';

const ada = () => ({ email: `ada.${crypto.randomUUID()}@example.com`, firstName: 'Ada', lastName: 'Okafor' });
const linkIn = (text: string | undefined) => /\/link#([\w-]+)/.exec(text ?? '')?.[1] ?? '';
const PASSWORD = 'correct horse battery';

onEachApp((house) => {
  let siteId = 0;
  let admin: Person;
  let api: Calls;
  beforeEach(async () => {
    siteId = await makeSite(house().db);
    admin = await makePerson(house().db, siteId);
    api = as(house().app, admin);
  });

  /** Creates and reads back. */
  async function created(info: object): Promise<UserInfoResponse> {
    const { status, body } = await api.post<number>('user', info);
    expect(status).toBe(200);
    return (await api.get<UserInfoResponse>(`user/${body}`)).body;
  }
  const mailsTo = (email: string) =>
    house().db.selectFrom('mail').selectAll().where('recipient', '=', email).execute();
  const visitor = () => callsWith(house().app, '/console', { 'x-steward-console': '1' });

  test('the minimum creates an Active user without groups or switches (spec 3, shapes 2)', async () => {
    const info = ada();
    const { createdDate, modifiedDate, id, ...user } = await created(info);
    expect(id).toBeGreaterThan(0);
    expect(createdDate).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(modifiedDate).toBe(createdDate);
    expect(user).toEqual({
      ...info,
      isActive: true,
      isLocked: false,
      groups: [],
      createdBy: admin.userId,
      modifiedBy: admin.userId,
      federationId: null,
      twoFactorEnabled: false,
      secondFactorSetUp: false,
      ipRestrictionsEnabled: false,
      userEntryId: null,
    });
  });

  test.each([
    [true, true],
    [undefined, true],
    [false, false],
  ])('isActive %s makes isActive %s (spec 2.1)', async (isActive, expected) => {
    expect(await created({ ...ada(), isActive })).toHaveProperty('isActive', expected);
  });

  test('a new user has the license Standard, and all given fields', async () => {
    const groups = [await makeGroup(house().db, siteId, ['Read Data']), await makeGroup(house().db, siteId)];
    const info = {
      ...ada(),
      groups,
      federationId: 'f-1',
      twoFactorEnabled: true,
      ipRestrictionsEnabled: true,
    };
    const user = await created(info);
    expect(user).toMatchObject(info);
    const license = await api.get(`userLicense/${user.id}`);
    expect(license.body).toMatchObject({ licenseTypeId: 1, isBillable: true });
  });

  test('names and address are kept without the spaces around them; spaces alone are no name', async () => {
    const info = ada();
    expect(await created({ ...info, firstName: '  Ada ' })).toHaveProperty('firstName', 'Ada');
    const refused = await api.post<Refusal>('user', { ...ada(), firstName: ' ', lastName: '\t' });
    expect(refused.status).toBe(400);
    expect(refused.body.errors?.map(({ path }) => path)).toEqual(['firstName', 'lastName']);
  });

  describe('password (spec 4.2 rule 1)', () => {
    test('absent: one mail with a link that works once, within 24 hours, and then lets in', async () => {
      const info = ada();
      await created(info);
      const [mail, ...others] = await mailsTo(info.email);
      expect(others).toEqual([]);
      expect(mail?.body_text).toContain(`${publicUrl}/link#`);
      const token = linkIn(mail?.body_text);
      const looked = await visitor().post<{ expiresDate: string }>('/api/session/link', { token });
      expect(looked.body).toMatchObject({ purpose: 'set-password', email: info.email });
      const hours = (Date.parse(looked.body.expiresDate) - Date.now()) / 3_600_000;
      expect(hours).toBeGreaterThan(23.9);
      expect(hours).toBeLessThanOrEqual(24.01);

      const signIn = () => visitor().post('/api/session', { email: info.email, password: PASSWORD });
      expect((await signIn()).status).toBe(401);
      expect((await visitor().post('/api/session/password', { token, password: PASSWORD })).status).toBe(204);
      expect((await signIn()).status).toBe(200);
      expect((await visitor().post('/api/session/password', { token, password: PASSWORD })).status).toBe(404);
      expect((await visitor().post('/api/session/link', { token })).status).toBe(404);
    });

    test('the link holds no longer than 24 hours', async () => {
      const info = ada();
      const { id } = await created(info);
      const token = linkIn((await mailsTo(info.email))[0]?.body_text);
      await house()
        .db.updateTable('one_time_link')
        .set({ expires_at: new Date(Date.now() - 1000) })
        .where('user_id', '=', id)
        .execute();
      expect((await visitor().post('/api/session/link', { token })).status).toBe(404);
      expect((await visitor().post('/api/session/password', { token, password: PASSWORD })).status).toBe(404);
    });

    test('of two requests with one link at the same time exactly one sets its password', async () => {
      const info = ada();
      await created(info);
      const token = linkIn((await mailsTo(info.email))[0]?.body_text);
      const tries = ['a', 'b'].map((tail) =>
        visitor().post('/api/session/password', { token, password: PASSWORD + tail }),
      );
      expect((await Promise.all(tries)).map(({ status }) => status)).toEqual(
        expect.arrayContaining([204, 404]),
      );
    });

    test('present: no mail, and it lets in at once; it stands nowhere in the answer, the audit or the events', async () => {
      const info = { ...ada(), password: PASSWORD };
      const user = await created(info);
      expect(user).not.toHaveProperty('password');
      expect(await mailsTo(info.email)).toEqual([]);
      expect((await visitor().post('/api/session', { email: info.email, password: PASSWORD })).status).toBe(
        200,
      );
      const audit = await house()
        .db.selectFrom('audit_log')
        .selectAll()
        .where('site_id', '=', siteId)
        .execute();
      const events = await house()
        .db.selectFrom('topic_event')
        .selectAll()
        .where('site_id', '=', siteId)
        .execute();
      expect(JSON.stringify([audit, events])).not.toContain(PASSWORD);
    });

    test('one of spaces alone, or that is the e-mail address, is refused', async () => {
      const info = ada();
      for (const password of [' '.repeat(12), info.email.toUpperCase()]) {
        const { status, body } = await api.post<Refusal>('user', { ...info, password });
        expect([status, body.errors?.[0]?.path]).toEqual([400, 'password']);
      }
    });

    test.each(['short', 'x'.repeat(129)])('one of the wrong length is refused (%#)', async (password) => {
      const { status, body } = await api.post<Refusal>('user', { ...ada(), password });
      expect([status, body.errors?.[0]?.path]).toEqual([400, 'password']);
    });
  });

  test('with an identity manager password and federationId have no effect, and no mail is sent (spec 2.1)', async () => {
    const federated = await makeSite(house().db, 'identity-manager');
    const calls = as(house().app, await makePerson(house().db, federated));
    const info = { ...ada(), password: PASSWORD, federationId: 'f-2' };
    const { body: id } = await calls.post<number>('user', info);
    expect((await calls.get(`user/${id}`)).body).toMatchObject({ federationId: null });
    await calls.put('user', { id, federationId: 'f-3' });
    expect((await calls.get(`user/${id}`)).body).toMatchObject({ federationId: null });
    const account = await house()
      .db.selectFrom('account')
      .select('password_hash')
      .where('user_id', '=', id)
      .executeTakeFirst();
    expect(account).toEqual({ password_hash: null });
    expect(await mailsTo(info.email)).toEqual([]);
  });

  describe('an e-mail address that is known (shapes 2)', () => {
    test('on another site: 409 names the two other ways in, and nothing is created', async () => {
      const elsewhere = await makePerson(house().db, await makeSite(house().db));
      const { status, body } = await api.post<Refusal>('user', {
        ...ada(),
        email: elsewhere.email.toUpperCase(),
      });
      expect(status).toBe(409);
      expect(body.message).toMatch(/user\/invite.*user\/addExisting/);
      expect(body.errors?.[0]?.path).toBe('email');
      expect((await api.get<unknown[]>('user?pageSize=1000')).body).toHaveLength(1);
    });

    test('here: 409 names the user', async () => {
      const { status, body } = await api.post<Refusal>('user', {
        ...ada(),
        email: admin.email.toUpperCase(),
      });
      expect(status).toBe(409);
      expect(body.errors).toEqual([
        { path: 'email', message: `is already a user of this site (id ${admin.userId})` },
      ]);
    });

    test('twenty creations of one address at the same time make one user', async () => {
      const info = { ...ada(), password: undefined };
      const statuses = (await Promise.all(Array.from({ length: 20 }, () => api.post('user', info)))).map(
        ({ status }) => status,
      );
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 409)).toHaveLength(19);
      expect(await mailsTo(info.email)).toHaveLength(1);
    });
  });

  describe('groups', () => {
    test('unknown ones and those of another site are 400 at their places', async () => {
      const known = await makeGroup(house().db, siteId);
      const foreign = await makeGroup(house().db, await makeSite(house().db));
      const { status, body } = await api.post<Refusal>('user', {
        ...ada(),
        groups: [known, foreign, 2_147_483_647],
      });
      expect(status).toBe(400);
      expect(body.errors?.map(({ path }) => path)).toEqual(['groups.1', 'groups.2']);
    });

    test('need Manage Groups, and every capability they give (spec 5, T05)', async () => {
      const strong = await makeGroup(house().db, siteId, ['Manage Backups']);
      const weak = await makeGroup(house().db, siteId, []);
      const own = ['Access Web Service', 'Manage Users'] as const;
      const userManager = as(house().app, await makePerson(house().db, siteId, { capabilities: own }));
      expect((await userManager.post('user', { ...ada(), groups: [weak] })).status).toBe(403);
      const both = as(
        house().app,
        await makePerson(house().db, siteId, { capabilities: [...own, 'Manage Groups'] }),
      );
      expect((await both.post('user', { ...ada(), groups: [weak] })).status).toBe(200);
      const refused = await both.post<Refusal>('user', { ...ada(), groups: [strong] });
      expect(refused.status).toBe(403);
      expect(refused.body.message).toContain('Manage Backups');
    });
  });

  test('fields that the service owns cannot be sent (T08)', async () => {
    const owned = [
      'id',
      'siteId',
      'isAdmin',
      'isLocked',
      'createdBy',
      'createdDate',
      'version',
      'capabilities',
      'passwordHash',
      'licenseTypeId',
      'userEntryId',
      'homeSiteId',
    ];
    for (const name of owned) {
      const { status, body } = await api.post<Refusal>('user', { ...ada(), [name]: 1 });
      expect([status, body.errors]).toEqual([400, [{ path: name, message: 'is not known' }]]);
    }
  });
});
