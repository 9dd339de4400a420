import { useMutation } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { toServiceError } from '../../api/errors.ts';
import { signInWithPasskey } from '../../api/generated/sdk.gen.ts';
import type { Session } from '../../api/generated/types.gen.ts';
import { Button } from '../../ui/button/Button.tsx';
import { askForSignIn, passkeysPossible, PasskeyUnused } from './passkeys.ts';
import './access.css';

/** Signing in without a password, where the browser can. */
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
      const passkey = await askForSignIn();
      return (await signInWithPasskey({ body: { passkey, siteId: site } })).data;
    },
    onSuccess: onDone,
  });
  if (!passkeysPossible()) return null;
  return (
    <div className="passkey-way">
      <Button icon={KeyRound} pending={signIn.isPending} onClick={() => signIn.mutate()}>
        Sign in with a passkey
      </Button>
      {signIn.error && <p role="alert">{words(signIn.error)}</p>}
    </div>
  );
}

const words = (error: Error): string =>
  error instanceof PasskeyUnused
    ? 'No passkey was used. Try again, or sign in with your password.'
    : toServiceError(error).message;
