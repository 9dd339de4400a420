/** How a temporary membership ends by itself, says so before, and goes on. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { InvitationInfoResponse } from '../../../contract/generated/types.gen.ts';
import { callsWith, type Calls, type Refusal } from '../../testing/calls.ts';
import { invitationParty, DAY } from '../../testing/invitations.ts';
import { as, everything, makeGroup, makeKey, makePerson, makeToken, onEachApp } from '../../testing/site.ts';

onEachApp((house) => {
  const party = invitationParty(house);
  const { accept, actions, invited, license, member, newest, subjects, sweep } = party;

  /** A session of the guest on this site, and a token of a program. */
  async function waysIn(): Promise<{ session: Calls; program: Calls }> {
    const { db, app } = house();
    const { clientId } = await makeKey(db, { siteId: party.siteId(), userId: party.guest().userId });
    const token = await makeToken(db, { siteId: party.siteId(), userId: party.guest().userId, clientId });
    const cookie = (
      await callsWith(app, '/console', {
        'x-steward-console': '1',
        cookie: `steward=${party.guest().cookie}`,
      }).put('/api/session/site', { siteId: party.siteId() })
    ).headers['set-cookie'];
    const value = /steward=([\w-]+)/.exec(String(cookie))?.[1] ?? '';
    return {
      session: as(app, { token, cookie: value }, 'console'),
      program: as(app, { token, cookie: value }),
    };
  }

  describe('a temporary membership', () => {
    beforeEach(async () => {
      await accept(
        await invited({
          type: 1,
          duration: 30,
          groups: [await makeGroup(house().db, party.siteId(), everything)],
        }),
      );
    });

    test('ends at its instant for everything that the member does, and visibly with the next sweep', async () => {
      const { session, program } = await waysIn();
      expect([
        (await session.get('user?pageSize=1')).status,
        (await program.get('user?pageSize=1')).status,
      ]).toEqual([200, 200]);
      await sql`update membership set last_active_at = now(), expires_at = now()::timestamptz(3)
        where site_id = ${party.siteId()} and user_id = ${party.guest().userId}`.execute(house().db);
      expect([
        (await session.get('user?pageSize=1')).status,
        (await program.get('user?pageSize=1')).status,
      ]).toEqual([401, 401]);
      await sweep();
      expect(await member()).toMatchObject({ isActive: false, modifiedBy: null });
      expect(await license()).toBe(4);
      expect((await actions()).at(-1)).toEqual(['membership.end', null]);
      const invitation = await newest();
      expect(Date.parse(invitation.membershipExpiresDate ?? '')).toBeLessThanOrEqual(Date.now());
      const { rows } = await sql<{
        n: number;
      }>`select (select count(*) from session where site_id = ${party.siteId()} and user_id = ${party.guest().userId})
        + (select count(*) from access_token where site_id = ${party.siteId()} and user_id = ${party.guest().userId}) as n`.execute(
        house().db,
      );
      expect(rows).toEqual([{ n: 0 }]);
      const events = await sql<{
        payload: unknown;
      }>`select payload from topic_event where site_id = ${party.siteId()} order by off desc limit 1`.execute(
        house().db,
      );
      expect(events.rows).toMatchObject([
        {
          payload: {
            payload: {
              entities: { updated: [{ id: party.guest().userId, isActive: false, licenseTypeId: 4 }] },
            },
          },
        },
      ]);
      const before = await actions();
      await sweep();
      expect(await actions()).toEqual(before);
    });

    test('several processes that sweep at once end and remind once', async () => {
      await party.passMember(28 * DAY);
      await Promise.all([sweep(), sweep(), sweep()]);
      expect(await subjects()).toEqual(['Invitation to Site', 'Your time on Site ends soon']);
      await party.passMember(2 * DAY);
      await Promise.all([sweep(), sweep(), sweep()]);
      expect((await actions()).filter(([action]) => action === 'membership.end')).toHaveLength(1);
    });

    test('says so three days before, to the member and the inviter, once, and again for a new end', async () => {
      await party.passMember(27 * DAY - 60_000);
      await sweep();
      expect(await subjects()).toEqual(['Invitation to Site']);
      await party.passMember(60_000);
      await sweep();
      await sweep();
      const one = ['Invitation to Site', 'Your time on Site ends soon'];
      expect(await subjects()).toEqual(one);
      expect((await subjects(party.admin().email)).at(-1)).toBe(
        `The time of Ada Okafor (${party.guest().email}) on Site ends soon`,
      );
      expect((await actions()).at(-1)).toEqual(['membership.remind', null]);
      const { id } = await newest();
      expect((await party.api().post(`user/invitations/${id}/extend`, { days: 5 })).status).toBe(200);
      await sweep();
      expect(await subjects()).toEqual(one);
      await party.passMember(5 * DAY);
      await sweep();
      expect(await subjects()).toEqual([...one, 'Your time on Site ends soon']);
    });

    test('given more days while a sweep ends it: it goes on, whoever was first', async () => {
      const { id } = await newest();
      for (let round = 0; round < (house().database.kind === 'postgres' ? 8 : 1); round += 1) {
        await party.passMember(31 * DAY);
        const [extended] = await Promise.all([
          party.api().post(`user/invitations/${id}/extend`, { days: 30 }),
          sweep(),
          sweep(),
        ]);
        expect(extended.status).toBe(200);
        expect([(await member()).isActive, await license()]).toEqual([true, 1]);
      }
    });

    test('extended before the end it ends later; after the end it opens again with the license that it had', async () => {
      const { id, membershipExpiresDate: first } = await newest();
      const path = `user/invitations/${id}/extend`;
      const { body } = await party.api().post<InvitationInfoResponse>(path, { days: 10 });
      expect(Date.parse(body.membershipExpiresDate ?? '') - Date.parse(first ?? '')).toBe(10 * DAY);
      expect((await actions()).at(-1)).toEqual(['invitation.extend', party.admin().userId]);
      await party.api().put('userLicense', { userId: party.guest().userId, licenseTypeId: 2 });
      await party.passMember(41 * DAY);
      await sweep();
      expect([(await member()).isActive, await license()]).toEqual([false, 4]);
      const reopened = await party.api().post<InvitationInfoResponse>(path, { days: 2 });
      expect(reopened.status).toBe(200);
      const left = Date.parse(reopened.body.membershipExpiresDate ?? '') - Date.now();
      expect(left).toBeGreaterThan(2 * DAY - 60_000);
      expect(left).toBeLessThan(2 * DAY + 60_000);
      expect([(await member()).isActive, await license()]).toEqual([true, 2]);
      expect((await actions()).slice(-2).map(([action]) => action)).toEqual([
        'membership.reopen',
        'invitation.extend',
      ]);
      // Over and not yet swept: the days count from now as well.
      await party.passMember(3 * DAY);
      const late = await party.api().post<InvitationInfoResponse>(path, { days: 1 });
      expect(Date.parse(late.body.membershipExpiresDate ?? '') - Date.now()).toBeGreaterThan(DAY - 60_000);
    });

    test('not by the member, not by who may do less, not beyond ten years, not when it has no end or no member', async () => {
      const { id } = await newest();
      const path = `user/invitations/${id}/extend`;
      const { session } = await waysIn();
      expect((await session.post(path, { days: 1 })).status).toBe(403);
      const weaker = await makePerson(house().db, party.siteId(), {
        capabilities: ['Manage Users', 'Access Web Service'],
      });
      expect((await as(house().app, weaker).post(path, { days: 1 })).status).toBe(403);
      expect((await party.api().post<Refusal>(path, { days: 3650 })).body.errors?.[0]?.path).toBe('days');
      await party.passMember(31 * DAY);
      await sweep();
      await party.api().put('user', { id: party.guest().userId, isActive: true });
      await sweep();
      expect((await member()).isActive).toBe(true);
      expect((await newest()).membershipExpiresDate).toBeNull();
      expect((await party.api().post(path, { days: 1 })).status).toBe(409);
      await party.api().del(`user/${party.guest().userId}`);
      expect((await party.api().post(path, { days: 1 })).status).toBe(409);
    });

    test('one who is inactive already is not reminded, and loses the license without a word to them', async () => {
      await party.api().put('user', { id: party.guest().userId, isActive: false });
      await party.passMember(28 * DAY);
      await sweep();
      expect(await subjects()).toEqual(['Invitation to Site']);
      await party.api().put('userLicense', { userId: party.guest().userId, licenseTypeId: 4 });
      await party.passMember(2 * DAY);
      await sweep();
      expect((await actions()).at(-1)).toEqual(['membership.end', null]);
    });
  });

  test('a temporary administrator is none who remains', async () => {
    const groupId = await makeGroup(house().db, party.siteId(), everything);
    await accept(await invited({ type: 1, duration: 30, groups: [groupId] }));
    expect((await party.api().put('user', { id: party.admin().userId, isActive: false })).status).toBe(409);
  });

  test('a membership of few days is not reminded of at its beginning', async () => {
    await accept(await invited({ type: 1, duration: 3 }));
    await sweep();
    expect(await subjects()).toEqual(['Invitation to Site']);
  });
});
