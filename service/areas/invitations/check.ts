import type { InviteeCheck } from '../../../contract/generated/types.gen.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { normaliseEmail } from '../../kernel/email.ts';
import type { Site } from '../sites/index.ts';
import { isOfDomain } from './domain.ts';
import { isAddress } from './rules.ts';
import type { Invitee } from './invitees.store.ts';

/** The addresses of a list that are read: those that are none, and repeated ones, are answered without a look. */
export const readable = (emails: readonly string[]): string[] => [
  ...new Set(emails.filter((email) => isAddress(email.trim())).map((email) => normaliseEmail(email).key)),
];

/** What can be done with each address, in their order. */
export function checkAll(
  emails: readonly string[],
  known: ReadonlyMap<string, Invitee>,
  around: { site: Site; caller: Caller },
): InviteeCheck[] {
  const first = new Map<string, number>();
  return emails.map((email, index) => {
    if (!isAddress(email.trim())) return told(email, 'not-an-address', 'Is not an e-mail address.');
    const { key } = normaliseEmail(email);
    const earlier = first.get(key);
    if (earlier !== undefined)
      return told(email, 'repeated', `Stands in the list already, at place ${earlier + 1}.`);
    first.set(key, index);
    return checkOne(email, key, known.get(key), around);
  });
}

const told = (
  email: string,
  outcome: InviteeCheck['outcome'],
  message: string,
  ids: Pick<InviteeCheck, 'userId' | 'invitationId'> = {},
): InviteeCheck => ({ email, outcome, message, userId: null, invitationId: null, ...ids });

function checkOne(
  email: string,
  key: string,
  invitee: Invitee | undefined,
  around: { site: Site; caller: Caller },
): InviteeCheck {
  if (invitee && invitee.isActive !== null) {
    const message = `Is a user of this site already${invitee.isActive ? '' : ', not an active one'}.`;
    return told(email, 'member', message, { userId: invitee.userId });
  }
  const mayInvite = around.caller.capabilities.has('Manage Users');
  if (mayInvite && invitee && invitee.pendingId !== null)
    return told(email, 'invited', 'Is invited already: send the invitation again, or revoke it.', {
      invitationId: invitee.pendingId,
    });
  const obstacle = obstacleToAdding(key, around);
  // Who may not invite learns of no address that they could not add, not even whether somebody has it (T12).
  if (!mayInvite && obstacle !== undefined) return told(email, 'unknown', `Cannot be added: ${obstacle}.`);
  if (!invitee) return told(email, 'unknown', 'Nobody on this platform has this address.');
  if (obstacle !== undefined)
    return told(
      email,
      'invitable',
      `Has a user on this platform and can be invited, not added without confirmation: ${obstacle}.`,
    );
  const ways = mayInvite
    ? 'can be added without confirmation, or invited'
    : 'can be added without confirmation';
  return told(email, 'addable', `Has a user on this platform and ${ways}.`);
}

/** Why an address cannot be added without confirmation (spec 4.2 rule 2), whoever has it; undefined when it can. */
function obstacleToAdding(key: string, { site, caller }: { site: Site; caller: Caller }): string | undefined {
  if (!caller.capabilities.has('Manage Existing Users'))
    return 'that needs the capability Manage Existing Users';
  if (!site.mayManageExistingUsers) return 'this site may not manage existing users';
  if (site.dedicatedDomain === null) return 'this site has no dedicated domain';
  if (!isOfDomain(key, site.dedicatedDomain))
    return `not of ${site.dedicatedDomain}, the dedicated domain of this site`;
  return undefined;
}
