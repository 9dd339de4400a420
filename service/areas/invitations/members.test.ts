/** Accepting, adding without confirmation, and how a temporary membership ends and goes on. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type {
  AcceptedInvitation,
  InvitationInfoResponse,
  UserInfoResponse,
} from '../../../contract/generated/types.gen.ts';
import { callsWith, type Calls, type Refusal } from '../../testing/calls.ts';
import {
  as,
  everything,
  makeGroup,
  makeKey,
  makePerson,
  makeSite,
  makeToken,
  onEachApp,
  type Person,
  services,
} from '../../testing/site.ts';
import { endsChore } from './ends.ts';

const DAY = 24 * 3600_000;

onEachApp((house) => {
  let siteId = 0;
  let admin: Person;
  let guest: Person;
  let api: Calls;
  const visitor = () => callsWith(house().app, '/console', { 'x-steward-console': '1' });

  beforeEach(async () => {
    const { db } = house();
    siteId = await makeSite(db);
    admin = await makePerson(db, siteId);
    guest = await makePerson(db, await makeSite(db));
    api = as(house().app, admin);
    await sql`delete from throttle`.execute(db);
  });

  /** Invites the guest and returns the secret of the link. */
  async function invite(more: object = {}): Promise<string> {
    expect((await api.post('user/invite', { email: guest.email, type: 0, ...more })).status).toBe(200);
    const { body_text: text } = await house()
      .db.selectFrom('mail')
      .select('body_text')
      .where('recipient', '=', guest.email)
      .orderBy('mail_id', 'desc')
      .executeTakeFirstOrThrow();
    return /\/invitation#([\w-]+)/.exec(text)?.[1] ?? '';
  }
  const accept = (token: string) =>
    visitor().post<AcceptedInvitation & Refusal>('/api/session/invitation/accept', { token });
  const newest = async (): Promise<InvitationInfoResponse> => {
    const [first] = (await api.get<InvitationInfoResponse[]>('user/invitations?pageSize=1')).body;
    if (!first) throw new Error('There is an invitation');
    return first;
  };
  const member = async () => (await api.get<UserInfoResponse>(`user/${guest.userId}`)).body;
  const license = async () =>
    (await api.get<{ licenseTypeId: number }>(`userLicense/${guest.userId}`)).body.licenseTypeId;
  const actions = async () =>
    (
      await house()
        .db.selectFrom('audit_log')
        .select(['action', 'actor_id'])
        .where('site_id', '=', siteId)
        .orderBy('audit_id')
        .execute()
    ).map(({ action, actor_id: actor }) => [action, actor]);
  const mailsTo = async (recipient: string) =>
    (
      await house()
        .db.selectFrom('mail')
        .select('subject')
        .where('recipient', '=', recipient)
        .orderBy('mail_id')
        .execute()
    ).map(({ subject }) => subject.replace(/ site-\w+/, ''));
  const sweep = () => endsChore({ db: house().db, services }).run();
  /** Moves the end of the guest's membership: so much time has passed. */
  const pass = async (ms: number) => {
    await sql`update membership set expires_at = expires_at - make_interval(secs => ${ms / 1000})
      where site_id = ${siteId} and user_id = ${guest.userId}`.execute(house().db);
  };
  /** A session of the guest on this site, and a token of a program. */
  async function waysIn(): Promise<{ session: Calls; program: Calls }> {
    const { db, app } = house();
    const { clientId } = await makeKey(db, { siteId, userId: guest.userId });
    const token = await makeToken(db, { siteId, userId: guest.userId, clientId });
    const cookie = (
      await callsWith(app, '/console', { 'x-steward-console': '1', cookie: `steward=${guest.cookie}` }).put(
        '/api/session/site',
        { siteId },
      )
    ).headers['set-cookie'];
    const value = /steward=([\w-]+)/.exec(String(cookie))?.[1] ?? '';
    return {
      session: as(app, { token, cookie: value }, 'console'),
      program: as(app, { token, cookie: value }),
    };
  }

  describe('accepting', () => {
    test('makes a member with license and groups, tells the inviter, and the link is used up', async () => {
      const groupIds = [await makeGroup(house().db, siteId), await makeGroup(house().db, siteId)];
      const token = await invite({ groups: groupIds, mappedContactId: 77 });
      await api.del(`user/group/${groupIds[1]}`);
      const { status, body } = await accept(token);
      expect([status, body]).toMatchObject([200, { siteId, membershipExpiresDate: null }]);
      expect(await member()).toMatchObject({
        isActive: true,
        groups: [groupIds[0]],
        createdBy: admin.userId,
        userEntryId: 77,
      });
      expect(await license()).toBe(1);
      expect(await newest()).toMatchObject({ status: 'accepted', userId: guest.userId });
      expect((await newest()).acceptedDate).not.toBeNull();
      expect((await actions()).slice(-3)).toEqual([
        ['invitation.accept', guest.userId],
        ['user.join', guest.userId],
        ['group.assign', guest.userId],
      ]);
      expect(await mailsTo(admin.email)).toEqual(['Your invitation to Site was accepted']);
      const { rows } = await sql<{
        payload: unknown;
      }>`select payload from topic_event where site_id = ${siteId}
        and payload::text like '%"created"%'`.execute(house().db);
      expect(rows).toMatchObject([
        {
          payload: {
            modifiedById: guest.userId,
            modifiedByUserEmail: guest.email,
            payload: { entities: { created: [{ id: guest.userId, licenseTypeId: 1 }] } },
          },
        },
      ]);
      expect((await accept(token)).status).toBe(404);
    });

    test('a temporary one ends so many days after the acceptance, by the clock of the database', async () => {
      const token = await invite({ type: 1, duration: 30 });
      const { body } = await accept(token);
      const { accepted, end } = await house()
        .db.selectFrom('invitation')
        .innerJoin('membership', 'membership.invitation_id', 'invitation.invitation_id')
        .select(['accepted_at as accepted', 'membership.expires_at as end'])
        .where('invitation.site_id', '=', siteId)
        .executeTakeFirstOrThrow();
      expect(Number(end) - Number(accepted)).toBe(30 * DAY);
      expect(body.membershipExpiresDate).toBe(end?.toISOString());
      expect((await newest()).membershipExpiresDate).toBe(body.membershipExpiresDate);
    });

    test('409 for somebody who became a user by another way; removed later, they can be invited again', async () => {
      const token = await invite();
      await sql`insert into membership (site_id, user_id, license_type_id) values (${siteId}, ${guest.userId}, 1)`.execute(
        house().db,
      );
      expect((await accept(token)).status).toBe(409);
      expect((await api.del(`user/${guest.userId}`)).status).toBe(200);
      expect((await accept(token)).status).toBe(200);
      expect((await api.del(`user/${guest.userId}`)).status).toBe(200);
      expect(await newest()).toMatchObject({ status: 'accepted', membershipExpiresDate: null });
      await sql`delete from throttle`.execute(house().db);
      expect((await accept(await invite())).status).toBe(200);
    });

    test('twice at the same moment, and revoked at the same moment: exactly one wins, every time', async () => {
      const rounds = house().database.kind === 'postgres' ? 12 : 2;
      for (let round = 0; round < rounds; round += 1) {
        await sql`delete from throttle`.execute(house().db);
        const token = await invite();
        const { id } = await newest();
        const revoke = () => api.del(`user/invitations/${id}`);
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
        const isMember = (await api.get(`user/${guest.userId}`)).status === 200;
        expect([status, isMember]).toEqual(status === 'accepted' ? ['accepted', true] : ['revoked', false]);
        if (isMember) await api.del(`user/${guest.userId}`);
      }
    });

    test('accepting while it is sent again: the person is a member once, or has the new link', async () => {
      const rounds = house().database.kind === 'postgres' ? 8 : 1;
      for (let round = 0; round < rounds; round += 1) {
        await sql`delete from throttle`.execute(house().db);
        const token = await invite();
        const { id } = await newest();
        const [accepted, sent] = await Promise.all([
          accept(token),
          api.post<Refusal>(`user/invitations/${id}/resend`),
        ]);
        expect([
          [200, 409],
          [404, 204],
        ]).toContainEqual([accepted.status, sent.status]);
        if (accepted.status === 200) await api.del(`user/${guest.userId}`);
        else await api.del(`user/invitations/${id}`);
      }
    });
  });

  describe('a temporary membership', () => {
    beforeEach(async () => {
      await accept(
        await invite({ type: 1, duration: 30, groups: [await makeGroup(house().db, siteId, everything)] }),
      );
    });

    test('ends at its instant for everything that the member does, and visibly with the next sweep', async () => {
      const { session, program } = await waysIn();
      expect([
        (await session.get('user?pageSize=1')).status,
        (await program.get('user?pageSize=1')).status,
      ]).toEqual([200, 200]);
      await sql`update membership set last_active_at = now(), expires_at = now()::timestamptz(3)
        where site_id = ${siteId} and user_id = ${guest.userId}`.execute(house().db);
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
      }>`select (select count(*) from session where site_id = ${siteId} and user_id = ${guest.userId})
        + (select count(*) from access_token where site_id = ${siteId} and user_id = ${guest.userId}) as n`.execute(
        house().db,
      );
      expect(rows).toEqual([{ n: 0 }]);
      const events = await sql<{
        payload: unknown;
      }>`select payload from topic_event where site_id = ${siteId} order by off desc limit 1`.execute(
        house().db,
      );
      expect(events.rows).toMatchObject([
        {
          payload: {
            payload: { entities: { updated: [{ id: guest.userId, isActive: false, licenseTypeId: 4 }] } },
          },
        },
      ]);
      const before = await actions();
      await sweep();
      expect(await actions()).toEqual(before);
    });

    test('several processes that sweep at once end and remind once', async () => {
      await pass(28 * DAY);
      await Promise.all([sweep(), sweep(), sweep()]);
      expect(await mailsTo(guest.email)).toEqual(['Invitation to Site', 'Your time on Site ends soon']);
      await pass(2 * DAY);
      await Promise.all([sweep(), sweep(), sweep()]);
      expect((await actions()).filter(([action]) => action === 'membership.end')).toHaveLength(1);
    });

    test('says so three days before, to the member and the inviter, once, and again for a new end', async () => {
      await pass(27 * DAY - 60_000);
      await sweep();
      expect(await mailsTo(guest.email)).toEqual(['Invitation to Site']);
      await pass(60_000);
      await sweep();
      await sweep();
      const one = ['Invitation to Site', 'Your time on Site ends soon'];
      expect(await mailsTo(guest.email)).toEqual(one);
      expect((await mailsTo(admin.email)).at(-1)).toBe(
        `The time of Ada Okafor (${guest.email}) on Site ends soon`,
      );
      expect((await actions()).at(-1)).toEqual(['membership.remind', null]);
      const { id } = await newest();
      expect((await api.post(`user/invitations/${id}/extend`, { days: 5 })).status).toBe(200);
      await sweep();
      expect(await mailsTo(guest.email)).toEqual(one);
      await pass(5 * DAY);
      await sweep();
      expect(await mailsTo(guest.email)).toEqual([...one, 'Your time on Site ends soon']);
    });

    test('extended before the end it ends later; after the end it opens again with the license that it had', async () => {
      const { id, membershipExpiresDate: first } = await newest();
      const path = `user/invitations/${id}/extend`;
      const { body } = await api.post<InvitationInfoResponse>(path, { days: 10 });
      expect(Date.parse(body.membershipExpiresDate ?? '') - Date.parse(first ?? '')).toBe(10 * DAY);
      expect((await actions()).at(-1)).toEqual(['invitation.extend', admin.userId]);
      await api.put('userLicense', { userId: guest.userId, licenseTypeId: 2 });
      await pass(41 * DAY);
      await sweep();
      expect([(await member()).isActive, await license()]).toEqual([false, 4]);
      const reopened = await api.post<InvitationInfoResponse>(path, { days: 2 });
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
      await pass(3 * DAY);
      const late = await api.post<InvitationInfoResponse>(path, { days: 1 });
      expect(Date.parse(late.body.membershipExpiresDate ?? '') - Date.now()).toBeGreaterThan(DAY - 60_000);
    });

    test('not by the member, not by who may do less, not beyond ten years, not when it has no end or no member', async () => {
      const { id } = await newest();
      const path = `user/invitations/${id}/extend`;
      const { session } = await waysIn();
      expect((await session.post(path, { days: 1 })).status).toBe(403);
      const weaker = await makePerson(house().db, siteId, {
        capabilities: ['Manage Users', 'Access Web Service'],
      });
      expect((await as(house().app, weaker).post(path, { days: 1 })).status).toBe(403);
      expect((await api.post<Refusal>(path, { days: 3650 })).body.errors?.[0]?.path).toBe('days');
      await pass(31 * DAY);
      await sweep();
      await api.put('user', { id: guest.userId, isActive: true });
      await sweep();
      expect((await member()).isActive).toBe(true);
      expect((await api.post(path, { days: 1 })).status).toBe(409);
      await api.del(`user/${guest.userId}`);
      expect((await api.post(path, { days: 1 })).status).toBe(409);
    });

    test('one who is inactive already is not reminded, and loses the license without a word to them', async () => {
      await api.put('user', { id: guest.userId, isActive: false });
      await pass(28 * DAY);
      await sweep();
      expect(await mailsTo(guest.email)).toEqual(['Invitation to Site']);
      await api.put('userLicense', { userId: guest.userId, licenseTypeId: 4 });
      await pass(2 * DAY);
      await sweep();
      expect((await actions()).at(-1)).toEqual(['membership.end', null]);
    });
  });

  test('a temporary administrator is none who remains', async () => {
    const groupId = await makeGroup(house().db, siteId, everything);
    await accept(await invite({ type: 1, duration: 30, groups: [groupId] }));
    expect((await api.put('user', { id: admin.userId, isActive: false })).status).toBe(409);
  });

  test('a membership of few days is not reminded of at its beginning', async () => {
    await accept(await invite({ type: 1, duration: 3 }));
    await sweep();
    expect(await mailsTo(guest.email)).toEqual(['Invitation to Site']);
  });
});
