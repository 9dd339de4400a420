import { TEMPORARY } from '../../../../contract/rules/invitations.ts';
import {
  addExistingUser,
  extendInvitation,
  inviteExistingUser,
  resendInvitation,
  revokeInvitation,
} from '../../../api/generated/sdk.gen.ts';
import type { InvitationInfoResponse } from '../../../api/generated/types.gen.ts';
import type { WriteOperation } from '../../../api/effects.ts';
import { endOf } from './acts.ts';
import type { Terms } from './choices.ts';
import { endWords } from './terms.ts';

/** One request to send, about one address. */
export type Order = { email: string } & (
  | { does: 'invite'; terms: Terms }
  | { does: 'add'; groups: readonly number[] }
  | { does: 'resend' | 'revoke'; id: number }
  | { does: 'extend'; id: number; days: number }
);
export type Does = Order['does'];

export const OPERATIONS: Record<Does, WriteOperation> = {
  invite: 'inviteExistingUser',
  add: 'addExistingUser',
  resend: 'resendInvitation',
  revoke: 'revokeInvitation',
  extend: 'extendInvitation',
};

interface Answer {
  error?: unknown;
  response?: Response;
  /** Only an extension answers with it. */
  data?: unknown;
}

const QUIET = { throwOnError: false } as const;

const groupsOf = (groups: readonly number[]) => (groups.length > 0 ? { groups: [...groups] } : {});

/** Sends it; a refusal is an answer, too, whose headers may say when to come again. */
export function send(order: Order): Promise<Answer> {
  const { email } = order;
  if (order.does === 'invite') {
    const { type, days, groups } = order.terms;
    // Only a temporary one has days (spec 4.2 rule 3).
    const duration = type === TEMPORARY && days !== undefined ? { duration: days } : {};
    return inviteExistingUser({ body: { email, type, ...duration, ...groupsOf(groups) }, ...QUIET });
  }
  if (order.does === 'add') return addExistingUser({ body: { email, ...groupsOf(order.groups) }, ...QUIET });
  const path = { id: order.id };
  if (order.does === 'extend') return extendInvitation({ path, body: { days: order.days }, ...QUIET });
  return order.does === 'resend'
    ? resendInvitation({ path, ...QUIET })
    : revokeInvitation({ path, ...QUIET });
}

const DONE: Record<Exclude<Does, 'extend'>, string> = {
  invite: 'Invited, the e-mail is on its way',
  add: 'Added, a member from now on',
  resend: 'Sent again, the earlier link no longer works',
  revoke: 'Revoked, the link no longer works',
};

const isInvitation = (data: unknown): data is InvitationInfoResponse =>
  typeof data === 'object' && data !== null && 'status' in data && 'expiresDate' in data;

/** What came of it, in words. */
export function doneWords({ does }: Order, data: unknown): string {
  if (does !== 'extend') return DONE[does];
  if (!isInvitation(data)) return 'Extended';
  const end = endWords(endOf(data));
  return data.status === 'accepted'
    ? `Extended, the membership ends ${end}`
    : `Extended, the link works until ${end}`;
}
