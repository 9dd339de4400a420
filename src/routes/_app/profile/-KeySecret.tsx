import { Copy } from 'lucide-react';
import { useState } from 'react';
import type { ApiKeySecret } from '../../../api/generated/types.gen.ts';
import { exactDate } from '../../../lib/dates.ts';
import { useUnsavedGuard } from '../../../shell/unsaved.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { announce } from '../../../ui/feedback/live.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { mayCloseSecret } from './-once.ts';

/** Id and secret of a new key, this once: who leaves without the secret is asked. */
export function KeySecret({ secret, onClose }: { secret: ApiKeySecret; onClose: () => void }) {
  const { clientId, clientSecret, expiresDate } = secret;
  const [isCopied, setIsCopied] = useState(false);
  useUnsavedGuard(!isCopied);
  const leave = async () => {
    if (isCopied || (await mayCloseSecret())) onClose();
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(clientSecret);
      announce('Copied');
      setIsCopied(true);
    } catch {
      // Browsers allow it only on a secure address.
      toast({ title: 'The browser does not allow copying here: select the secret and copy it', tone: 'bad' });
    }
  };
  return (
    <Dialog
      title="Your API key is on"
      role="alertdialog"
      onClose={() => void leave()}
      footer={
        <>
          <Button onClick={() => void leave()}>Close</Button>
          <Button variant="primary" icon={Copy} onClick={() => void copy()}>
            {isCopied ? 'Copied' : 'Copy the secret'}
          </Button>
        </>
      }
    >
      <p>
        <strong>The secret is never shown again</strong>: nobody can read it out of the service. Put it where
        your program finds it before you close this.
        {expiresDate && ` It works until ${exactDate(expiresDate)}.`}
      </p>
      <div className="profile-secret">
        Client id
        <span>
          <code>{clientId}</code>
          <CopyButton value={String(clientId)} label="Copy client id" />
        </span>
      </div>
      <div className="profile-secret" onCopy={() => setIsCopied(true)}>
        Client secret
        <span>
          <code aria-label="Client secret">{clientSecret}</code>
        </span>
      </div>
    </Dialog>
  );
}
