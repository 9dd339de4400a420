/** Validity of invitation links, resending and extending. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { InvitationInfoResponse } from '../../../contract/generated/types.gen.ts';
import type { ErrorBody } from '../../testing/calls.ts';
import { setUpInvitations, DAY } from '../../testing/invitations.ts';
import {
  as,
  allCapabilities,
  joinSite,
  makeGroup,
  makePerson,
  makeSite,
  onEachApp,
} from '../../testing/site.ts';

onEachApp((context) => {
  const fixture = setUpInvitations(context);
  const {
    advanceInvitations,
    getNewestInvitation,
    inspect,
    invite,
    listAuditRows,
    listMails,
    listTokens,
    resend,
  } = fixture;

  const inspectStatus = async (token: string | undefined) => (await inspect(token)).status;

  describe('the link', () => {
    test('shows the invitation any number of times', async () => {
      await invite({ type: 1, duration: 1 });
      const [token] = await listTokens();
      for (const _ of [1, 2]) {
        const { status, body } = await inspect(token);
        expect(status).toBe(200);
        expect(body).toMatchObject({
          email: fixture.guest().email,
          type: 1,
          duration: 1,
          invitedByName: 'Ada Okafor',
        });
        expect(body.siteName).toMatch(/^Site site-/);
      }
    });

    test('is valid until its end date and invalid from that instant on', async () => {
      await invite();
      const [token] = await listTokens();
      await advanceInvitations(7 * DAY - 60_000);
      expect(await inspectStatus(token)).toBe(200);
      await advanceInvitations(60_000);
      expect(await inspectStatus(token)).toBe(404);
      expect((await getNewestInvitation()).status).toBe('expired');
      const { id } = await getNewestInvitation();
      expect((await fixture.client().del(`user/invitations/${id}`)).status).toBe(409);
    });

    test('is invalid if revoked, unknown or sent to an address that the account no longer has', async () => {
      await invite();
      const [token] = await listTokens();
      expect(await inspectStatus('x'.repeat(43))).toBe(404);
      await context()
        .db.updateTable('account')
        .set({ email_key: `${crypto.randomUUID()}@moved.test` })
        .where('user_id', '=', fixture.guest().userId)
        .execute();
      expect(await inspectStatus(token)).toBe(404);
      await context()
        .db.updateTable('account')
        .set({ email_key: fixture.guest().email })
        .where('user_id', '=', fixture.guest().userId)
        .execute();
      expect(await inspectStatus(token)).toBe(200);
      expect(
        (await fixture.client().del(`user/invitations/${(await getNewestInvitation()).id}`)).status,
      ).toBe(204);
      expect(await inspectStatus(token)).toBe(404);
    });

    test('is rate limited per address', async () => {
      const tries = Array.from({ length: 62 }, () => inspectStatus('x'.repeat(43)));
      expect((await Promise.all(tries)).filter((status) => status === 429)).toHaveLength(2);
    });
  });

  describe('sending again', () => {
    test('creates a link valid for seven days and invalidates the old one; an expired invitation becomes pending', async () => {
      await invite({ type: 1, duration: 5 });
      await advanceInvitations(6 * DAY);
      expect(await resend()).toBe(204);
      const [old, fresh] = await listTokens();
      expect([await inspectStatus(old), await inspectStatus(fresh)]).toEqual([404, 200]);
      await advanceInvitations(7 * DAY);
      expect((await getNewestInvitation()).status).toBe('expired');
      expect(await resend()).toBe(204);
      expect((await getNewestInvitation()).status).toBe('pending');
      expect((await listMails()).every((mail) => mail.body_text.includes('5 days after you accept'))).toBe(
        true,
      );
      expect((await listAuditRows()).map(({ action, changes }) => [action, changes])).toMatchObject([
        ['invitation.create', {}],
        ['invitation.resend', {}],
        ['invitation.resend', { status: ['expired', 'pending'] }],
      ]);
    });

    test('is 409 for a revoked invitation, a member or a newer invitation, and 404 on another site', async () => {
      await invite();
      const { id } = await getNewestInvitation();
      await advanceInvitations(7 * DAY);
      expect((await invite()).status).toBe(200);
      expect(await resend(id)).toBe(409);
      const second = await getNewestInvitation();
      await fixture.client().del(`user/invitations/${second.id}`);
      expect(await resend(second.id)).toBe(409);
      await joinSite(context().db, fixture.siteId(), fixture.guest().userId);
      expect(await resend(id)).toBe(409);
      const elsewhere = as(context().app, await makePerson(context().db, await makeSite(context().db)));
      for (const reply of [
        await elsewhere.post(`user/invitations/${id}/resend`),
        await elsewhere.post(`user/invitations/${id}/extend`, { days: 1 }),
        await elsewhere.del(`user/invitations/${id}`),
        await elsewhere.del(`user/invitations/${id}/record`),
      ])
        expect(reply.status).toBe(404);
    });

    test('requires that the caller can grant the groups; deleted groups are ignored', async () => {
      const strong = await makeGroup(context().db, fixture.siteId(), ['Manage Backups']);
      await invite({ groups: [strong] });
      const { id } = await getNewestInvitation();
      const capabilities = allCapabilities.filter((name) => name !== 'Manage Backups');
      const weaker = as(context().app, await makePerson(context().db, fixture.siteId(), { capabilities }));
      expect((await weaker.post(`user/invitations/${id}/resend`)).status).toBe(403);
      expect((await weaker.post(`user/invitations/${id}/extend`, { days: 1 })).status).toBe(403);
      await fixture.client().del(`user/group/${strong}`);
      expect((await weaker.post(`user/invitations/${id}/resend`)).status).toBe(204);
    });
  });

  test('a pending invitation is extended from its end date up to ten years; an expired or revoked one is not', async () => {
    await invite();
    const before = await getNewestInvitation();
    const path = `user/invitations/${before.id}/extend`;
    const { status, body } = await fixture.client().post<InvitationInfoResponse>(path, { days: 3 });
    expect(status).toBe(200);
    expect(Date.parse(body.expiresDate) - Date.parse(before.expiresDate)).toBe(3 * DAY);
    const far = await fixture.client().post<ErrorBody>(path, { days: 3650 });
    expect([far.status, far.body.errors?.[0]?.path]).toEqual([400, 'days']);
    expect((await fixture.client().post(path, { days: 3640 })).status).toBe(200);
    expect((await listAuditRows()).map(({ action }) => action)).toEqual([
      'invitation.create',
      'invitation.extend',
      'invitation.extend',
    ]);
    await sql`update invitation set expires_at = now() where site_id = ${fixture.siteId()}`.execute(
      context().db,
    );
    expect((await fixture.client().post(path, { days: 3 })).status).toBe(409);
  });

  test('the record of an invitation is deleted once it is not pending and its temporary membership has ended', async () => {
    const remove = async (id: number) => (await fixture.client().del(`user/invitations/${id}/record`)).status;
    const token = await fixture.inviteAndGetToken({ type: 1, duration: 5 });
    const { id } = await getNewestInvitation();
    expect(await remove(id)).toBe(409);
    expect((await fixture.accept(token)).status).toBe(200);
    // The membership is extended through the record.
    expect(await remove(id)).toBe(409);
    await fixture.advanceMembership(6 * DAY);
    await fixture.runExpiryTask();
    expect([await remove(id), await remove(id)]).toEqual([204, 404]);
    expect(await fixture.listInvitations()).toEqual([]);
    expect(await fixture.getGuest()).toMatchObject({ id: fixture.guest().userId, isActive: false });
    expect((await listAuditRows()).at(-1)).toMatchObject({
      action: 'invitation.delete',
      actor_id: fixture.admin().userId,
      subject_id: String(id),
      changes: { email: [fixture.guest().email, null], status: ['accepted', null] },
    });
  });
});
