import type { InvitationInfoResponse } from '../../../../contract/generated/types.gen.ts';
import { TEMPORARY } from '../../../../contract/rules/invitations.ts';
import {
  addExistingUser,
  extendInvitation,
  inviteExistingUser,
  resendInvitation,
  revokeInvitation,
} from '../../../api/generated/sdk.gen.ts';
import type { WriteOperation } from '../../../api/invalidation.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { getEnd } from './actions.ts';
import type { MembershipTerms, Invitee } from './choices.ts';
import { countChoices } from './choices.ts';
import { formatEnd } from './terms.ts';

/** Request for one address. */
export type InvitationRequest = { email: string } & (
  | { action: 'invite'; terms: MembershipTerms }
  | { action: 'add'; groups: readonly number[] }
  | { action: 'resend' | 'revoke'; id: number }
  | { action: 'extend'; id: number; days: number }
);
export type RequestAction = InvitationRequest['action'];

export const OPERATION_BY_ACTION: Record<RequestAction, WriteOperation> = {
  invite: 'inviteExistingUser',
  add: 'addExistingUser',
  resend: 'resendInvitation',
  revoke: 'revokeInvitation',
  extend: 'extendInvitation',
};

interface Answer {
  error?: unknown;
  response?: Response;
  /** Returned only by extensions. */
  data?: unknown;
}

const WITHOUT_THROW = { throwOnError: false } as const;

const toGroupsBody = (groups: readonly number[]) => (groups.length > 0 ? { groups: [...groups] } : {});

/** Sends a request. Errors are returned, not thrown, because their headers may contain the time to retry. */
export function sendRequest(order: InvitationRequest): Promise<Answer> {
  const { email } = order;
  if (order.action === 'invite') {
    const { type, days, groups } = order.terms;
    // Only temporary memberships have days (spec 4.2 rule 3).
    const duration = type === TEMPORARY && days !== undefined ? { duration: days } : {};
    return inviteExistingUser({
      body: { email, type, ...duration, ...toGroupsBody(groups) },
      ...WITHOUT_THROW,
    });
  }
  if (order.action === 'add')
    return addExistingUser({ body: { email, ...toGroupsBody(order.groups) }, ...WITHOUT_THROW });
  const path = { id: order.id };
  if (order.action === 'extend')
    return extendInvitation({ path, body: { days: order.days }, ...WITHOUT_THROW });
  return order.action === 'resend'
    ? resendInvitation({ path, ...WITHOUT_THROW })
    : revokeInvitation({ path, ...WITHOUT_THROW });
}

const DONE_TEXTS: Record<Exclude<RequestAction, 'extend'>, string> = {
  invite: 'Invited; the e-mail is on its way',
  add: 'Added as a member',
  resend: 'Sent again; the earlier link no longer works',
  revoke: 'Revoked; the link no longer works',
};

const isInvitation = (data: unknown): data is InvitationInfoResponse =>
  typeof data === 'object' && data !== null && 'status' in data && 'expiresDate' in data;

/** Describes a completed request. */
export function formatDone({ action }: InvitationRequest, data: unknown): string {
  if (action !== 'extend') return DONE_TEXTS[action];
  if (!isInvitation(data)) return 'Extended';
  const end = formatEnd(getEnd(data));
  return data.status === 'accepted'
    ? `Extended, the membership ends ${end}`
    : `Extended, the link works until ${end}`;
}

/** Requests for the choices. */
export const planRequests = (invitees: readonly Invitee[]): InvitationRequest[] =>
  invitees.flatMap(({ email, choice, terms, invitationId }): InvitationRequest[] => {
    if (choice === 'invite') return [{ action: 'invite', email, terms }];
    if (choice === 'add') return [{ action: 'add', email, groups: terms.groups }];
    if (choice === 'resend' && invitationId !== undefined)
      return [{ action: 'resend', email, id: invitationId }];
    return [];
  });

const formatPeople = (number: number): string => pluralize(number, 'person', 'people');
const listFormat = new Intl.ListFormat('en-GB');

/** Title of the run and its button: "Invite 9 people and add 3 people". */
export function formatPlanTitle(invitees: readonly Invitee[]): string {
  const { invite, add, resend } = countChoices(invitees);
  const parts = [
    ...(invite > 0 ? [`invite ${formatPeople(invite)}`] : []),
    ...(add > 0 ? [`add ${invite > 0 ? String(add) : formatPeople(add)}`] : []),
    ...(resend > 0 ? [`send ${pluralize(resend, 'invitation', 'invitations')} again`] : []),
  ];
  const words = listFormat.format(parts);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
