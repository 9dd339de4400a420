import { Mail } from 'lucide-react';
import { defineArea } from '../../app/area/define-area.ts';
import { InvitationsHost } from './InvitationsHost.tsx';

export const invitationsArea = defineArea({
  name: 'invitations',
  palette: () => import('./palette.ts'),
  navigation: [
    {
      group: 'People',
      path: '/invitations',
      name: 'Invitations',
      icon: Mail,
      key: 'i',
      needs: 'listInvitations',
    },
  ],
  invalidations: {
    inviteExistingUser: ['listInvitations'],
    resendInvitation: ['listInvitations', 'explainAccess'],
    revokeInvitation: ['listInvitations', 'explainAccess'],
    deleteInvitation: ['listInvitations'],
    extendInvitation: ['listInvitations', 'explainAccess'],
    inspectInvitation: [],
    acceptInvitation: [],
  },
  Host: InvitationsHost,
  auditSentences: {
    'membership.end': 'The temporary membership ended',
    'membership.reopen': 'The temporary membership was reopened',
    'membership.remind': 'Was reminded that the membership ends',
  },
});
