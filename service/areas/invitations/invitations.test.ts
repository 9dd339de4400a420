/** Every rule of inviting somebody and of what becomes of the invitation (spec 2.3, 4.2). */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { InvitationInfoResponse, ReceivedInvitation } from '../../../contract/generated/types.gen.ts';
import { callsWith, type Calls, type Refusal } from '../../testing/calls.ts';
import {
  as,
  everything,
  joinSite,
  makeGroup,
  makePerson,
  makeSite,
  onEachApp,
  publicUrl,
  type Person,
} from '../../testing/site.ts';

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
    // Everybody here comes from one address.
    await sql`delete from throttle`.execute(db);
  });

  const invite = (more: object = {}, calls = api) =>
    calls.post<Refusal>('user/invite', { email: guest.email, type: 0, ...more });
  const list = async (query = '') =>
    (await api.get<InvitationInfoResponse[]>(`user/invitations${query}`)).body;
  const newest = async () => {
    const [first] = await list('?pageSize=1');
    if (!first) throw new Error('There is an invitation');
    return first;
  };
  const mails = (to = guest.email) =>
    house().db.selectFrom('mail').selectAll().where('recipient', '=', to).orderBy('mail_id').execute();
  /** The secrets of the links mailed to the guest, the first one first. */
  const tokens = async () =>
    (await mails()).flatMap((mail) => /\/invitation#([\w-]+)/.exec(mail.body_text)?.[1] ?? []);
  const inspect = async (token: string | undefined) =>
    (await visitor().post<ReceivedInvitation>('/api/session/invitation', { token })).status;
  const audit = () =>
    house()
      .db.selectFrom('audit_log')
      .select(['action', 'actor_id', 'subject_type', 'subject_id', 'changes'])
      .where('site_id', '=', siteId)
      .orderBy('audit_id')
      .execute();
  /** Moves the times of this site's invitations and memberships: so much time has passed. */
  const pass = async (ms: number) => {
    const back = sql`make_interval(secs => ${ms / 1000})`;
    await sql`update invitation set created_at = created_at - ${back}, expires_at = expires_at - ${back},
      accepted_at = accepted_at - ${back}, revoked_at = revoked_at - ${back} where site_id = ${siteId}`.execute(
      house().db,
    );
    await sql`update throttle set window_started_at = window_started_at - ${back}`.execute(house().db);
  };

  const resend = async (id?: number) =>
    (await api.post<Refusal>(`user/invitations/${id ?? (await newest()).id}/resend`)).status;

  describe('inviting', () => {
    test('leaves a mail with a link that holds seven days, and says so in list and audit', async () => {
      const groupId = await makeGroup(house().db, siteId);
      expect(await invite({ type: 1, duration: 30, groups: [groupId, groupId] })).toMatchObject({
        status: 200,
        text: '',
      });
      const invitation = await newest();
      expect(invitation).toMatchObject({
        email: guest.email,
        type: 1,
        duration: 30,
        groups: [groupId],
        status: 'pending',
        invitedBy: admin.userId,
        invitedByName: 'Ada Okafor',
        userId: null,
        membershipExpiresDate: null,
      });
      expect(Date.parse(invitation.expiresDate) - Date.parse(invitation.createdDate)).toBe(7 * DAY);
      const [mail, ...more] = await mails();
      expect(more).toEqual([]);
      expect(mail?.body_text).toContain('Ada Okafor invites you to Site');
      expect(mail?.body_text).toContain('30 days after you accept');
      expect(mail?.body_text).toContain(`${publicUrl}/invitation#`);
      expect(Number(mail?.expires_at) - Number(mail?.created_at)).toBe(7 * DAY);
      expect(await audit()).toMatchObject([
        {
          action: 'invitation.create',
          actor_id: admin.userId,
          subject_id: String(invitation.id),
          changes: {
            email: [null, guest.email],
            type: [null, 1],
            duration: [null, 30],
            groups: [null, [groupId]],
          },
        },
      ]);
      // What opens the invitation stands in the mail alone.
      const [token = ''] = await tokens();
      const { rows } = await sql<object>`select * from invitation`.execute(house().db);
      expect(JSON.stringify([rows, await audit()])).not.toContain(token);
      expect(await inspect(token)).toBe(200);
    });

    test('whatever the case of the address; the list shows it as it was written', async () => {
      expect((await invite({ email: guest.email.toUpperCase() })).status).toBe(200);
      expect((await newest()).email).toBe(guest.email.toUpperCase());
      expect(await mails()).toHaveLength(1);
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
    ])('%j is 400 at %s', async (more, path, message) => {
      const { status, body } = await invite(more);
      expect([status, body.errors?.map((fault) => fault.path)]).toEqual([400, [path]]);
      expect(body.errors?.[0]?.message).toBe(message ?? body.errors?.[0]?.message);
      expect(await list()).toEqual([]);
      expect(await mails()).toEqual([]);
    });

    test('404 for an address that nobody has, 409 for a member, active or not, and for somebody invited', async () => {
      const unknown = await invite({ email: 'nobody@nowhere.test' });
      expect([unknown.status, unknown.body.errors?.[0]?.path]).toEqual([404, 'email']);
      const member = await invite({ email: admin.email });
      expect(member).toMatchObject({ status: 409 });
      expect(member.body.message).toContain(`id ${admin.userId}`);
      await invite();
      expect(await invite()).toMatchObject({ status: 409 });
      await joinSite(house().db, siteId, guest.userId, { isActive: false });
      const inactive = await invite();
      expect(inactive.status).toBe(409);
      expect(inactive.body.message).toContain('not an active one');
    });

    test('groups need Manage Groups and every capability of theirs (T05)', async () => {
      const { app, db } = house();
      const strong = await makeGroup(db, siteId, ['Manage Backups']);
      const users = as(
        app,
        await makePerson(db, siteId, { capabilities: ['Manage Users', 'Access Web Service'] }),
      );
      expect(await invite({ groups: [strong] }, users)).toMatchObject({ status: 403 });
      const capabilities = everything.filter((name) => name !== 'Manage Backups');
      const weaker = as(app, await makePerson(db, siteId, { capabilities }));
      const refused = await invite({ groups: [strong] }, weaker);
      expect([refused.status, refused.body.message]).toEqual([
        403,
        expect.stringContaining('Manage Backups'),
      ]);
      expect(await list()).toEqual([]);
      expect((await invite({}, users)).status).toBe(200);
    });

    test('one a day for each person, with the moment from which it works again; a refused one is not counted', async () => {
      expect((await invite({ groups: [2_147_483_647] })).status).toBe(400);
      expect((await invite()).status).toBe(200);
      expect((await api.del(`user/invitations/${(await newest()).id}`)).status).toBe(204);
      const again = await invite();
      expect(again.status).toBe(429);
      const wait = Number(again.headers['retry-after']);
      expect(wait).toBeGreaterThan(86_000);
      expect(wait).toBeLessThanOrEqual(86_400);
      await pass(DAY + 1000);
      expect((await invite()).status).toBe(200);
      expect((await list()).map(({ status }) => status)).toEqual(['pending', 'revoked']);
    });

    test('two hundred an hour for each administrator, addresses that nobody has included (T12, T13)', async () => {
      await sql`insert into throttle values (${`invite:${siteId}:${admin.userId}`}, 199, now())`.execute(
        house().db,
      );
      expect((await invite({ email: 'nobody@nowhere.test' })).status).toBe(404);
      const over = await invite({ email: 'nobody@nowhere.test' });
      expect([over.status, Number(over.headers['retry-after']) > 3000]).toEqual([429, true]);
      expect((await invite()).status).toBe(429);
      expect((await invite({}, as(house().app, await makePerson(house().db, siteId)))).status).toBe(200);
    });

    test('of two at the same moment one gets through', async () => {
      const statuses = (await Promise.all([invite(), invite(), invite()])).map(({ status }) => status);
      expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 409, 409]);
      expect(await list()).toHaveLength(1);
      expect(await mails()).toHaveLength(1);
    });
  });

  describe('the list', () => {
    test('by state, newest first, by pages', async () => {
      const guests = [];
      for (const _ of [1, 2, 3, 4, 5]) {
        const other = await makePerson(house().db, guest.siteId);
        await invite({ email: other.email });
        guests.push(other.email);
      }
      const [, second, third] = await list();
      await api.del(`user/invitations/${second?.id}`);
      await sql`update invitation set expires_at = now() where invitation_id = ${third?.id}`.execute(
        house().db,
      );
      await sql`update invitation set accepted_at = now() where email = ${guests[0] ?? ''}`.execute(
        house().db,
      );
      const newestFirst = guests.toReversed();
      expect((await list()).map(({ email }) => email)).toEqual(newestFirst);
      expect((await list()).map(({ status }) => status)).toEqual([
        'pending',
        'revoked',
        'expired',
        'pending',
        'accepted',
      ]);
      for (const status of ['pending', 'revoked', 'expired', 'accepted']) {
        const found = await list(`?status=${status}`);
        expect(new Set(found.map((each) => each.status))).toEqual(new Set([status]));
      }
      expect((await list('?pageSize=2&pageNumber=2')).map(({ email }) => email)).toEqual(
        newestFirst.slice(2, 4),
      );
      expect((await list('?status=pending&pageSize=1&pageNumber=2')).map(({ email }) => email)).toEqual([
        guests[1],
      ]);
      expect((await api.get('user/invitations?status=open')).status).toBe(400);
    });
  });

  describe('the link', () => {
    test('says what one is invited to, as often as one looks', async () => {
      await invite({ type: 1, duration: 1 });
      const [token] = await tokens();
      for (const _ of [1, 2]) {
        const { status, body } = await visitor().post<ReceivedInvitation>('/api/session/invitation', {
          token,
        });
        expect(status).toBe(200);
        expect(body).toMatchObject({ email: guest.email, type: 1, duration: 1, invitedByName: 'Ada Okafor' });
        expect(body.siteName).toMatch(/^Site site-/);
      }
    });

    test('holds up to its end and not at it: the instant of the end is over', async () => {
      await invite();
      const [token] = await tokens();
      await pass(7 * DAY - 60_000);
      expect(await inspect(token)).toBe(200);
      await pass(60_000);
      expect(await inspect(token)).toBe(404);
      expect((await newest()).status).toBe('expired');
      const { id } = await newest();
      expect((await api.del(`user/invitations/${id}`)).status).toBe(409);
    });

    test('is dead when revoked, unknown, or when the account has another address since', async () => {
      await invite();
      const [token] = await tokens();
      expect(await inspect('x'.repeat(43))).toBe(404);
      await house()
        .db.updateTable('account')
        .set({ email_key: `${crypto.randomUUID()}@moved.test` })
        .where('user_id', '=', guest.userId)
        .execute();
      expect(await inspect(token)).toBe(404);
      await house()
        .db.updateTable('account')
        .set({ email_key: guest.email })
        .where('user_id', '=', guest.userId)
        .execute();
      expect(await inspect(token)).toBe(200);
      expect((await api.del(`user/invitations/${(await newest()).id}`)).status).toBe(204);
      expect(await inspect(token)).toBe(404);
    });

    test('of many tries from one address the last are refused', async () => {
      const tries = Array.from({ length: 62 }, () => inspect('x'.repeat(43)));
      expect((await Promise.all(tries)).filter((status) => status === 429)).toHaveLength(2);
    });
  });

  describe('sending again', () => {
    test('makes a new link that holds seven days from now, and ends the old one; an expired one is pending again', async () => {
      await invite({ type: 1, duration: 5 });
      await pass(6 * DAY);
      expect(await resend()).toBe(204);
      const [old, fresh] = await tokens();
      expect([await inspect(old), await inspect(fresh)]).toEqual([404, 200]);
      await pass(7 * DAY);
      expect((await newest()).status).toBe('expired');
      expect(await resend()).toBe(204);
      expect((await newest()).status).toBe('pending');
      expect((await mails()).every((mail) => mail.body_text.includes('5 days after you accept'))).toBe(true);
      expect((await audit()).map(({ action, changes }) => [action, changes])).toMatchObject([
        ['invitation.create', {}],
        ['invitation.resend', {}],
        ['invitation.resend', { status: ['expired', 'pending'] }],
      ]);
    });

    test('three times an hour', async () => {
      await invite();
      const statuses = [await resend(), await resend(), await resend(), await resend()];
      expect(statuses).toEqual([204, 204, 204, 429]);
      expect(await mails()).toHaveLength(4);
    });

    test('409 for a revoked one, for a member, and beside a newer one; 404 for one of another site', async () => {
      await invite();
      const { id } = await newest();
      await pass(7 * DAY);
      expect((await invite()).status).toBe(200);
      expect(await resend(id)).toBe(409);
      const second = await newest();
      await api.del(`user/invitations/${second.id}`);
      expect(await resend(second.id)).toBe(409);
      await joinSite(house().db, siteId, guest.userId);
      expect(await resend(id)).toBe(409);
      const elsewhere = as(house().app, await makePerson(house().db, await makeSite(house().db)));
      for (const reply of [
        await elsewhere.post(`user/invitations/${id}/resend`),
        await elsewhere.post(`user/invitations/${id}/extend`, { days: 1 }),
        await elsewhere.del(`user/invitations/${id}`),
      ])
        expect(reply.status).toBe(404);
    });

    test('gives the groups anew: who may not give them may not send or extend it, a group that is gone is nobody’s', async () => {
      const strong = await makeGroup(house().db, siteId, ['Manage Backups']);
      await invite({ groups: [strong] });
      const { id } = await newest();
      const capabilities = everything.filter((name) => name !== 'Manage Backups');
      const weaker = as(house().app, await makePerson(house().db, siteId, { capabilities }));
      expect((await weaker.post(`user/invitations/${id}/resend`)).status).toBe(403);
      expect((await weaker.post(`user/invitations/${id}/extend`, { days: 1 })).status).toBe(403);
      await api.del(`user/group/${strong}`);
      expect((await weaker.post(`user/invitations/${id}/resend`)).status).toBe(204);
    });
  });

  test('a pending one is extended from its present end, never beyond ten years; an expired or revoked one is not', async () => {
    await invite();
    const before = await newest();
    const path = `user/invitations/${before.id}/extend`;
    const { status, body } = await api.post<InvitationInfoResponse>(path, { days: 3 });
    expect(status).toBe(200);
    expect(Date.parse(body.expiresDate) - Date.parse(before.expiresDate)).toBe(3 * DAY);
    const far = await api.post<Refusal>(path, { days: 3650 });
    expect([far.status, far.body.errors?.[0]?.path]).toEqual([400, 'days']);
    expect((await api.post(path, { days: 3640 })).status).toBe(200);
    expect((await audit()).map(({ action }) => action)).toEqual([
      'invitation.create',
      'invitation.extend',
      'invitation.extend',
    ]);
    await sql`update invitation set expires_at = now() where site_id = ${siteId}`.execute(house().db);
    expect((await api.post(path, { days: 3 })).status).toBe(409);
  });
});
