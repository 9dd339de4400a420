/** End of temporary memberships, reminders and extension. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { InvitationInfoResponse } from '../../../contract/generated/types.gen.ts';
import { createApiClient, type ApiClient, type ErrorBody } from '../../testing/calls.ts';
import { setUpInvitations, DAY } from '../../testing/invitations.ts';
import {
  as,
  allCapabilities,
  makeGroup,
  makeKey,
  makePerson,
  makeToken,
  onEachApp,
} from '../../testing/site.ts';

onEachApp((context) => {
  const fixture = setUpInvitations(context);
  const {
    accept,
    getGuest,
    getGuestLicense,
    getNewestInvitation,
    inviteAndGetToken,
    listActions,
    listSubjects,
    runExpiryTask,
  } = fixture;

  /** API clients with a session of the guest on this site and with an access token. */
  async function signInGuest(): Promise<{ session: ApiClient; program: ApiClient }> {
    const { db, app } = context();
    const { clientId } = await makeKey(db, { siteId: fixture.siteId(), userId: fixture.guest().userId });
    const token = await makeToken(db, { siteId: fixture.siteId(), userId: fixture.guest().userId, clientId });
    const cookie = (
      await createApiClient(app, '/console', {
        'x-steward-console': '1',
        cookie: `steward=${fixture.guest().cookie}`,
      }).put('/api/session/site', { siteId: fixture.siteId() })
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
        await inviteAndGetToken({
          type: 1,
          duration: 30,
          groups: [await makeGroup(context().db, fixture.siteId(), allCapabilities)],
        }),
      );
    });

    test('refuses access from its end on and becomes inactive when the task runs', async () => {
      const { session, program } = await signInGuest();
      expect([
        (await session.get('user?pageSize=1')).status,
        (await program.get('user?pageSize=1')).status,
      ]).toEqual([200, 200]);
      await sql`update membership set last_active_at = now(), expires_at = now()::timestamptz(3)
        where site_id = ${fixture.siteId()} and user_id = ${fixture.guest().userId}`.execute(context().db);
      expect([
        (await session.get('user?pageSize=1')).status,
        (await program.get('user?pageSize=1')).status,
      ]).toEqual([401, 401]);
      await runExpiryTask();
      expect(await getGuest()).toMatchObject({ isActive: false, modifiedBy: null });
      expect(await getGuestLicense()).toBe(4);
      expect((await listActions()).at(-1)).toEqual(['membership.end', null]);
      const invitation = await getNewestInvitation();
      expect(Date.parse(invitation.membershipExpiresDate ?? '')).toBeLessThanOrEqual(Date.now());
      const { rows } = await sql<{
        n: number;
      }>`select (select count(*) from session where site_id = ${fixture.siteId()} and user_id = ${fixture.guest().userId})
        + (select count(*) from access_token where site_id = ${fixture.siteId()} and user_id = ${fixture.guest().userId}) as n`.execute(
        context().db,
      );
      expect(rows).toEqual([{ n: 0 }]);
      const events = await sql<{
        payload: unknown;
      }>`select payload from topic_event where site_id = ${fixture.siteId()} order by off desc limit 1`.execute(
        context().db,
      );
      expect(events.rows).toMatchObject([
        {
          payload: {
            payload: {
              entities: { updated: [{ id: fixture.guest().userId, isActive: false, licenseTypeId: 4 }] },
            },
          },
        },
      ]);
      const before = await listActions();
      await runExpiryTask();
      expect(await listActions()).toEqual(before);
    });

    test('ends once and is reminded once when several processes run the task concurrently', async () => {
      await fixture.advanceMembership(28 * DAY);
      await Promise.all([runExpiryTask(), runExpiryTask(), runExpiryTask()]);
      expect(await listSubjects()).toEqual(['Invitation to Site', 'Your membership on Site ends soon']);
      await fixture.advanceMembership(2 * DAY);
      await Promise.all([runExpiryTask(), runExpiryTask(), runExpiryTask()]);
      expect((await listActions()).filter(([action]) => action === 'membership.end')).toHaveLength(1);
    });

    test('is announced to member and inviter three days before its end, once per end date', async () => {
      await fixture.advanceMembership(27 * DAY - 60_000);
      await runExpiryTask();
      expect(await listSubjects()).toEqual(['Invitation to Site']);
      await fixture.advanceMembership(60_000);
      await runExpiryTask();
      await runExpiryTask();
      const one = ['Invitation to Site', 'Your membership on Site ends soon'];
      expect(await listSubjects()).toEqual(one);
      expect((await listSubjects(fixture.admin().email)).at(-1)).toBe(
        `The membership of Ada Okafor (${fixture.guest().email}) on Site ends soon`,
      );
      expect((await listActions()).at(-1)).toEqual(['membership.remind', null]);
      const { id } = await getNewestInvitation();
      expect((await fixture.client().post(`user/invitations/${id}/extend`, { days: 5 })).status).toBe(200);
      await runExpiryTask();
      expect(await listSubjects()).toEqual(one);
      await fixture.advanceMembership(5 * DAY);
      await runExpiryTask();
      expect(await listSubjects()).toEqual([...one, 'Your membership on Site ends soon']);
    });

    test('continues when extended while the task ends it', async () => {
      const { id } = await getNewestInvitation();
      for (let round = 0; round < (context().database.kind === 'postgres' ? 8 : 1); round += 1) {
        await fixture.advanceMembership(31 * DAY);
        const [extended] = await Promise.all([
          fixture.client().post(`user/invitations/${id}/extend`, { days: 30 }),
          runExpiryTask(),
          runExpiryTask(),
        ]);
        expect(extended.status).toBe(200);
        expect([(await getGuest()).isActive, await getGuestLicense()]).toEqual([true, 1]);
      }
    });

    test('ends later when extended before its end, and is reopened with its previous license afterwards', async () => {
      const { id, membershipExpiresDate: first } = await getNewestInvitation();
      const path = `user/invitations/${id}/extend`;
      const { body } = await fixture.client().post<InvitationInfoResponse>(path, { days: 10 });
      expect(Date.parse(body.membershipExpiresDate ?? '') - Date.parse(first ?? '')).toBe(10 * DAY);
      expect((await listActions()).at(-1)).toEqual(['invitation.extend', fixture.admin().userId]);
      await fixture.client().put('userLicense', { userId: fixture.guest().userId, licenseTypeId: 2 });
      await fixture.advanceMembership(41 * DAY);
      await runExpiryTask();
      expect([(await getGuest()).isActive, await getGuestLicense()]).toEqual([false, 4]);
      const reopened = await fixture.client().post<InvitationInfoResponse>(path, { days: 2 });
      expect(reopened.status).toBe(200);
      const left = Date.parse(reopened.body.membershipExpiresDate ?? '') - Date.now();
      expect(left).toBeGreaterThan(2 * DAY - 60_000);
      expect(left).toBeLessThan(2 * DAY + 60_000);
      expect([(await getGuest()).isActive, await getGuestLicense()]).toEqual([true, 2]);
      expect((await listActions()).slice(-2).map(([action]) => action)).toEqual([
        'membership.reopen',
        'invitation.extend',
      ]);
      // Ended, but the task has not run yet: the days count from now as well.
      await fixture.advanceMembership(3 * DAY);
      const late = await fixture.client().post<InvitationInfoResponse>(path, { days: 1 });
      expect(Date.parse(late.body.membershipExpiresDate ?? '') - Date.now()).toBeGreaterThan(DAY - 60_000);
    });

    test('cannot be extended by the member, without authority, beyond ten years, without an end date or without a member', async () => {
      const { id } = await getNewestInvitation();
      const path = `user/invitations/${id}/extend`;
      const { session } = await signInGuest();
      expect((await session.post(path, { days: 1 })).status).toBe(403);
      const weaker = await makePerson(context().db, fixture.siteId(), {
        capabilities: ['Manage Users', 'Access Web Service'],
      });
      expect((await as(context().app, weaker).post(path, { days: 1 })).status).toBe(403);
      expect((await fixture.client().post<ErrorBody>(path, { days: 3650 })).body.errors?.[0]?.path).toBe(
        'days',
      );
      await fixture.advanceMembership(31 * DAY);
      await runExpiryTask();
      await fixture.client().put('user', { id: fixture.guest().userId, isActive: true });
      await runExpiryTask();
      expect((await getGuest()).isActive).toBe(true);
      expect((await getNewestInvitation()).membershipExpiresDate).toBeNull();
      expect((await fixture.client().post(path, { days: 1 })).status).toBe(409);
      await fixture.client().del(`user/${fixture.guest().userId}`);
      expect((await fixture.client().post(path, { days: 1 })).status).toBe(409);
    });

    test('is listed by its end while it lasts', async () => {
      const { id } = await getNewestInvitation();
      const list = async (query: string) =>
        (
          await fixture.client().get<InvitationInfoResponse[]>(`user/invitations?endingWithinDays=${query}`)
        ).body.map((found) => found.id);
      expect([await list('29'), await list('30')]).toEqual([[], [id]]);
      expect(await list('30&status=pending')).toEqual([]);
      await fixture.advanceMembership(25 * DAY);
      expect([await list('4'), await list('5')]).toEqual([[], [id]]);
      await fixture.advanceMembership(6 * DAY);
      expect(await list('3650')).toEqual([]);
    });

    test('of an inactive user ends without a reminder', async () => {
      await fixture.client().put('user', { id: fixture.guest().userId, isActive: false });
      await fixture.advanceMembership(28 * DAY);
      await runExpiryTask();
      expect(await listSubjects()).toEqual(['Invitation to Site']);
      await fixture.client().put('userLicense', { userId: fixture.guest().userId, licenseTypeId: 4 });
      await fixture.advanceMembership(2 * DAY);
      await runExpiryTask();
      expect((await listActions()).at(-1)).toEqual(['membership.end', null]);
    });
  });

  test('a temporary administrator does not count as the remaining administrator', async () => {
    const groupId = await makeGroup(context().db, fixture.siteId(), allCapabilities);
    await accept(await inviteAndGetToken({ type: 1, duration: 30, groups: [groupId] }));
    expect((await fixture.client().put('user', { id: fixture.admin().userId, isActive: false })).status).toBe(
      409,
    );
  });

  test('a membership shorter than the reminder period is not announced at its start', async () => {
    await accept(await inviteAndGetToken({ type: 1, duration: 3 }));
    await runExpiryTask();
    expect(await listSubjects()).toEqual(['Invitation to Site']);
  });
});
