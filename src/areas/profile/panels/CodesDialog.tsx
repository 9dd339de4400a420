import { RecoveryCodes } from '../../../app/sign-in/RecoveryCodes.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { mayCloseCodes } from '../model/once.ts';

interface CodesDialogProps {
  codes: readonly string[];
  email: string;
  onClose: () => void;
}

/** New recovery codes, this once. */
export function CodesDialog({ codes, email, onClose }: CodesDialogProps) {
  const leave = async () => {
    if (await mayCloseCodes()) onClose();
  };
  return (
    <Dialog title="Your recovery codes" role="alertdialog" onClose={() => void leave()}>
      <RecoveryCodes codes={codes} email={email} done="I have kept them" onDone={onClose} />
    </Dialog>
  );
}
