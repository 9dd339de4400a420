import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { InvitationInfoResponse } from '../../../../contract/generated/types.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { toFailure } from '../../../ui/feedback/failure.ts';
import { toast } from '../../../ui/toast.ts';
import { invitationsQuery } from '../model/query.ts';
import { ExtendDialog } from './ExtendDialog.tsx';
import { filterActionable, useInvitationActions } from './use-invitation-actions.ts';

const ACTIONS = {
  extend: { operation: 'extendInvitation', label: 'Extend…', status: 'accepted' },
  resend: { operation: 'resendInvitation', label: 'Send again', status: 'pending' },
} as const;

interface InvitationActionButtonProps {
  action: keyof typeof ACTIONS;
  user: { id: number; email: string };
  variant: 'primary' | undefined;
}

/** Button that sends the pending invitation of a user again, or opens the dialog that extends their temporary membership. */
export function InvitationActionButton({ action, user, variant }: InvitationActionButtonProps) {
  const client = useQueryClient();
  const { operation, label, status } = ACTIONS[action];
  const permission = usePermission(operation);
  const list = usePermission('listInvitations');
  const { resend } = useInvitationActions();
  const [pending, setPending] = useState(false);
  const [extending, setExtending] = useState<InvitationInfoResponse>();

  const run = async (): Promise<void> => {
    const email = user.email.toLowerCase();
    const { pages } = await client.fetchInfiniteQuery({
      ...invitationsQuery,
      staleTime: 0,
      pages: Number.POSITIVE_INFINITY,
    });
    // The newest comes first.
    const [invitation] = filterActionable(action, pages.flat()).filter(
      (one) => one.status === status && (one.userId === user.id || one.email.toLowerCase() === email),
    );
    if (!invitation) toast({ tone: 'bad', title: `No invitation of ${user.email} was found` });
    else if (action === 'extend') setExtending(invitation);
    else await resend([invitation]);
  };
  const start = async () => {
    setPending(true);
    try {
      await run();
    } catch (thrown) {
      toast({
        tone: 'bad',
        title: 'The invitations could not be read',
        description: toFailure(thrown).message,
      });
    }
    setPending(false);
  };
  return (
    <>
      <Button
        size="small"
        variant={variant}
        pending={pending}
        disabledReason={permission.reason ?? list.reason}
        onClick={() => void start()}
      >
        {label}
      </Button>
      {extending && (
        <ExtendDialog
          selected={[extending]}
          onClose={() => setExtending(undefined)}
          onStart={() => undefined}
        />
      )}
    </>
  );
}
