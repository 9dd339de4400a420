import { Mail } from 'lucide-react';
import { defineArea } from '../../app/area/define-area.ts';
import { InvitationsHost } from './InvitationsHost.tsx';

export const invitationsArea = defineArea({
  name: 'invitations',
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
    resendInvitation: ['listInvitations'],
    revokeInvitation: ['listInvitations'],
    deleteInvitation: ['listInvitations'],
    extendInvitation: ['listInvitations'],
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
