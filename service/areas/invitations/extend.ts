import { TEMPORARY } from '../../../contract/rules/people/invitations.ts';
import { forbidden } from '../../kernel/api-error.ts';
import type { Recorder } from '../../kernel/audit/change.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { lockUser, requireAuthorityOver, recordUserChanges } from '../members/index.ts';
import * as store from './invitations.store.ts';
import { lockKnownInvitation, requireGrantableGroups } from './invite.ts';
import { extendMembership } from './memberships.store.ts';
import * as rules from './rules.ts';

interface ExtendCall {
  caller: Caller;
  /** Id of the invitation. */
  id: number;
  days: number;
}

/**
 * Extends a pending invitation, or the temporary membership that came from an accepted one. A membership that has ended
 * is reopened and its days count from now.
 * @throws ApiError 400 beyond ten years, 403 without authority over the user, 404, 409 if there is no end date to move
 */
export async function extendInvitation(
  tx: Tx,
  call: ExtendCall,
  record: Recorder,
): Promise<store.StoredInvitation> {
  const { id, caller } = call;
  const { siteId } = caller;
  const before = await lockKnownInvitation(tx, siteId, id);
  if (before.status === 'pending') await extendPending(tx, call, before);
  else if (before.status === 'accepted') await extendAccepted(tx, call, before, record);
  else throw rules.notExtendable(id, before.status);
  const after = await store.getInvitation(tx, siteId, id);
  if (!after) throw new Error('A locked invitation has disappeared');
  record({
    action: 'invitation.extend',
    subject: ['invitation', id],
    changes: buildEndChange(before, after),
  });
  return after;
}

const buildEndChange = (before: store.StoredInvitation, after: store.StoredInvitation) =>
  before.status === 'pending'
    ? { expiresDate: [before.expiresDate, after.expiresDate] }
    : { membershipExpiresDate: [before.membershipExpiresDate, after.membershipExpiresDate] };

async function extendPending(
  tx: Tx,
  call: ExtendCall,
  { id, groups }: store.StoredInvitation,
): Promise<void> {
  await requireGrantableGroups(tx, call, groups);
  if (!(await store.extendLink(tx, call.caller.siteId, id, call.days))) throw rules.endTooLate();
}

async function extendAccepted(
  tx: Tx,
  call: ExtendCall,
  invitation: store.StoredInvitation,
  record: Recorder,
): Promise<void> {
  const { caller } = call;
  const { id, email, accountId } = invitation;
  const member = invitation.isMember ? await lockUser(tx, caller.siteId, accountId) : undefined;
  if (!member) throw rules.noLongerMember(email);
  if (invitation.type !== TEMPORARY || invitation.membershipExpiresDate === null)
    throw rules.withoutEnd(email);
  // Otherwise a temporary member could extend their own membership without limit.
  if (accountId === caller.userId)
    throw forbidden('You cannot extend your own membership. Ask another administrator.');
  await requireAuthorityOver(tx, caller, accountId, 'Extending this membership');
  if (!(await extendMembership(tx, caller.siteId, id, call.days))) throw rules.endTooLate();
  await recordUserChanges(tx, caller, [member], 'membership.reopen', record);
}
