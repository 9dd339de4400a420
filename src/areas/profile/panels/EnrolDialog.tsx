import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionQuery } from '../../../api/session-query.ts';
import EnrolmentForm from '../../../app/sign-in/EnrolmentForm.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { toast } from '../../../ui/toast.ts';
import { securityQuery } from '../model/queries.ts';
import { confirmCloseCodes } from './CodesDialog.tsx';

/** Sets up an authenticator app, or replaces the current one. */
export default function EnrolDialog({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const { authenticatorDate } = useSuspenseQuery(securityQuery).data;
  const [initialDate] = useState(authenticatorDate);
  const isReplacement = initialDate !== null;
  const close = async () => {
    // A changed date means that the app is confirmed and the recovery codes are shown.
    if (authenticatorDate === initialDate || (await confirmCloseCodes())) onClose();
  };
  return (
    <Dialog
      title={isReplacement ? 'Move the app to another device' : 'Set up an authenticator app'}
      role="alertdialog"
      onClose={() => void close()}
    >
      {isReplacement && <p>The current app keeps working until you confirm the first code of the new one.</p>}
      <EnrolmentForm
        doneLabel="I have saved them"
        onCancel={onClose}
        onExpired={onClose}
        onDone={(session) => {
          queryClient.setQueryData(sessionQuery.queryKey, session);
          toast({ title: isReplacement ? 'The new app is active' : 'Two-factor authentication is on' });
          onClose();
        }}
      />
    </Dialog>
  );
}
