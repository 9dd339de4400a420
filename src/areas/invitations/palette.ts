import { Ban, CalendarPlus, Send } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type {
  PaletteContext,
  PaletteContribution,
  PaletteItem,
  TargetCommand,
} from '../../app/state/palette.ts';
import { requestAction } from '../../app/state/requested-action.ts';
import { rankByLabel } from '../../lib/text/rank.ts';
import { getActionReason } from './model/actions.ts';
import type { InvitationAction } from './model/actions.ts';
import { invitationsQuery } from './model/query.ts';

const MAX_INVITATIONS = 6;

interface InvitationCommand extends Pick<TargetCommand, 'phrases' | 'label' | 'needs'> {
  action: InvitationAction;
  request: 'resendInvitation' | 'revokeInvitation' | 'extendInvitation';
  icon: LucideIcon;
  format: (email: string) => string;
}

const COMMANDS: readonly InvitationCommand[] = [
  {
    phrases: ['resend invitation to', 'resend invitation', 'resend'],
    label: 'Send an invitation again',
    needs: 'resendInvitation',
    action: 'resend',
    request: 'resendInvitation',
    icon: Send,
    format: (email) => `Send the invitation to ${email} again`,
  },
  {
    phrases: ['revoke invitation of', 'revoke invitation'],
    label: 'Revoke an invitation',
    needs: 'revokeInvitation',
    action: 'revoke',
    request: 'revokeInvitation',
    icon: Ban,
    format: (email) => `Revoke the invitation of ${email}`,
  },
  {
    phrases: ['extend invitation of', 'extend membership of', 'extend'],
    label: 'Extend an invitation or membership',
    needs: 'extendInvitation',
    action: 'extend',
    request: 'extendInvitation',
    icon: CalendarPlus,
    format: (email) => `Extend ${email}`,
  },
];

async function findInvitations(
  target: string,
  { client, navigate }: PaletteContext,
  { action, request, icon, format }: InvitationCommand,
): Promise<PaletteItem[]> {
  const { pages } = await client.fetchInfiniteQuery({ ...invitationsQuery, pages: Number.POSITIVE_INFINITY });
  const invitations = pages
    .flat()
    .filter((one) => getActionReason(action, one) === undefined)
    .map((one) => ({ ...one, label: one.email }));
  return rankByLabel(invitations, target)
    .slice(0, MAX_INVITATIONS)
    .map(({ id, email }) => ({
      id: String(id),
      label: format(email),
      icon,
      run: () =>
        void requestAction({ name: request, id }, () =>
          navigate({ to: '/invitations', search: { q: email } }),
        ),
    }));
}

const palette: PaletteContribution = {
  commands: COMMANDS.map((command) => ({
    phrases: command.phrases,
    label: command.label,
    icon: command.icon,
    needs: command.needs,
    find: (target, context) => findInvitations(target, context, command),
  })),
};

export default palette;
