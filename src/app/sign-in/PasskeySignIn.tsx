import { useMutation } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import type { Session } from '../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../api/errors.ts';
import { signInWithPasskey } from '../../api/generated/sdk/access.gen.ts';
import { Button } from '../../ui/button/Button.tsx';
import { requestPasskeySignIn, isPasskeySupported, PasskeyNotUsedError } from './passkeys.ts';
import './access.css';

/** Button to sign in with a passkey; hidden if the browser does not support it. */
export function PasskeySignIn({
  site,
  onDone,
}: {
  site: number | undefined;
  onDone: (session: Session) => void;
}) {
  const signIn = useMutation({
    mutationKey: ['signInWithPasskey'],
    async mutationFn() {
      const passkey = await requestPasskeySignIn();
      return (await signInWithPasskey({ body: { passkey, siteId: site } })).data;
    },
    onSuccess: onDone,
  });
  if (!isPasskeySupported()) return null;
  return (
    <div className="passkey-way">
      <Button icon={KeyRound} pending={signIn.isPending} onClick={() => signIn.mutate()}>
        Sign in with a passkey
      </Button>
      {signIn.error && <p role="alert">{formatPasskeyError(signIn.error)}</p>}
    </div>
  );
}

const formatPasskeyError = (error: Error): string =>
  error instanceof PasskeyNotUsedError
    ? 'No passkey was used. Try again, or sign in with your password.'
    : toServiceError(error).message;
