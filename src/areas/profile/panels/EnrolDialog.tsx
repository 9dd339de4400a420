import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { sessionQuery } from '../../../api/session-query.ts';
import EnrolmentForm from '../../../app/sign-in/EnrolmentForm.tsx';
import { RecoveryCodes } from '../../../app/sign-in/RecoveryCodes.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { toast } from '../../../ui/toast.ts';
import { securityQuery } from '../model/queries.ts';

/** Sets up an authenticator app, or replaces the current one. */
export function EnrolDialog({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const { authenticatorDate } = useSuspenseQuery(securityQuery).data;
  const [initialDate] = useState(authenticatorDate);
  const isReplacement = initialDate !== null;
  // A changed date means that the app is confirmed and the recovery codes are shown.
  const hasCodes = authenticatorDate !== initialDate;
  useCodesGuard(hasCodes);
  const close = async () => {
    if (!hasCodes || (await confirmCloseCodes())) onClose();
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

interface CodesDialogProps {
  codes: readonly string[];
  email: string;
  onClose: () => void;
}

/** Shows new recovery codes once. */
export function CodesDialog({ codes, email, onClose }: CodesDialogProps) {
  useCodesGuard(true);
  const close = async () => {
    if (await confirmCloseCodes()) onClose();
  };
  return (
    <Dialog title="Your recovery codes" role="alertdialog" onClose={() => void close()}>
      <RecoveryCodes codes={codes} email={email} doneLabel="I have saved them" onDone={onClose} />
    </Dialog>
  );
}

/** Asks before Back leaves the page of codes that are shown; `RecoveryCodes` guards them against a reload. */
const useCodesGuard = (isShown: boolean): void =>
  useBlocker({
    disabled: !isShown,
    enableBeforeUnload: false,
    shouldBlockFn: async () => !(await confirmCloseCodes()),
  });

/** Asks for confirmation before closing codes that are not shown again. */
const confirmCloseCodes = (): Promise<boolean> =>
  confirm({
    title: 'Close without saving the codes?',
    body: 'They are not shown again. If you lose the second factor and the codes, only an administrator can restore your access. You can create new codes.',
    action: 'Close',
    cancel: 'Back to the codes',
    danger: true,
  });
