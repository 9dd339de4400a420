import { defineArea } from '../../kernel/area/area.ts';
import { plainColumns, textColumns, timeColumns, userColumns } from '../../kernel/backup-sheets.ts';
import { invitationHandlers } from './handlers.ts';
import { deletionsJob, extensionsJob, invitationsJob, revocationsJob } from './job-kinds.ts';
import { membershipExpiryTask } from './membership-expiry.ts';

export const invitationsArea = defineArea({
  name: 'invitations',
  handlers: invitationHandlers,
  jobKinds: [invitationsJob, extensionsJob, revocationsJob, deletionsJob],
  tasks: (context) => [membershipExpiryTask(context)],
  tables: {
    invitation: { backup: { sheet: 'invitations', columnsLeftOut: ['token_hash'] } },
  },
  sheets: {
    invitations: {
      name: 'invitations.csv',
      kind: 'invitations',
      from: '(select i.*, a.first_name, a.last_name, a.email as account_email from invitation i join account a using (user_id))',
      keys: ['invitation_id'],
      columns: [
        ...plainColumns('invitation_id'),
        ...userColumns('user_id'),
        ...textColumns('account_email', 'first_name', 'last_name', 'email', 'email_key'),
        ...plainColumns('type', 'duration_days'),
        ...textColumns('group_ids'),
        ...plainColumns('user_entry_id'),
        ...userColumns('invited_by'),
        ...timeColumns('created_at', 'expires_at', 'accepted_at', 'revoked_at', 'reminded_at', 'ended_at'),
        ...plainColumns('ended_license_type_id'),
      ],
    },
  },
  auditActions: {
    invitation: [
      'invitation.accept',
      'invitation.create',
      'invitation.delete',
      'invitation.extend',
      'invitation.resend',
      'invitation.revoke',
    ],
    user: ['membership.end', 'membership.remind', 'membership.reopen', 'user.add-existing', 'user.join'],
  },
});
