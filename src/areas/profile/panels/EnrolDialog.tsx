import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionQuery } from '../../../api/session-query.ts';
import EnrolmentForm from '../../../app/sign-in/EnrolmentForm.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { mayCloseCodes } from '../model/once.ts';
import { securityQuery } from '../model/queries.ts';

/** Sets up an authenticator app, or another one in place of that of before. */
export default function EnrolDialog({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const { authenticatorDate } = useSuspenseQuery(securityQuery).data;
  const [before] = useState(authenticatorDate);
  const isMoved = before !== null;
  const leave = async () => {
    // Confirmed already: what is on screen now are the codes.
    if (authenticatorDate === before || (await mayCloseCodes())) onClose();
  };
  return (
    <Dialog
      title={isMoved ? 'Move the app to another device' : 'Set up an authenticator app'}
      role="alertdialog"
      onClose={() => void leave()}
    >
      {isMoved && <p>Until the first code of the new one is confirmed, the app of before goes on working.</p>}
      <EnrolmentForm
        done="I have kept them"
        onCancel={onClose}
        onOver={onClose}
        onDone={(session) => {
          queryClient.setQueryData(sessionQuery.queryKey, session);
          toast({ title: isMoved ? 'The new app counts from now on' : 'Two-factor authentication is on' });
          onClose();
        }}
      />
    </Dialog>
  );
}
