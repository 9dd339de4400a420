/** Accepting: what it makes, once, whatever happens at the same moment. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Refusal } from '../../testing/calls.ts';
import { invitationParty, DAY, makeContact } from '../../testing/invitations.ts';
import { as, makeGroup, makePerson, onEachApp } from '../../testing/site.ts';

onEachApp((house) => {
  const party = invitationParty(house);
  const { accept, actions, invite, invited, license, member, newest, subjects, tokens } = party;

  describe('accepting', () => {
    test('makes a member with license and groups, tells the inviter, and the link is used up', async () => {
      const groupIds = [
        await makeGroup(house().db, party.siteId()),
        await makeGroup(house().db, party.siteId()),
      ];
      const contactId = await makeContact(house().db, party.siteId());
      const token = await invited({ groups: groupIds, mappedContactId: contactId });
      await party.api().del(`user/group/${groupIds[1]}`);
      const { status, body } = await accept(token);
      expect([status, body]).toMatchObject([200, { siteId: party.siteId(), membershipExpiresDate: null }]);
      expect(await member()).toMatchObject({
        isActive: true,
        groups: [groupIds[0]],
        createdBy: party.admin().userId,
        userEntryId: contactId,
      });
      expect(await license()).toBe(1);
      expect(await newest()).toMatchObject({ status: 'accepted', userId: party.guest().userId });
      expect((await newest()).acceptedDate).not.toBeNull();
      expect((await actions()).slice(-3)).toEqual([
        ['invitation.accept', party.guest().userId],
        ['user.join', party.guest().userId],
        ['group.assign', party.guest().userId],
      ]);
      expect(await subjects(party.admin().email)).toEqual(['Your invitation to Site was accepted']);
      const { rows } = await sql<{
        payload: unknown;
      }>`select payload from topic_event where site_id = ${party.siteId()}
        and payload::text like '%"created"%'`.execute(house().db);
      expect(rows).toMatchObject([
        {
          payload: {
            modifiedById: party.guest().userId,
            modifiedByUserEmail: party.guest().email,
            payload: { entities: { created: [{ id: party.guest().userId, licenseTypeId: 1 }] } },
          },
        },
      ]);
      expect((await accept(token)).status).toBe(404);
    });

    test('leaves out a contact that was deleted meanwhile', async () => {
      const contactId = await makeContact(house().db, party.siteId());
      const token = await invited({ mappedContactId: contactId });
      await sql`delete from entry where entry_id = ${contactId}`.execute(house().db);
      expect((await accept(token)).status).toBe(200);
      expect((await member()).userEntryId).toBeNull();
    });

    test('a group that became able to do more than the inviter is left out, one without capabilities never (T05)', async () => {
      const { app, db } = house();
      const inviter = await makePerson(db, party.siteId(), {
        capabilities: ['Access Web Service', 'Manage Users', 'Manage Groups'],
      });
      const [grown, plain] = [await makeGroup(db, party.siteId()), await makeGroup(db, party.siteId())];
      expect((await invite({ groups: [grown, plain] }, as(app, inviter))).status).toBe(200);
      const change = { capabilities: ['Manage Backups'] };
      expect((await party.api().put(`user/group/${grown}`, change)).status).toBe(200);
      expect((await accept((await tokens()).at(-1))).status).toBe(200);
      expect((await member()).groups).toEqual([plain]);
    });

    test('sent again by somebody else it is theirs: their name, their groups, their mail', async () => {
      const { app, db } = house();
      const groups = [await makeGroup(db, party.siteId(), ['Manage Backups'])];
      await invited({ groups });
      const other = await makePerson(db, party.siteId());
      const { id } = await newest();
      expect((await as(app, other).post(`user/invitations/${id}/resend`)).status).toBe(204);
      expect((await party.api().del(`user/${party.admin().userId}`)).status).toBe(200);
      const token = (await tokens()).at(-1);
      expect((await accept(token)).status).toBe(200);
      const [made] = (await as(app, other).get<{ groups: number[] }[]>(`user?email=${party.guest().email}`))
        .body;
      expect(made?.groups).toEqual(groups);
      expect(await subjects(other.email)).toEqual(['Your invitation to Site was accepted']);
    });

    test('a temporary one ends so many days after the acceptance, by the clock of the database', async () => {
      const token = await invited({ type: 1, duration: 30 });
      const { body } = await accept(token);
      const { accepted, end } = await house()
        .db.selectFrom('invitation')
        .innerJoin('membership', 'membership.invitation_id', 'invitation.invitation_id')
        .select(['accepted_at as accepted', 'membership.expires_at as end'])
        .where('invitation.site_id', '=', party.siteId())
        .executeTakeFirstOrThrow();
      expect(Number(end) - Number(accepted)).toBe(30 * DAY);
      expect(body.membershipExpiresDate).toBe(end?.toISOString());
      expect((await newest()).membershipExpiresDate).toBe(body.membershipExpiresDate);
    });

    test('409 for somebody who became a user by another way; removed later, they can be invited again', async () => {
      const token = await invited();
      await sql`insert into membership (site_id, user_id, license_type_id) values (${party.siteId()}, ${party.guest().userId}, 1)`.execute(
        house().db,
      );
      expect((await accept(token)).status).toBe(409);
      expect((await party.api().del(`user/${party.guest().userId}`)).status).toBe(200);
      expect((await accept(token)).status).toBe(200);
      expect((await party.api().del(`user/${party.guest().userId}`)).status).toBe(200);
      expect(await newest()).toMatchObject({ status: 'accepted', membershipExpiresDate: null });
      await sql`delete from throttle`.execute(house().db);
      expect((await accept(await invited())).status).toBe(200);
    });

    test('twice at the same moment, and revoked at the same moment: exactly one wins, every time', async () => {
      const rounds = house().database.kind === 'postgres' ? 12 : 2;
      for (let round = 0; round < rounds; round += 1) {
        await sql`delete from throttle`.execute(house().db);
        const token = await invited();
        const { id } = await newest();
        const revoke = () => party.api().del(`user/invitations/${id}`);
        const rivals: readonly [() => Promise<{ status: number }>, number, number][] = [
          [() => accept(token), 200, 404],
          [
            round % 2 === 0 ? () => accept(token) : revoke,
            round % 2 === 0 ? 200 : 204,
            round % 2 === 0 ? 404 : 409,
          ],
        ];
        const order = round % 4 < 2 ? rivals : rivals.toReversed();
        const replies = await Promise.all(
          order.map(async ([deed, won, lost]) => ({ status: (await deed()).status, won, lost })),
        );
        expect(replies.filter(({ status, won }) => status === won)).toHaveLength(1);
        expect(replies.filter(({ status, lost }) => status === lost)).toHaveLength(1);
        const { status } = await newest();
        const isMember = (await party.api().get(`user/${party.guest().userId}`)).status === 200;
        expect([status, isMember]).toEqual(status === 'accepted' ? ['accepted', true] : ['revoked', false]);
        if (isMember) await party.api().del(`user/${party.guest().userId}`);
      }
    });

    test('accepting while it is sent again: the person is a member once, or has the new link', async () => {
      const rounds = house().database.kind === 'postgres' ? 8 : 1;
      for (let round = 0; round < rounds; round += 1) {
        await sql`delete from throttle`.execute(house().db);
        const token = await invited();
        const { id } = await newest();
        const [accepted, sent] = await Promise.all([
          accept(token),
          party.api().post<Refusal>(`user/invitations/${id}/resend`),
        ]);
        expect([
          [200, 409],
          [404, 204],
        ]).toContainEqual([accepted.status, sent.status]);
        if (accepted.status === 200) await party.api().del(`user/${party.guest().userId}`);
        else await party.api().del(`user/invitations/${id}`);
      }
    });
  });
});
