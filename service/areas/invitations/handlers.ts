import { durationFault } from '../../../contract/rules/invitations.ts';
import { countLinkCall } from '../../kernel/auth/throttle.store.ts';
import { actorOf, change } from '../../kernel/change.ts';
import { conflict, invalid, notFound } from '../../kernel/http/errors.ts';
import { done, ok, type Handlers } from '../../kernel/http/handler.ts';
import { pageOf } from '../../kernel/http/page.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { getSite } from '../sites/index.ts';
import { accept, gone } from './accept.ts';
import { addExisting, requireEligible, type Add } from './add-existing.ts';
import { checkAll, readable } from './check.ts';
import { extend } from './extend.ts';
import { invite, resend } from './invite.ts';
import { findInvitees } from './invitees.store.ts';
import { contactFaults, countChecked, countInvitation, shownInvitation } from './rules.ts';
import * as store from './store.ts';

async function addExistingUser(call: Add): Promise<typeof done> {
  const { db, caller, body } = call;
  const faults = contactFaults(body);
  if (faults.length > 0) throw invalid(faults);
  const site = await getSite(db, caller.siteId);
  requireEligible(site, body.email);
  await countInvitation(db, caller);
  await change(db, actorOf(call), (tx, record) => addExisting(tx, call, site, record), { alone: true });
  call.services.wakeMail();
  return done;
}

type Operations =
  | 'inviteExistingUser'
  | 'addExistingUser'
  | 'addExistingUserAlias'
  | 'listInvitations'
  | 'checkInvitees'
  | 'resendInvitation'
  | 'revokeInvitation'
  | 'extendInvitation'
  | 'inspectInvitation'
  | 'acceptInvitation';

export const invitationHandlers: Handlers<Operations> = {
  async inviteExistingUser(call) {
    const { db, caller, body } = call;
    const fault = durationFault(body.type, body.duration);
    const faults = [
      ...(fault === undefined ? [] : [{ path: 'duration', message: fault }]),
      ...contactFaults(body),
    ];
    if (faults.length > 0) throw invalid(faults);
    await countInvitation(db, caller);
    await change(db, actorOf(call), (tx, record) => invite(tx, call, record));
    call.services.wakeMail();
    return ok(undefined);
  },

  addExistingUser,
  addExistingUserAlias: addExistingUser,

  async listInvitations({ db, caller, query }) {
    const found = await store.listInvitations(db, caller.siteId, query.status, pageOf(query));
    return ok(found.map(shownInvitation));
  },

  async checkInvitees({ db, caller, body }) {
    await countChecked(db, caller, body.emails.length);
    const site = await getSite(db, caller.siteId);
    const known = await findInvitees(db, caller.siteId, readable(body.emails));
    return ok(checkAll(body.emails, known, { site, caller }));
  },

  async resendInvitation(call) {
    await countInvitation(call.db, call.caller);
    await change(call.db, actorOf(call), (tx, record) => resend(tx, call, record));
    call.services.wakeMail();
    return done;
  },

  async revokeInvitation(call) {
    const { siteId } = call.caller;
    const { id } = call.params;
    await change(call.db, actorOf(call), async (tx, record) => {
      const invitation = await store.lockInvitation(tx, siteId, id);
      if (!invitation) throw notFound(`Invitation ${id}`);
      if (!(await store.revoke(tx, siteId, id)))
        throw conflict(`Invitation ${id} is ${invitation.status}: only a pending one can be revoked`);
      record({
        action: 'invitation.revoke',
        subject: ['invitation', id],
        changes: { status: ['pending', 'revoked'] },
      });
    });
    return done;
  },

  async extendInvitation(call) {
    const extended = await change(call.db, actorOf(call), (tx, record) => extend(tx, call, record));
    return ok(shownInvitation(extended));
  },

  async inspectInvitation({ db, body, origin }) {
    await countLinkCall(db, origin.ip, 'tried');
    const received = await store.findReceived(db, hashSecret(body.token));
    if (!received) throw gone();
    const site = await getSite(db, received.siteId);
    return ok({
      email: received.email,
      siteName: site.name,
      type: received.type,
      duration: received.duration,
      invitedByName: received.inviter?.name ?? null,
      expiresDate: received.expiresDate.toISOString(),
    });
  },

  async acceptInvitation({ db, body, origin, services }) {
    await countLinkCall(db, origin.ip, 'tried');
    const received = await store.findReceived(db, hashSecret(body.token));
    if (!received) throw gone();
    const { siteId, userId, email } = received;
    const accepted = await change(
      db,
      { siteId, userId, email, origin },
      (tx, record) => accept(tx, received, body.token, record),
      { alone: true },
    );
    services.wakeMail();
    return ok(accepted);
  },
};
