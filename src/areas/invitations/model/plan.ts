import { counted } from '../../../lib/numbers.ts';
import { countChoices } from './choices.ts';
import type { Invitee } from './choices.ts';
import type { Order } from './order.ts';

/** The requests that the choices come to. */
export const ordersOf = (invitees: readonly Invitee[]): Order[] =>
  invitees.flatMap(({ email, choice, terms, invitationId }): Order[] => {
    if (choice === 'invite') return [{ does: 'invite', email, terms }];
    if (choice === 'add') return [{ does: 'add', email, groups: terms.groups }];
    if (choice === 'resend' && invitationId !== undefined)
      return [{ does: 'resend', email, id: invitationId }];
    return [];
  });

const people = (number: number): string => counted(number, 'person', 'people');
const list = new Intl.ListFormat('en-GB');

/** What sending would do, for its button and its job: "Invite 9 people and add 3 people". */
export function planTitle(invitees: readonly Invitee[]): string {
  const { invite, add, resend } = countChoices(invitees);
  const parts = [
    ...(invite > 0 ? [`invite ${people(invite)}`] : []),
    ...(add > 0 ? [`add ${invite > 0 ? String(add) : people(add)}`] : []),
    ...(resend > 0 ? [`send ${counted(resend, 'invitation', 'invitations')} again`] : []),
  ];
  const words = list.format(parts);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
