import { RecoveryCodes } from '../../../app/sign-in/RecoveryCodes.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';

interface CodesDialogProps {
  codes: readonly string[];
  email: string;
  onClose: () => void;
}

/** Shows new recovery codes once. */
export function CodesDialog({ codes, email, onClose }: CodesDialogProps) {
  const close = async () => {
    if (await confirmCloseCodes()) onClose();
  };
  return (
    <Dialog title="Your recovery codes" role="alertdialog" onClose={() => void close()}>
      <RecoveryCodes codes={codes} email={email} doneLabel="I have saved them" onDone={onClose} />
    </Dialog>
  );
}

/** Asks for confirmation before closing codes that are not shown again. */
export const confirmCloseCodes = (): Promise<boolean> =>
  confirm({
    title: 'Close without saving the codes?',
    body: 'They are not shown again. If you lose the second factor and the codes, only an administrator can restore your access. You can create new codes.',
    action: 'Close',
    cancel: 'Back to the codes',
    danger: true,
  });
