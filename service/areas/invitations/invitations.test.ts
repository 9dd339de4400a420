/** Every rule of inviting somebody (spec 2.3, 4.2). */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { invitationParty, DAY } from '../../testing/invitations.ts';
import { as, everything, joinSite, makeGroup, makePerson, onEachApp, publicUrl } from '../../testing/site.ts';

onEachApp((house) => {
  const party = invitationParty(house);
  const { audit, inspect, invite, list, mails, newest, pass, tokens } = party;

  describe('inviting', () => {
    test('leaves a mail with a link that holds seven days, and says so in list and audit', async () => {
      const groupId = await makeGroup(house().db, party.siteId());
      expect(await invite({ type: 1, duration: 30, groups: [groupId, groupId] })).toMatchObject({
        status: 200,
        text: '',
      });
      const invitation = await newest();
      expect(invitation).toMatchObject({
        email: party.guest().email,
        type: 1,
        duration: 30,
        groups: [groupId],
        status: 'pending',
        invitedBy: party.admin().userId,
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
          actor_id: party.admin().userId,
          subject_id: String(invitation.id),
          changes: {
            email: [null, party.guest().email],
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
      expect((await inspect(token)).status).toBe(200);
    });

    test('whatever the case of the address; the list shows it as it was written', async () => {
      expect((await invite({ email: party.guest().email.toUpperCase() })).status).toBe(200);
      expect((await newest()).email).toBe(party.guest().email.toUpperCase());
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
      [{ mappedContactId: 2_147_483_647 }, 'mappedContactId', 'entry 2147483647 does not exist on this site'],
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
      const member = await invite({ email: party.admin().email });
      expect(member).toMatchObject({ status: 409 });
      expect(member.body.message).toContain(`id ${party.admin().userId}`);
      await invite();
      expect(await invite()).toMatchObject({ status: 409 });
      await joinSite(house().db, party.siteId(), party.guest().userId, { isActive: false });
      const inactive = await invite();
      expect(inactive.status).toBe(409);
      expect(inactive.body.message).toContain('not an active one');
    });

    test('groups need Manage Groups and every capability of theirs (T05)', async () => {
      const { app, db } = house();
      const strong = await makeGroup(db, party.siteId(), ['Manage Backups']);
      const users = as(
        app,
        await makePerson(db, party.siteId(), { capabilities: ['Manage Users', 'Access Web Service'] }),
      );
      expect(await invite({ groups: [strong] }, users)).toMatchObject({ status: 403 });
      const capabilities = everything.filter((name) => name !== 'Manage Backups');
      const weaker = as(app, await makePerson(db, party.siteId(), { capabilities }));
      const refused = await invite({ groups: [strong] }, weaker);
      expect([refused.status, refused.body.message]).toEqual([
        403,
        expect.stringContaining('Manage Backups'),
      ]);
      expect(await list()).toEqual([]);
      expect((await invite({}, users)).status).toBe(200);
    });

    test('a mistake is put right at once: revoked and invited anew, removed and invited anew', async () => {
      await invite({ type: 1, duration: 3 });
      await party.api().del(`user/invitations/${(await newest()).id}`);
      const token = await party.invited({ type: 1, duration: 30 });
      expect((await party.accept(token)).status).toBe(200);
      expect((await party.api().del(`user/${party.guest().userId}`)).status).toBe(200);
      expect((await invite()).status).toBe(200);
    });

    test('five mails a day to each person, those sent again among them; a refused one is not counted (T13)', async () => {
      expect((await invite({ groups: [2_147_483_647] })).status).toBe(400);
      expect((await invite()).status).toBe(200);
      for (const _ of [1, 2, 3]) {
        await party.api().del(`user/invitations/${(await newest()).id}`);
        expect((await invite()).status).toBe(200);
      }
      expect([await party.resend(), await party.resend()]).toEqual([204, 429]);
      await party.api().del(`user/invitations/${(await newest()).id}`);
      const more = await invite();
      expect(more.status).toBe(429);
      const wait = Number(more.headers['retry-after']);
      expect(wait).toBeGreaterThan(86_000);
      expect(wait).toBeLessThanOrEqual(86_400);
      expect(await mails()).toHaveLength(5);
      await pass(DAY + 1000);
      expect((await invite()).status).toBe(200);
    });

    test('two hundred an hour for each administrator, addresses that nobody has included (T12, T13)', async () => {
      await sql`insert into throttle values (${`invite:${party.siteId()}:${party.admin().userId}`}, 199, now())`.execute(
        house().db,
      );
      expect((await invite({ email: 'nobody@nowhere.test' })).status).toBe(404);
      const over = await invite({ email: 'nobody@nowhere.test' });
      expect([over.status, Number(over.headers['retry-after']) > 3000]).toEqual([429, true]);
      expect((await invite()).status).toBe(429);
      expect((await invite({}, as(house().app, await makePerson(house().db, party.siteId())))).status).toBe(
        200,
      );
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
        const other = await makePerson(house().db, party.guest().siteId);
        await invite({ email: other.email });
        guests.push(other.email);
      }
      const [, second, third] = await list();
      await party.api().del(`user/invitations/${second?.id}`);
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
      expect((await party.api().get('user/invitations?status=open')).status).toBe(400);
    });
  });
});
