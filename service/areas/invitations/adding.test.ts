/** Adding somebody without their confirmation, and what a list of addresses is told before anybody invites. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Capability, InviteeCheck } from '../../../contract/generated/types.gen.ts';
import type { Calls, Refusal } from '../../testing/calls.ts';
import { makeContact } from '../../testing/invitations.ts';
import { as, makeGroup, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const DOMAIN = 'northlight.example';
const address = (domain = DOMAIN) => `${crypto.randomUUID().slice(0, 13)}@${domain}`;

onEachApp((house) => {
  let siteId = 0;
  let elsewhere = 0;
  let admin: Person;
  let api: Calls;

  const allow = (domain: string | null, may = true, site = siteId) =>
    house()
      .db.updateTable('site')
      .set({ dedicated_domain: domain, may_manage_existing_users: may })
      .where('site_id', '=', site)
      .execute();
  const add = (body: object, calls = api, path = 'user/addExisting') => calls.post<Refusal>(path, body);
  const check = async (emails: readonly string[], calls = api) =>
    (await calls.post<InviteeCheck[]>('user/invitations/check', { emails })).body;
  const someone = (email = address()) => makePerson(house().db, elsewhere, { email });
  const withOnly = async (...capabilities: Capability[]) =>
    as(
      house().app,
      await makePerson(house().db, siteId, { capabilities: ['Access Web Service', ...capabilities] }),
    );

  beforeEach(async () => {
    const { db, app } = house();
    [siteId, elsewhere] = [await makeSite(db), await makeSite(db)];
    await allow(DOMAIN);
    admin = await makePerson(db, siteId);
    api = as(app, admin);
  });

  describe('adding', () => {
    test.each(['user/addExisting', 'user/addexistinguser', 'USER/ADDEXISTING'])(
      '%s: 204, a member with license, groups and contact, who is told',
      async (path) => {
        const guest = await someone();
        const groupId = await makeGroup(house().db, siteId);
        const mappedContactId = await makeContact(house().db, siteId);
        const added = await add({ email: guest.email, groups: [groupId], mappedContactId }, api, path);
        expect([added.status, added.text]).toEqual([204, '']);
        expect((await api.get(`user/${guest.userId}`)).body).toMatchObject({
          isActive: true,
          groups: [groupId],
          userEntryId: mappedContactId,
          createdBy: admin.userId,
        });
        expect((await api.get(`userLicense/${guest.userId}`)).body).toMatchObject({ licenseTypeId: 1 });
        const mails = await house()
          .db.selectFrom('mail')
          .select('subject')
          .where('recipient', '=', guest.email)
          .execute();
        expect(mails.map(({ subject }) => subject.replace(/ site-\w+/, ''))).toEqual([
          'You were added to Site',
        ]);
        const told = await house()
          .db.selectFrom('audit_log')
          .select(['action', 'actor_id'])
          .where('site_id', '=', siteId)
          .orderBy('audit_id')
          .execute();
        expect(told).toEqual([
          { action: 'user.add-existing', actor_id: admin.userId },
          { action: 'group.assign', actor_id: admin.userId },
        ]);
      },
    );

    test('403 without the capability, and in other words for a site that may not', async () => {
      const guest = await someone();
      const lacking = await add({ email: guest.email }, await withOnly('Manage Users'));
      expect([lacking.status, lacking.body.message]).toEqual([
        403,
        'User capabilities are required: Manage Existing Users',
      ]);
      await allow(DOMAIN, false);
      const closed = await add({ email: guest.email });
      expect([closed.status, closed.body.message]).toEqual([
        403,
        'This site may not manage existing users. Invite the person instead.',
      ]);
    });

    test('400 beyond the dedicated domain, the same for an address that somebody has and one that nobody has (T12)', async () => {
      const texts = new Set<string>();
      const known = await someone(address('sub.northlight.example'));
      for (const email of [
        known.email,
        address('sub.northlight.example'),
        address('evilnorthlight.example'),
      ]) {
        const { status, body } = await add({ email });
        expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, ['email']]);
        texts.add(body.message.replaceAll(email, ''));
      }
      expect(texts.size).toBe(1);
      await allow(null);
      expect((await add({ email: known.email })).body.message).toContain('has no dedicated domain');
    });

    test('the domain of the site in whatever spelling', async () => {
      await allow('Northlight.Example.');
      expect((await add({ email: (await someone()).email.toUpperCase() })).status).toBe(204);
      await allow('bücher.example');
      const guest = await someone(address('xn--bcher-kva.example'));
      expect((await add({ email: guest.email })).status).toBe(204);
    });

    test.each([
      [{}, 'email'],
      [{ email: 'no address' }, 'email'],
      [{ email: `a@${DOMAIN}`, type: 0 }, 'type'],
      [{ email: `a@${DOMAIN}`, autoCreateOrLinkContact: true }, 'autoCreateOrLinkContact'],
    ])('%j is 400', async (body, path) => {
      const refused = await add(body);
      expect([refused.status, refused.body.errors?.map((fault) => fault.path)]).toEqual([400, [path]]);
    });

    test('404 for an address that nobody has, 409 for a member, 400 and 403 for groups as everywhere, 400 for a contact of another site', async () => {
      expect((await add({ email: address() })).status).toBe(404);
      const guest = await someone();
      expect((await add({ email: guest.email, groups: [2_147_483_647] })).status).toBe(400);
      const mappedContactId = await makeContact(house().db, elsewhere);
      const linked = await add({ email: guest.email, mappedContactId });
      expect([linked.status, linked.body.errors?.[0]?.path]).toEqual([400, 'mappedContactId']);
      const strong = await makeGroup(house().db, siteId, ['Manage Backups']);
      const limited = await withOnly('Manage Existing Users', 'Manage Groups');
      expect((await add({ email: guest.email, groups: [strong] }, limited)).status).toBe(403);
      expect((await add({ email: guest.email }, limited)).status).toBe(204);
      const again = await add({ email: guest.email });
      expect([again.status, again.body.message]).toEqual([
        409,
        expect.stringContaining(`id ${guest.userId}`),
      ]);
    });

    test('added and removed again and again, nobody gets more than five mails a day (T13)', async () => {
      const { email, userId } = await someone();
      const statuses = [];
      for (const _ of [1, 2, 3, 4, 5, 6]) {
        statuses.push((await add({ email })).status);
        await api.del(`user/${userId}`);
      }
      expect(statuses).toEqual([204, 204, 204, 204, 204, 429]);
      expect((await api.get(`user/${userId}`)).status).toBe(404);
    });

    test('of several at the same moment one adds; an invitation that waits ends with it', async () => {
      const guest = await someone();
      await api.post('user/invite', { email: guest.email, type: 0 });
      const replies = await Promise.all([1, 2, 3].map(() => add({ email: guest.email })));
      expect(replies.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
        204, 409, 409,
      ]);
      expect((await api.get('user/invitations')).body).toMatchObject([{ status: 'revoked' }]);
    });
  });

  describe('checking a list', () => {
    test('tells each address, in order, and changes nothing', async () => {
      const [mine, addable, invited, foreign] = [
        admin,
        await someone(),
        await someone(),
        await someone(address('other.test')),
      ];
      const inactive = await makePerson(house().db, siteId, { isActive: false });
      await api.post('user/invite', { email: invited.email, type: 0 });
      const nobody = address();
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
      const before = await sql`select count(*)::int as n from mail`.execute(house().db);
      const checks = await check(emails);
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
      expect(checks[1]?.message).toContain('not an active one');
      expect(checks[3]?.invitationId).toEqual(expect.any(Number));
      expect(checks[4]?.message).toContain(`not of ${DOMAIN}`);
      expect(checks[8]?.message).toBe('Stands in the list already, at place 3.');
      // Of people of other sites nothing but that they exist.
      expect(checks.slice(2).filter(({ userId }) => userId !== null)).toEqual([]);
      expect(await sql`select count(*)::int as n from mail`.execute(house().db)).toEqual(before);
    });

    test('why somebody cannot be added', async () => {
      const { email } = await someone();
      const reason = async (calls = api) => (await check([email], calls))[0];
      const inviter = await reason(await withOnly('Manage Users'));
      expect(inviter?.outcome).toBe('invitable');
      expect(inviter?.message).toContain('needs the capability Manage Existing Users');
      await allow(DOMAIN, false);
      expect((await reason())?.message).toContain('this site may not manage existing users');
      await allow(null);
      expect((await reason())?.message).toContain('has no dedicated domain');
    });

    test('who may not invite learns of no address that they could not add (T12)', async () => {
      const adder = await withOnly('Manage Existing Users');
      const [known, unknown, own] = [
        (await someone(address('other.test'))).email,
        address('other.test'),
        (await someone()).email,
      ];
      await api.post('user/invite', { email: known, type: 0 });
      const [one, other, third] = await check([known, unknown, own], adder);
      expect(third?.outcome).toBe('addable');
      expect(third?.message).not.toContain('invited');
      expect({ ...one, email: '' }).toEqual({ ...other, email: '' });
      expect(one?.outcome).toBe('unknown');
    });

    test('200 addresses in one go, not more; so many an hour, each counted once (T12)', async () => {
      const emails = Array.from({ length: 200 }, () => address());
      expect(await check(emails)).toHaveLength(200);
      expect((await api.post('user/invitations/check', { emails: [...emails, 'a@b.test'] })).status).toBe(
        400,
      );
      expect((await api.post('user/invitations/check', { emails: [] })).status).toBe(400);
      await sql`update throttle set count = 9999 where key = ${`invitees:${siteId}:${admin.userId}`}`.execute(
        house().db,
      );
      expect(await check([address()])).toHaveLength(1);
      expect((await api.post('user/invitations/check', { emails })).status).toBe(429);
    });
  });
});
