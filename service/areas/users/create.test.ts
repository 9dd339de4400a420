import { beforeEach, describe, expect, test } from 'vitest';
import type { UserInfoResponse } from '../../../contract/generated/types.gen.ts';
import { createApiClient, type ApiClient, type ErrorBody } from '../../testing/calls.ts';
import {
  as,
  makeGroup,
  makePerson,
  makeSite,
  onEachApp,
  publicUrl,
  type Person,
} from '../../testing/site.ts';

const createInput = () => ({
  email: `ada.${crypto.randomUUID()}@example.com`,
  firstName: 'Ada',
  lastName: 'Okafor',
});
const extractToken = (text: string | undefined) => /\/link#([\w-]+)/.exec(text ?? '')?.[1] ?? '';
const PASSWORD = 'correct horse battery';

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  let api: ApiClient;
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    admin = await makePerson(context().db, siteId);
    api = as(context().app, admin);
  });

  /** Creates a user and reads it back. */
  async function createUser(info: object): Promise<UserInfoResponse> {
    const { status, body } = await api.post<number>('user', info);
    expect(status).toBe(200);
    return (await api.get<UserInfoResponse>(`user/${body}`)).body;
  }
  const mailsTo = (email: string) =>
    context().db.selectFrom('mail').selectAll().where('recipient', '=', email).execute();
  const anonymous = () => createApiClient(context().app, '/console', { 'x-steward-console': '1' });

  test('creates an active user without groups or switches from the required fields (spec 3, shapes 2)', async () => {
    const info = createInput();
    const { createdDate, modifiedDate, id, ...user } = await createUser(info);
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
      timeZone: null,
    });
  });

  test.each([
    [true, true],
    [undefined, true],
    [false, false],
  ])('isActive %s makes isActive %s (spec 2.1)', async (isActive, expected) => {
    expect(await createUser({ ...createInput(), isActive })).toHaveProperty('isActive', expected);
  });

  test('gives the new user a Standard license and all given fields', async () => {
    const groups = [
      await makeGroup(context().db, siteId, ['Read Data']),
      await makeGroup(context().db, siteId),
    ];
    const info = {
      ...createInput(),
      groups,
      federationId: 'f-1',
      twoFactorEnabled: true,
      ipRestrictionsEnabled: true,
    };
    const user = await createUser(info);
    expect(user).toMatchObject(info);
    const license = await api.get(`userLicense/${user.id}`);
    expect(license.body).toMatchObject({ licenseTypeId: 1, isBillable: true });
  });

  test('trims names and rejects empty ones', async () => {
    const info = createInput();
    expect(await createUser({ ...info, firstName: '  Ada ' })).toHaveProperty('firstName', 'Ada');
    const refused = await api.post<ErrorBody>('user', { ...createInput(), firstName: ' ', lastName: '\t' });
    expect(refused.status).toBe(400);
    expect(refused.body.errors?.map(({ path }) => path)).toEqual(['firstName', 'lastName']);
  });

  describe('password (spec 4.2 rule 1)', () => {
    test('absent: sends one mail with a link that works once within 24 hours', async () => {
      const info = createInput();
      await createUser(info);
      const [mail, ...others] = await mailsTo(info.email);
      expect(others).toEqual([]);
      expect(mail?.body_text).toContain(`${publicUrl}/link#`);
      const token = extractToken(mail?.body_text);
      const looked = await anonymous().post<{ expiresDate: string }>('/api/session/link', { token });
      expect(looked.body).toMatchObject({ purpose: 'set-password', email: info.email });
      const hours = (Date.parse(looked.body.expiresDate) - Date.now()) / 3_600_000;
      expect(hours).toBeGreaterThan(23.9);
      expect(hours).toBeLessThanOrEqual(24.01);

      const signIn = () => anonymous().post('/api/session', { email: info.email, password: PASSWORD });
      expect((await signIn()).status).toBe(401);
      expect((await anonymous().post('/api/session/password', { token, password: PASSWORD })).status).toBe(
        204,
      );
      expect((await signIn()).status).toBe(200);
      expect((await anonymous().post('/api/session/password', { token, password: PASSWORD })).status).toBe(
        404,
      );
      expect((await anonymous().post('/api/session/link', { token })).status).toBe(404);
    });

    test('the link expires after 24 hours', async () => {
      const info = createInput();
      const { id } = await createUser(info);
      const token = extractToken((await mailsTo(info.email))[0]?.body_text);
      await context()
        .db.updateTable('one_time_link')
        .set({ expires_at: new Date(Date.now() - 1000) })
        .where('user_id', '=', id)
        .execute();
      expect((await anonymous().post('/api/session/link', { token })).status).toBe(404);
      expect((await anonymous().post('/api/session/password', { token, password: PASSWORD })).status).toBe(
        404,
      );
    });

    test('the link sets one password when used concurrently', async () => {
      const info = createInput();
      await createUser(info);
      const token = extractToken((await mailsTo(info.email))[0]?.body_text);
      const tries = ['a', 'b'].map((tail) =>
        anonymous().post('/api/session/password', { token, password: PASSWORD + tail }),
      );
      expect((await Promise.all(tries)).map(({ status }) => status)).toEqual(
        expect.arrayContaining([204, 404]),
      );
    });

    test('present: sends no mail, allows sign-in at once, and never returns, audits or publishes the password', async () => {
      const info = { ...createInput(), password: PASSWORD };
      const user = await createUser(info);
      expect(user).not.toHaveProperty('password');
      expect(await mailsTo(info.email)).toEqual([]);
      expect((await anonymous().post('/api/session', { email: info.email, password: PASSWORD })).status).toBe(
        200,
      );
      const audit = await context()
        .db.selectFrom('audit_log')
        .selectAll()
        .where('site_id', '=', siteId)
        .execute();
      const events = await context()
        .db.selectFrom('topic_event')
        .selectAll()
        .where('site_id', '=', siteId)
        .execute();
      expect(JSON.stringify([audit, events])).not.toContain(PASSWORD);
    });

    test('is rejected if blank or equal to the e-mail address', async () => {
      const info = createInput();
      for (const password of [' '.repeat(12), info.email.toUpperCase()]) {
        const { status, body } = await api.post<ErrorBody>('user', { ...info, password });
        expect([status, body.errors?.[0]?.path]).toEqual([400, 'password']);
      }
    });

    test.each(['short', 'x'.repeat(129)])('is rejected with a wrong length (%#)', async (password) => {
      const { status, body } = await api.post<ErrorBody>('user', { ...createInput(), password });
      expect([status, body.errors?.[0]?.path]).toEqual([400, 'password']);
    });
  });

  test('on a site with an identity manager, password and federationId have no effect and no mail is sent (spec 2.1)', async () => {
    const federated = await makeSite(context().db, 'identity-manager');
    const calls = as(context().app, await makePerson(context().db, federated));
    const info = { ...createInput(), password: PASSWORD, federationId: 'f-2' };
    const { body: id } = await calls.post<number>('user', info);
    expect((await calls.get(`user/${id}`)).body).toMatchObject({ federationId: null });
    await calls.put('user', { id, federationId: 'f-3' });
    expect((await calls.get(`user/${id}`)).body).toMatchObject({ federationId: null });
    const account = await context()
      .db.selectFrom('account')
      .select('password_hash')
      .where('user_id', '=', id)
      .executeTakeFirst();
    expect(account).toEqual({ password_hash: null });
    expect(await mailsTo(info.email)).toEqual([]);
  });

  describe('a registered e-mail address (shapes 2)', () => {
    test('on another site: 409 names the two other ways to add the user, and nothing is created', async () => {
      const elsewhere = await makePerson(context().db, await makeSite(context().db));
      const { status, body } = await api.post<ErrorBody>('user', {
        ...createInput(),
        email: elsewhere.email.toUpperCase(),
      });
      expect(status).toBe(409);
      expect(body.message).toMatch(/user\/invite.*user\/addExisting/);
      expect(body.errors?.[0]?.path).toBe('email');
      expect((await api.get<unknown[]>('user?pageSize=1000')).body).toHaveLength(1);
    });

    test('on this site: 409 names the user', async () => {
      const { status, body } = await api.post<ErrorBody>('user', {
        ...createInput(),
        email: admin.email.toUpperCase(),
      });
      expect(status).toBe(409);
      expect(body.errors).toEqual([
        { path: 'email', message: `is already a user of this site (id ${admin.userId})` },
      ]);
    });

    test('twenty concurrent requests for one address create one user', async () => {
      const info = { ...createInput(), password: undefined };
      const statuses = (await Promise.all(Array.from({ length: 20 }, () => api.post('user', info)))).map(
        ({ status }) => status,
      );
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 409)).toHaveLength(19);
      expect(await mailsTo(info.email)).toHaveLength(1);
    });
  });

  describe('groups', () => {
    test('unknown groups and groups of another site are 400 at their paths', async () => {
      const known = await makeGroup(context().db, siteId);
      const foreign = await makeGroup(context().db, await makeSite(context().db));
      const { status, body } = await api.post<ErrorBody>('user', {
        ...createInput(),
        groups: [known, foreign, 2_147_483_647],
      });
      expect(status).toBe(400);
      expect(body.errors?.map(({ path }) => path)).toEqual(['groups.1', 'groups.2']);
    });

    test('require Manage Groups and all capabilities of the groups (spec 5, T05)', async () => {
      const strong = await makeGroup(context().db, siteId, ['Manage Backups']);
      const weak = await makeGroup(context().db, siteId, []);
      const own = ['Access Web Service', 'Manage Users'] as const;
      const userManager = as(context().app, await makePerson(context().db, siteId, { capabilities: own }));
      expect((await userManager.post('user', { ...createInput(), groups: [weak] })).status).toBe(403);
      const both = as(
        context().app,
        await makePerson(context().db, siteId, { capabilities: [...own, 'Manage Groups'] }),
      );
      expect((await both.post('user', { ...createInput(), groups: [weak] })).status).toBe(200);
      const refused = await both.post<ErrorBody>('user', { ...createInput(), groups: [strong] });
      expect(refused.status).toBe(403);
      expect(refused.body.message).toContain('Manage Backups');
    });
  });

  test('rejects fields that the service sets (T08)', async () => {
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
      const { status, body } = await api.post<ErrorBody>('user', { ...createInput(), [name]: 1 });
      expect([status, body.errors]).toEqual([400, [{ path: name, message: 'is not known' }]]);
    }
  });
});
