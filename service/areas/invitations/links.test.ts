/** What the link of an invitation opens and for how long, sent again and extended. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { InvitationInfoResponse } from '../../../contract/generated/types.gen.ts';
import type { Refusal } from '../../testing/calls.ts';
import { invitationParty, DAY } from '../../testing/invitations.ts';
import { as, everything, joinSite, makeGroup, makePerson, makeSite, onEachApp } from '../../testing/site.ts';

onEachApp((house) => {
  const party = invitationParty(house);
  const { audit, inspect, invite, mails, newest, pass, resend, tokens } = party;

  const opens = async (token: string | undefined) => (await inspect(token)).status;

  describe('the link', () => {
    test('says what one is invited to, as often as one looks', async () => {
      await invite({ type: 1, duration: 1 });
      const [token] = await tokens();
      for (const _ of [1, 2]) {
        const { status, body } = await inspect(token);
        expect(status).toBe(200);
        expect(body).toMatchObject({
          email: party.guest().email,
          type: 1,
          duration: 1,
          invitedByName: 'Ada Okafor',
        });
        expect(body.siteName).toMatch(/^Site site-/);
      }
    });

    test('holds up to its end and not at it: the instant of the end is over', async () => {
      await invite();
      const [token] = await tokens();
      await pass(7 * DAY - 60_000);
      expect(await opens(token)).toBe(200);
      await pass(60_000);
      expect(await opens(token)).toBe(404);
      expect((await newest()).status).toBe('expired');
      const { id } = await newest();
      expect((await party.api().del(`user/invitations/${id}`)).status).toBe(409);
    });

    test('is dead when revoked, unknown, or when the account has another address since', async () => {
      await invite();
      const [token] = await tokens();
      expect(await opens('x'.repeat(43))).toBe(404);
      await house()
        .db.updateTable('account')
        .set({ email_key: `${crypto.randomUUID()}@moved.test` })
        .where('user_id', '=', party.guest().userId)
        .execute();
      expect(await opens(token)).toBe(404);
      await house()
        .db.updateTable('account')
        .set({ email_key: party.guest().email })
        .where('user_id', '=', party.guest().userId)
        .execute();
      expect(await opens(token)).toBe(200);
      expect((await party.api().del(`user/invitations/${(await newest()).id}`)).status).toBe(204);
      expect(await opens(token)).toBe(404);
    });

    test('of many tries from one address the last are refused', async () => {
      const tries = Array.from({ length: 62 }, () => opens('x'.repeat(43)));
      expect((await Promise.all(tries)).filter((status) => status === 429)).toHaveLength(2);
    });
  });

  describe('sending again', () => {
    test('makes a new link that holds seven days from now, and ends the old one; an expired one is pending again', async () => {
      await invite({ type: 1, duration: 5 });
      await pass(6 * DAY);
      expect(await resend()).toBe(204);
      const [old, fresh] = await tokens();
      expect([await opens(old), await opens(fresh)]).toEqual([404, 200]);
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

    test('409 for a revoked one, for a member, and beside a newer one; 404 for one of another site', async () => {
      await invite();
      const { id } = await newest();
      await pass(7 * DAY);
      expect((await invite()).status).toBe(200);
      expect(await resend(id)).toBe(409);
      const second = await newest();
      await party.api().del(`user/invitations/${second.id}`);
      expect(await resend(second.id)).toBe(409);
      await joinSite(house().db, party.siteId(), party.guest().userId);
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
      const strong = await makeGroup(house().db, party.siteId(), ['Manage Backups']);
      await invite({ groups: [strong] });
      const { id } = await newest();
      const capabilities = everything.filter((name) => name !== 'Manage Backups');
      const weaker = as(house().app, await makePerson(house().db, party.siteId(), { capabilities }));
      expect((await weaker.post(`user/invitations/${id}/resend`)).status).toBe(403);
      expect((await weaker.post(`user/invitations/${id}/extend`, { days: 1 })).status).toBe(403);
      await party.api().del(`user/group/${strong}`);
      expect((await weaker.post(`user/invitations/${id}/resend`)).status).toBe(204);
    });
  });

  test('a pending one is extended from its present end, never beyond ten years; an expired or revoked one is not', async () => {
    await invite();
    const before = await newest();
    const path = `user/invitations/${before.id}/extend`;
    const { status, body } = await party.api().post<InvitationInfoResponse>(path, { days: 3 });
    expect(status).toBe(200);
    expect(Date.parse(body.expiresDate) - Date.parse(before.expiresDate)).toBe(3 * DAY);
    const far = await party.api().post<Refusal>(path, { days: 3650 });
    expect([far.status, far.body.errors?.[0]?.path]).toEqual([400, 'days']);
    expect((await party.api().post(path, { days: 3640 })).status).toBe(200);
    expect((await audit()).map(({ action }) => action)).toEqual([
      'invitation.create',
      'invitation.extend',
      'invitation.extend',
    ]);
    await sql`update invitation set expires_at = now() where site_id = ${party.siteId()}`.execute(house().db);
    expect((await party.api().post(path, { days: 3 })).status).toBe(409);
  });
});
