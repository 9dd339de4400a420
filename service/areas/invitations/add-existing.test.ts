/** Adding users without their confirmation, and checking a list of addresses. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Capability, InviteeCheck } from '../../../contract/generated/types.gen.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import { makeContact } from '../../testing/invitations.ts';
import { as, makeGroup, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const DOMAIN = 'northlight.example';
const uniqueAddress = (domain = DOMAIN) => `${crypto.randomUUID().slice(0, 13)}@${domain}`;

onEachApp((context) => {
  let siteId = 0;
  let elsewhere = 0;
  let admin: Person;
  let api: ApiClient;

  const configureSite = (domain: string | null, may = true, site = siteId) =>
    context()
      .db.updateTable('site')
      .set({ dedicated_domain: domain, may_manage_existing_users: may })
      .where('site_id', '=', site)
      .execute();
  const addUser = (body: object, calls = api, path = 'user/addExisting') => calls.post<ErrorBody>(path, body);
  const checkList = async (emails: readonly string[], calls = api) =>
    (await calls.post<InviteeCheck[]>('user/invitations/check', { emails })).body;
  const createGuest = (email = uniqueAddress()) => makePerson(context().db, elsewhere, { email });
  const createClientWith = async (...capabilities: Capability[]) =>
    as(
      context().app,
      await makePerson(context().db, siteId, { capabilities: ['Access Web Service', ...capabilities] }),
    );

  beforeEach(async () => {
    const { db, app } = context();
    [siteId, elsewhere] = [await makeSite(db), await makeSite(db)];
    await configureSite(DOMAIN);
    admin = await makePerson(db, siteId);
    api = as(app, admin);
  });

  describe('adding', () => {
    test.each(['user/addExisting', 'user/addexistinguser', 'USER/ADDEXISTING'])(
      '%s: 204, creates a member with license, groups and contact and notifies the user',
      async (path) => {
        const guest = await createGuest();
        const groupId = await makeGroup(context().db, siteId);
        const mappedContactId = await makeContact(context().db, siteId);
        const added = await addUser({ email: guest.email, groups: [groupId], mappedContactId }, api, path);
        expect([added.status, added.text]).toEqual([204, '']);
        expect((await api.get(`user/${guest.userId}`)).body).toMatchObject({
          isActive: true,
          groups: [groupId],
          userEntryId: mappedContactId,
          createdBy: admin.userId,
        });
        expect((await api.get(`userLicense/${guest.userId}`)).body).toMatchObject({ licenseTypeId: 1 });
        const mails = await context()
          .db.selectFrom('mail')
          .select('subject')
          .where('recipient', '=', guest.email)
          .execute();
        expect(mails.map(({ subject }) => subject.replace(/ site-\w+/, ''))).toEqual([
          'You were added to Site',
        ]);
        const auditRows = await context()
          .db.selectFrom('audit_log')
          .select(['action', 'actor_id'])
          .where('site_id', '=', siteId)
          .orderBy('audit_id')
          .execute();
        expect(auditRows).toEqual([
          { action: 'user.add-existing', actor_id: admin.userId },
          { action: 'group.assign', actor_id: admin.userId },
        ]);
      },
    );

    test('is 403 without the capability, with a different message for a site that may not', async () => {
      const guest = await createGuest();
      const lacking = await addUser({ email: guest.email }, await createClientWith('Manage Users'));
      expect([lacking.status, lacking.body.message]).toEqual([
        403,
        'User capabilities are required: Manage Existing Users',
      ]);
      await configureSite(DOMAIN, false);
      const closed = await addUser({ email: guest.email });
      expect([closed.status, closed.body.message]).toEqual([
        403,
        'This site may not manage existing users. Invite the person instead.',
      ]);
    });

    test('is 400 outside the dedicated domain, with the same message for registered and unknown addresses (T12)', async () => {
      const texts = new Set<string>();
      const registered = await createGuest(uniqueAddress('sub.northlight.example'));
      for (const email of [
        registered.email,
        uniqueAddress('sub.northlight.example'),
        uniqueAddress('evilnorthlight.example'),
      ]) {
        const { status, body } = await addUser({ email });
        expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, ['email']]);
        texts.add(body.message.replaceAll(email, ''));
      }
      expect(texts.size).toBe(1);
      await configureSite(null);
      expect((await addUser({ email: registered.email })).body.message).toContain('has no dedicated domain');
    });

    test('accepts any spelling of the dedicated domain', async () => {
      await configureSite('Northlight.Example.');
      expect((await addUser({ email: (await createGuest()).email.toUpperCase() })).status).toBe(204);
      await configureSite('bücher.example');
      const guest = await createGuest(uniqueAddress('xn--bcher-kva.example'));
      expect((await addUser({ email: guest.email })).status).toBe(204);
    });

    test.each([
      [{}, 'email'],
      [{ email: 'no address' }, 'email'],
      [{ email: `a@${DOMAIN}`, type: 0 }, 'type'],
      [{ email: `a@${DOMAIN}`, autoCreateOrLinkContact: true }, 'autoCreateOrLinkContact'],
    ])('%j is 400', async (body, path) => {
      const refused = await addUser(body);
      expect([refused.status, refused.body.errors?.map((fault) => fault.path)]).toEqual([400, [path]]);
    });

    test('is 404 for an unknown address, 409 for a member, 400 or 403 for groups, 400 for a contact of another site', async () => {
      expect((await addUser({ email: uniqueAddress() })).status).toBe(404);
      const guest = await createGuest();
      expect((await addUser({ email: guest.email, groups: [2_147_483_647] })).status).toBe(400);
      const mappedContactId = await makeContact(context().db, elsewhere);
      const linked = await addUser({ email: guest.email, mappedContactId });
      expect([linked.status, linked.body.errors?.[0]?.path]).toEqual([400, 'mappedContactId']);
      const strong = await makeGroup(context().db, siteId, ['Manage Backups']);
      const limited = await createClientWith('Manage Existing Users', 'Manage Groups');
      expect((await addUser({ email: guest.email, groups: [strong] }, limited)).status).toBe(403);
      expect((await addUser({ email: guest.email }, limited)).status).toBe(204);
      const again = await addUser({ email: guest.email });
      expect([again.status, again.body.message]).toEqual([
        409,
        expect.stringContaining(`id ${guest.userId}`),
      ]);
    });

    test('sends a user at most five mails a day when added and removed repeatedly (T13)', async () => {
      const { email, userId } = await createGuest();
      const statuses = [];
      for (const _ of [1, 2, 3, 4, 5, 6]) {
        statuses.push((await addUser({ email })).status);
        await api.del(`user/${userId}`);
      }
      expect(statuses).toEqual([204, 204, 204, 204, 204, 429]);
      expect((await api.get(`user/${userId}`)).status).toBe(404);
    });

    test('succeeds once when requested concurrently and revokes a pending invitation', async () => {
      const guest = await createGuest();
      await api.post('user/invite', { email: guest.email, type: 0 });
      const replies = await Promise.all([1, 2, 3].map(() => addUser({ email: guest.email })));
      expect(replies.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
        204, 409, 409,
      ]);
      expect((await api.get('user/invitations')).body).toMatchObject([{ status: 'revoked' }]);
    });
  });

  describe('checking a list', () => {
    test('returns an outcome for each address in order and changes nothing', async () => {
      const [mine, addable, invited, foreign] = [
        admin,
        await createGuest(),
        await createGuest(),
        await createGuest(uniqueAddress('other.test')),
      ];
      const inactive = await makePerson(context().db, siteId, { isActive: false });
      await api.post('user/invite', { email: invited.email, type: 0 });
      const nobody = uniqueAddress();
      const emails = [
        mine.email,
        inactive.email,
        ` ${addable.email} `,
        invited.email,
        foreign.email,
        nobody,
        'no address',
        '',
        addable.email.toUpperCase(),
        `a@${DOMAIN}/evil.test`,
      ];
      const before = await sql`select count(*)::int as n from mail`.execute(context().db);
      const checks = await checkList(emails);
      expect(checks.map(({ email }) => email)).toEqual(emails);
      expect(checks.map(({ outcome }) => outcome)).toEqual([
        'member',
        'member',
        'addable',
        'invited',
        'invitable',
        'unknown',
        'not-an-address',
        'not-an-address',
        'repeated',
        'not-an-address',
      ]);
      expect(checks[0]?.userId).toBe(mine.userId);
      expect(checks[1]?.message).toContain('but inactive');
      expect(checks[3]?.invitationId).toEqual(expect.any(Number));
      expect(checks[4]?.message).toContain(`does not belong to ${DOMAIN}`);
      expect(checks[8]?.message).toBe('Already in the list at position 3.');
      // Of users of other sites nothing is revealed except that they exist.
      expect(checks.slice(2).filter(({ userId }) => userId !== null)).toEqual([]);
      expect(await sql`select count(*)::int as n from mail`.execute(context().db)).toEqual(before);
    });

    test('explains why a user cannot be added', async () => {
      const { email } = await createGuest();
      const reason = async (calls = api) => (await checkList([email], calls))[0];
      const inviter = await reason(await createClientWith('Manage Users'));
      expect(inviter?.outcome).toBe('invitable');
      expect(inviter?.message).toContain('requires the capability Manage Existing Users');
      await configureSite(DOMAIN, false);
      expect((await reason())?.message).toContain('this site may not manage existing users');
      await configureSite(null);
      expect((await reason())?.message).toContain('has no dedicated domain');
    });

    test('reveals nothing about addresses that a caller without Manage Users could not add (T12)', async () => {
      const adder = await createClientWith('Manage Existing Users');
      const [registered, unknown, own] = [
        (await createGuest(uniqueAddress('other.test'))).email,
        uniqueAddress('other.test'),
        (await createGuest()).email,
      ];
      await api.post('user/invite', { email: registered, type: 0 });
      const [one, other, third] = await checkList([registered, unknown, own], adder);
      expect(third?.outcome).toBe('addable');
      expect(third?.message).not.toContain('invited');
      expect({ ...one, email: '' }).toEqual({ ...other, email: '' });
      expect(one?.outcome).toBe('unknown');
    });

    test('accepts up to 200 addresses and counts each one against the hourly limit (T12)', async () => {
      const emails = Array.from({ length: 200 }, () => uniqueAddress());
      expect(await checkList(emails)).toHaveLength(200);
      expect((await api.post('user/invitations/check', { emails: [...emails, 'a@b.test'] })).status).toBe(
        400,
      );
      expect((await api.post('user/invitations/check', { emails: [] })).status).toBe(400);
      await sql`update throttle set count = 9999 where key = ${`invitees:${siteId}:${admin.userId}`}`.execute(
        context().db,
      );
      expect(await checkList([uniqueAddress()])).toHaveLength(1);
      expect((await api.post('user/invitations/check', { emails })).status).toBe(429);
    });
  });
});
