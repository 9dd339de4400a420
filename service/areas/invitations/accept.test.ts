/** Accepting an invitation: its effects, and concurrent acceptance, revocation and resending. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { ErrorBody } from '../../testing/calls.ts';
import { setUpInvitations, DAY, makeContact } from '../../testing/invitations.ts';
import { as, makeGroup, makePerson, onEachApp } from '../../testing/site.ts';

onEachApp((context) => {
  const fixture = setUpInvitations(context);
  const {
    accept,
    getGuest,
    getGuestLicense,
    getNewestInvitation,
    invite,
    inviteAndGetToken,
    listActions,
    listSubjects,
    listTokens,
  } = fixture;

  describe('accepting', () => {
    test('creates a member with license and groups, notifies the inviter and invalidates the link', async () => {
      const groupIds = [
        await makeGroup(context().db, fixture.siteId()),
        await makeGroup(context().db, fixture.siteId()),
      ];
      const contactId = await makeContact(context().db, fixture.siteId());
      const token = await inviteAndGetToken({ groups: groupIds, mappedContactId: contactId });
      await fixture.client().del(`user/group/${groupIds[1]}`);
      const { status, body } = await accept(token);
      expect([status, body]).toMatchObject([200, { siteId: fixture.siteId(), membershipExpiresDate: null }]);
      expect(await getGuest()).toMatchObject({
        isActive: true,
        groups: [groupIds[0]],
        createdBy: fixture.admin().userId,
        userEntryId: contactId,
      });
      expect(await getGuestLicense()).toBe(1);
      expect(await getNewestInvitation()).toMatchObject({
        status: 'accepted',
        userId: fixture.guest().userId,
      });
      expect((await getNewestInvitation()).acceptedDate).not.toBeNull();
      expect((await listActions()).slice(-3)).toEqual([
        ['invitation.accept', fixture.guest().userId],
        ['user.join', fixture.guest().userId],
        ['group.assign', fixture.guest().userId],
      ]);
      expect(await listSubjects(fixture.admin().email)).toEqual(['Your invitation to Site was accepted']);
      const { rows } = await sql<{
        payload: unknown;
      }>`select payload from topic_event where site_id = ${fixture.siteId()}
        and payload::text like '%"created"%'`.execute(context().db);
      expect(rows).toMatchObject([
        {
          payload: {
            modifiedById: fixture.guest().userId,
            modifiedByUserEmail: fixture.guest().email,
            payload: { entities: { created: [{ id: fixture.guest().userId, licenseTypeId: 1 }] } },
          },
        },
      ]);
      expect((await accept(token)).status).toBe(404);
    });

    test('omits a contact that was deleted in the meantime', async () => {
      const contactId = await makeContact(context().db, fixture.siteId());
      const token = await inviteAndGetToken({ mappedContactId: contactId });
      await sql`delete from entry where entry_id = ${contactId}`.execute(context().db);
      expect((await accept(token)).status).toBe(200);
      expect((await getGuest()).userEntryId).toBeNull();
    });

    test('omits a group that has gained capabilities the inviter lacks, but never one without capabilities (T05)', async () => {
      const { app, db } = context();
      const inviter = await makePerson(db, fixture.siteId(), {
        capabilities: ['Access Web Service', 'Manage Users', 'Manage Groups'],
      });
      const [grown, plain] = [await makeGroup(db, fixture.siteId()), await makeGroup(db, fixture.siteId())];
      expect((await invite({ groups: [grown, plain] }, as(app, inviter))).status).toBe(200);
      const change = { capabilities: ['Manage Backups'] };
      expect((await fixture.client().put(`user/group/${grown}`, change)).status).toBe(200);
      expect((await accept((await listTokens()).at(-1))).status).toBe(200);
      expect((await getGuest()).groups).toEqual([plain]);
    });

    test('grants no capability of an inviter who was deactivated, and does not mail them (T05)', async () => {
      const { app, db } = context();
      const inviter = await makePerson(db, fixture.siteId());
      const [able, plain] = [
        await makeGroup(db, fixture.siteId(), ['Manage Backups']),
        await makeGroup(db, fixture.siteId()),
      ];
      expect((await invite({ groups: [able, plain] }, as(app, inviter))).status).toBe(200);
      const change = { id: inviter.userId, isActive: false };
      expect((await fixture.client().put('user', change)).status).toBe(200);
      expect((await accept((await listTokens()).at(-1))).status).toBe(200);
      expect((await getGuest()).groups).toEqual([plain]);
      expect(await listSubjects(inviter.email)).toEqual([]);
    });

    test('uses the name, groups and mail address of the user who sent the invitation again', async () => {
      const { app, db } = context();
      const groups = [await makeGroup(db, fixture.siteId(), ['Manage Backups'])];
      await inviteAndGetToken({ groups });
      const other = await makePerson(db, fixture.siteId());
      const { id } = await getNewestInvitation();
      expect((await as(app, other).post(`user/invitations/${id}/resend`)).status).toBe(204);
      expect((await fixture.client().del(`user/${fixture.admin().userId}`)).status).toBe(200);
      const token = (await listTokens()).at(-1);
      expect((await accept(token)).status).toBe(200);
      const [created] = (
        await as(app, other).get<{ groups: number[] }[]>(`user?email=${fixture.guest().email}`)
      ).body;
      expect(created?.groups).toEqual(groups);
      expect(await listSubjects(other.email)).toEqual(['Your invitation to Site was accepted']);
    });

    test('ends a temporary membership the given number of days after acceptance, by the clock of the database', async () => {
      const token = await inviteAndGetToken({ type: 1, duration: 30 });
      const { body } = await accept(token);
      const { accepted, end } = await context()
        .db.selectFrom('invitation')
        .innerJoin('membership', 'membership.invitation_id', 'invitation.invitation_id')
        .select(['accepted_at as accepted', 'membership.expires_at as end'])
        .where('invitation.site_id', '=', fixture.siteId())
        .executeTakeFirstOrThrow();
      expect(Number(end) - Number(accepted)).toBe(30 * DAY);
      expect(body.membershipExpiresDate).toBe(end?.toISOString());
      expect((await getNewestInvitation()).membershipExpiresDate).toBe(body.membershipExpiresDate);
    });

    test('is 409 for a user who became a member otherwise; after removal the user can be invited again', async () => {
      const token = await inviteAndGetToken();
      await sql`insert into membership (site_id, user_id, license_type_id) values (${fixture.siteId()}, ${fixture.guest().userId}, 1)`.execute(
        context().db,
      );
      expect((await accept(token)).status).toBe(409);
      expect((await fixture.client().del(`user/${fixture.guest().userId}`)).status).toBe(200);
      expect((await accept(token)).status).toBe(200);
      expect((await fixture.client().del(`user/${fixture.guest().userId}`)).status).toBe(200);
      expect(await getNewestInvitation()).toMatchObject({ status: 'accepted', membershipExpiresDate: null });
      await sql`delete from throttle`.execute(context().db);
      expect((await accept(await inviteAndGetToken())).status).toBe(200);
    });

    test('succeeds exactly once when accepted twice or revoked concurrently', async () => {
      const rounds = context().database.kind === 'postgres' ? 12 : 2;
      for (let round = 0; round < rounds; round += 1) {
        await sql`delete from throttle`.execute(context().db);
        const token = await inviteAndGetToken();
        const { id } = await getNewestInvitation();
        const revoke = () => fixture.client().del(`user/invitations/${id}`);
        const contenders: readonly [() => Promise<{ status: number }>, number, number][] = [
          [() => accept(token), 200, 404],
          [
            round % 2 === 0 ? () => accept(token) : revoke,
            round % 2 === 0 ? 200 : 204,
            round % 2 === 0 ? 404 : 409,
          ],
        ];
        const order = round % 4 < 2 ? contenders : contenders.toReversed();
        const replies = await Promise.all(
          order.map(async ([action, winStatus, loseStatus]) => ({
            status: (await action()).status,
            winStatus,
            loseStatus,
          })),
        );
        expect(replies.filter(({ status, winStatus }) => status === winStatus)).toHaveLength(1);
        expect(replies.filter(({ status, loseStatus }) => status === loseStatus)).toHaveLength(1);
        const { status } = await getNewestInvitation();
        const isMember = (await fixture.client().get(`user/${fixture.guest().userId}`)).status === 200;
        expect([status, isMember]).toEqual(status === 'accepted' ? ['accepted', true] : ['revoked', false]);
        if (isMember) await fixture.client().del(`user/${fixture.guest().userId}`);
      }
    });

    test('either creates one membership or leaves the new link valid when sent again concurrently', async () => {
      const rounds = context().database.kind === 'postgres' ? 8 : 1;
      for (let round = 0; round < rounds; round += 1) {
        await sql`delete from throttle`.execute(context().db);
        const token = await inviteAndGetToken();
        const { id } = await getNewestInvitation();
        const [accepted, sent] = await Promise.all([
          accept(token),
          fixture.client().post<ErrorBody>(`user/invitations/${id}/resend`),
        ]);
        expect([
          [200, 409],
          [404, 204],
        ]).toContainEqual([accepted.status, sent.status]);
        if (accepted.status === 200) await fixture.client().del(`user/${fixture.guest().userId}`);
        else await fixture.client().del(`user/invitations/${id}`);
      }
    });
  });
});
