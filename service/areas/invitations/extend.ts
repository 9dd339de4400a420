import { TEMPORARY } from '../../../contract/rules/invitations.ts';
import type { Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { conflict, forbidden, notFound } from '../../kernel/http/errors.ts';
import type { Call } from '../../kernel/http/handler.ts';
import { lockUser, requireAuthorityOver, usersChanged } from '../members/index.ts';
import { requireGift } from './invite.ts';
import { extendMember } from './members.store.ts';
import { tooLate } from './rules.ts';
import * as store from './store.ts';

type Extend = Call<'extendInvitation'>;

/**
 * Gives a pending invitation, or the temporary membership of an accepted one, more days. A membership that has ended is
 * opened again, its days counted from now.
 * @throws ApiError 400 beyond ten years, 403 beyond the caller, 404, 409 where there is no end to move
 */
export async function extend(tx: Tx, call: Extend, record: Recorder): Promise<store.StoredInvitation> {
  const { siteId } = call.caller;
  const { id } = call.params;
  const before = await store.lockInvitation(tx, siteId, id);
  if (!before) throw notFound(`Invitation ${id}`);
  if (before.status === 'pending') await extendPending(tx, call, before);
  else if (before.status === 'accepted') await extendAccepted(tx, call, before, record);
  else
    throw conflict(
      `Invitation ${id} ${before.status === 'expired' ? 'has expired: send it again' : 'was revoked: invite the person anew'}`,
    );
  const after = await store.getInvitation(tx, siteId, id);
  if (!after) throw new Error('An invitation that is held does not go away');
  record({ action: 'invitation.extend', subject: ['invitation', id], changes: ends(before, after) });
  return after;
}

const ends = (before: store.StoredInvitation, after: store.StoredInvitation) =>
  before.status === 'pending'
    ? { expiresDate: [before.expiresDate, after.expiresDate] }
    : { membershipExpiresDate: [before.membershipExpiresDate, after.membershipExpiresDate] };

async function extendPending(tx: Tx, call: Extend, { id, groups }: store.StoredInvitation): Promise<void> {
  await requireGift(tx, call, groups);
  if (!(await store.extendLink(tx, call.caller.siteId, id, call.body.days))) throw tooLate();
}

async function extendAccepted(
  tx: Tx,
  call: Extend,
  invitation: store.StoredInvitation,
  record: Recorder,
): Promise<void> {
  const { caller } = call;
  const { id, email, accountId } = invitation;
  const member = invitation.isMember ? await lockUser(tx, caller.siteId, accountId) : undefined;
  if (!member) throw conflict(`${email} is no user of this site any more: invite the person anew`);
  if (invitation.type !== TEMPORARY || invitation.membershipExpiresDate === null)
    throw conflict(`The membership of ${email} has no end`);
  // Time is given by others: a helper for a month must not make it ten years.
  if (accountId === caller.userId)
    throw forbidden('Nobody gives themselves more time: ask another administrator');
  await requireAuthorityOver(tx, caller, accountId, 'Giving this user more time');
  if (!(await extendMember(tx, caller.siteId, id, call.body.days))) throw tooLate();
  await usersChanged(tx, caller, [member], 'membership.reopen', record);
}
