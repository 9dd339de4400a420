import type {
  InvitationInfoResponse,
  InvitationsRequest,
  InviteExistingUserRequestVm,
} from '../../../../contract/generated/types.gen.ts';
import { TEMPORARY } from '../../../../contract/rules/people/invitations.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { capitalize } from '../../../lib/text/sentences.ts';
import { getEnd } from './actions.ts';
import { countChoices } from './choices.ts';
import type { Invitee } from './choices.ts';
import { formatEnd } from './terms.ts';

const toGroupsBody = (groups: readonly number[]) => (groups.length > 0 ? { groups: [...groups] } : {});

function toInvitation({ email, terms: { type, days, groups } }: Invitee): InviteExistingUserRequestVm {
  // Only temporary memberships have days (spec 4.2 rule 3).
  const duration = type === TEMPORARY && days !== undefined ? { duration: days } : {};
  return { email, type, ...duration, ...toGroupsBody(groups) };
}

/** The request that starts the job for the choices. */
export function buildInvitationsRequest(invitees: readonly Invitee[]): InvitationsRequest {
  const chosen = (choice: Invitee['choice']) => invitees.filter((invitee) => invitee.choice === choice);
  return {
    invite: chosen('invite').map(toInvitation),
    add: chosen('add').map(({ email, terms }) => ({ email, ...toGroupsBody(terms.groups) })),
    resend: chosen('resend').flatMap(({ invitationId }) => invitationId ?? []),
  };
}

/** Describes an extended invitation. */
export function formatExtended(invitation: InvitationInfoResponse): string {
  const end = formatEnd(getEnd(invitation));
  return invitation.status === 'accepted'
    ? `Extended, the membership ends ${end}`
    : `Extended, the link works until ${end}`;
}

const formatPeople = (number: number): string => pluralize(number, 'person', 'people');
const listFormat = new Intl.ListFormat('en-GB');

/** Label of the button that starts the job: "Invite 9 people and add 3". */
export function formatPlanTitle(invitees: readonly Invitee[]): string {
  const { invite, add, resend } = countChoices(invitees);
  const parts = [
    ...(invite > 0 ? [`invite ${formatPeople(invite)}`] : []),
    ...(add > 0 ? [`add ${invite > 0 ? String(add) : formatPeople(add)}`] : []),
    ...(resend > 0 ? [`send ${pluralize(resend, 'invitation', 'invitations')} again`] : []),
  ];
  return capitalize(listFormat.format(parts));
}
