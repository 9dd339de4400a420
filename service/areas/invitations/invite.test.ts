/** Rules of inviting users (spec 2.3, 4.2). */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { setUpInvitations, DAY } from '../../testing/invitations.ts';
import {
  as,
  allCapabilities,
  joinSite,
  makeGroup,
  makePerson,
  onEachApp,
  publicUrl,
} from '../../testing/site.ts';

onEachApp((context) => {
  const fixture = setUpInvitations(context);
  const {
    advanceInvitations,
    getNewestInvitation,
    inspect,
    invite,
    listAuditRows,
    listInvitations,
    listMails,
    listTokens,
  } = fixture;

  describe('inviting', () => {
    test('sends a mail with a link valid for seven days and records the invitation in list and audit log', async () => {
      const groupId = await makeGroup(context().db, fixture.siteId());
      expect(await invite({ type: 1, duration: 30, groups: [groupId, groupId] })).toMatchObject({
        status: 200,
        text: '',
      });
      const invitation = await getNewestInvitation();
      expect(invitation).toMatchObject({
        email: fixture.guest().email,
        type: 1,
        duration: 30,
        groups: [groupId],
        status: 'pending',
        invitedBy: fixture.admin().userId,
        invitedByName: 'Ada Okafor',
        userId: null,
        membershipExpiresDate: null,
      });
      expect(Date.parse(invitation.expiresDate) - Date.parse(invitation.createdDate)).toBe(7 * DAY);
      const [mail, ...more] = await listMails();
      expect(more).toEqual([]);
      expect(mail?.body_text).toContain('Ada Okafor invites you to Site');
      expect(mail?.body_text).toContain('30 days after you accept');
      expect(mail?.body_text).toContain(`${publicUrl}/invitation#`);
      expect(Number(mail?.expires_at) - Number(mail?.created_at)).toBe(7 * DAY);
      expect(await listAuditRows()).toMatchObject([
        {
          action: 'invitation.create',
          actor_id: fixture.admin().userId,
          subject_id: String(invitation.id),
          changes: {
            email: [null, fixture.guest().email],
            type: [null, 1],
            duration: [null, 30],
            groups: [null, [groupId]],
          },
        },
      ]);
      // Only the mail contains the token.
      const [token = ''] = await listTokens();
      const { rows } = await sql<object>`select * from invitation`.execute(context().db);
      expect(JSON.stringify([rows, await listAuditRows()])).not.toContain(token);
      expect((await inspect(token)).status).toBe(200);
    });

    test('ignores the case of the address and lists it as entered', async () => {
      expect((await invite({ email: fixture.guest().email.toUpperCase() })).status).toBe(200);
      expect((await getNewestInvitation()).email).toBe(fixture.guest().email.toUpperCase());
      expect(await listMails()).toHaveLength(1);
    });

    test.each([
      [{ type: 1 }, 'duration', 'is required for a temporary invitation (type 1)'],
      [
        { type: 0, duration: 30 },
        'duration',
        'has no effect for a permanent invitation (type 0): leave it out',
      ],
      [{ type: 1, duration: 0 }, 'duration', undefined],
      [{ type: 1, duration: 3651 }, 'duration', undefined],
      [{ type: 1, duration: 1.5 }, 'duration', undefined],
      [{ type: 2 }, 'type', undefined],
      [{ type: undefined }, 'type', undefined],
      [{ email: 'no address' }, 'email', undefined],
      [{ groups: [2_147_483_647] }, 'groups.0', 'group 2147483647 does not exist on this site'],
      [{ autoCreateOrLinkContact: true }, 'autoCreateOrLinkContact', undefined],
      [{ mappedContactId: 2_147_483_647 }, 'mappedContactId', 'entry 2147483647 does not exist on this site'],
    ])('%j is 400 at %s', async (more, path, message) => {
      const { status, body } = await invite(more);
      expect([status, body.errors?.map((fault) => fault.path)]).toEqual([400, [path]]);
      expect(body.errors?.[0]?.message).toBe(message ?? body.errors?.[0]?.message);
      expect(await listInvitations()).toEqual([]);
      expect(await listMails()).toEqual([]);
    });

    test('is 404 for an unknown address, 409 for a member, active or not, and for an invited user', async () => {
      const unknown = await invite({ email: 'nobody@nowhere.test' });
      expect([unknown.status, unknown.body.errors?.[0]?.path]).toEqual([404, 'email']);
      const member = await invite({ email: fixture.admin().email });
      expect(member).toMatchObject({ status: 409 });
      expect(member.body.message).toContain(`id ${fixture.admin().userId}`);
      await invite();
      expect(await invite()).toMatchObject({ status: 409 });
      await joinSite(context().db, fixture.siteId(), fixture.guest().userId, { isActive: false });
      const inactive = await invite();
      expect(inactive.status).toBe(409);
      expect(inactive.body.message).toContain('but inactive');
    });

    test('requires Manage Groups and all capabilities of the groups (T05)', async () => {
      const { app, db } = context();
      const strong = await makeGroup(db, fixture.siteId(), ['Manage Backups']);
      const users = as(
        app,
        await makePerson(db, fixture.siteId(), { capabilities: ['Manage Users', 'Access Web Service'] }),
      );
      expect(await invite({ groups: [strong] }, users)).toMatchObject({ status: 403 });
      const capabilities = allCapabilities.filter((name) => name !== 'Manage Backups');
      const weaker = as(app, await makePerson(db, fixture.siteId(), { capabilities }));
      const refused = await invite({ groups: [strong] }, weaker);
      expect([refused.status, refused.body.message]).toEqual([
        403,
        expect.stringContaining('Manage Backups'),
      ]);
      expect(await listInvitations()).toEqual([]);
      expect((await invite({}, users)).status).toBe(200);
    });

    test('allows a new invitation after revocation and after removal', async () => {
      await invite({ type: 1, duration: 3 });
      await fixture.client().del(`user/invitations/${(await getNewestInvitation()).id}`);
      const token = await fixture.inviteAndGetToken({ type: 1, duration: 30 });
      expect((await fixture.accept(token)).status).toBe(200);
      expect((await fixture.client().del(`user/${fixture.guest().userId}`)).status).toBe(200);
      expect((await invite()).status).toBe(200);
    });

    test('sends at most five mails a day to a user, resent ones included; rejected requests are not counted (T13)', async () => {
      expect((await invite({ groups: [2_147_483_647] })).status).toBe(400);
      expect((await invite()).status).toBe(200);
      for (const _ of [1, 2, 3]) {
        await fixture.client().del(`user/invitations/${(await getNewestInvitation()).id}`);
        expect((await invite()).status).toBe(200);
      }
      expect([await fixture.resend(), await fixture.resend()]).toEqual([204, 429]);
      await fixture.client().del(`user/invitations/${(await getNewestInvitation()).id}`);
      const more = await invite();
      expect(more.status).toBe(429);
      const wait = Number(more.headers['retry-after']);
      expect(wait).toBeGreaterThan(86_000);
      expect(wait).toBeLessThanOrEqual(86_400);
      expect(await listMails()).toHaveLength(5);
      await advanceInvitations(DAY + 1000);
      expect((await invite()).status).toBe(200);
    });

    test('allows two hundred invitations an hour per administrator, unknown addresses included (T12, T13)', async () => {
      await sql`insert into throttle values (${`invite:${fixture.siteId()}:${fixture.admin().userId}`}, 199, now())`.execute(
        context().db,
      );
      expect((await invite({ email: 'nobody@nowhere.test' })).status).toBe(404);
      const over = await invite({ email: 'nobody@nowhere.test' });
      expect([over.status, Number(over.headers['retry-after']) > 3000]).toEqual([429, true]);
      expect((await invite()).status).toBe(429);
      expect(
        (await invite({}, as(context().app, await makePerson(context().db, fixture.siteId())))).status,
      ).toBe(200);
    });

    test('succeeds once when requested concurrently', async () => {
      const statuses = (await Promise.all([invite(), invite(), invite()])).map(({ status }) => status);
      expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 409, 409]);
      expect(await listInvitations()).toHaveLength(1);
      expect(await listMails()).toHaveLength(1);
    });
  });

  describe('the list', () => {
    test('is filtered by status, newest first and paged', async () => {
      const guests = [];
      for (const _ of [1, 2, 3, 4, 5]) {
        const other = await makePerson(context().db, fixture.guest().siteId);
        await invite({ email: other.email });
        guests.push(other.email);
      }
      const [, second, third] = await listInvitations();
      await fixture.client().del(`user/invitations/${second?.id}`);
      await sql`update invitation set expires_at = now() where invitation_id = ${third?.id}`.execute(
        context().db,
      );
      await sql`update invitation set accepted_at = now() where email = ${guests[0] ?? ''}`.execute(
        context().db,
      );
      const newestFirst = guests.toReversed();
      expect((await listInvitations()).map(({ email }) => email)).toEqual(newestFirst);
      expect((await listInvitations()).map(({ status }) => status)).toEqual([
        'pending',
        'revoked',
        'expired',
        'pending',
        'accepted',
      ]);
      for (const status of ['pending', 'revoked', 'expired', 'accepted']) {
        const found = await listInvitations(`?status=${status}`);
        expect(new Set(found.map((each) => each.status))).toEqual(new Set([status]));
      }
      expect((await listInvitations('?pageSize=2&pageNumber=2')).map(({ email }) => email)).toEqual(
        newestFirst.slice(2, 4),
      );
      expect(
        (await listInvitations('?status=pending&pageSize=1&pageNumber=2')).map(({ email }) => email),
      ).toEqual([guests[1]]);
      expect((await fixture.client().get('user/invitations?status=open')).status).toBe(400);
    });
  });
});
