import { zodResolver } from '@hookform/resolvers/zod';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import type {
  OwnSecurity,
  Passkey,
  PasskeyOptions,
  RegisteredPasskey,
} from '../../../../contract/generated/types.gen.ts';
import { removePasskeyMutation } from '../../../api/generated/queries/access.gen.ts';
import { beginPasskeyRegistration, registerPasskey } from '../../../api/generated/sdk/access.gen.ts';
import { useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { isPasskeySupported, PasskeyNotUsedError } from '../../../app/sign-in/passkeys.ts';
import { formatDeviceName } from '../../../lib/device-name.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirmIrreversible } from '../../../ui/dialog/confirm-irreversible.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { toast } from '../../../ui/toast.ts';
import { securityQuery } from '../model/queries.ts';
import { useFocusTarget } from '../model/use-focus-target.ts';
import { CodesDialog } from '../panels/EnrolDialog.tsx';

/** Passkeys of the user, for signing in without a password or as a second factor. */
export function PasskeysCard() {
  const { data: security } = useSuspenseQuery(securityQuery);
  const { user } = useSession();
  const [adding, setAdding] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>();
  const { targetRef, focusTarget } = useFocusTarget<HTMLDivElement>();
  const removePasskey = useRemovePasskey(security, focusTarget);
  return (
    <Card
      title="Passkeys"
      actions={
        <Button size="small" disabledReason={getUnavailableReason(security)} onClick={() => setAdding(true)}>
          Add a passkey…
        </Button>
      }
    >
      <div ref={targetRef} className="profile-part" tabIndex={-1}>
        {security.passkeys.length === 0 ? (
          <CardBody>
            <p className="profile-soft">
              None yet. A passkey on this device or a security key signs you in without a password. It works
              for this site only, so it can’t be phished.
            </p>
          </CardBody>
        ) : (
          <ul className="profile-list" aria-label="Passkeys">
            {security.passkeys.map((passkey) => (
              <li key={passkey.id}>
                <div className="profile-what">
                  <span className="profile-name">
                    {passkey.name}
                    {passkey.isSynced && <Badge>On several devices</Badge>}
                  </span>
                  <p>
                    Added <Timestamp at={passkey.createdDate} />,{' '}
                    {passkey.lastUsedDate === null ? (
                      'not used yet'
                    ) : (
                      <>
                        last used <Timestamp at={passkey.lastUsedDate} />
                      </>
                    )}
                  </p>
                </div>
                <Button
                  size="small"
                  aria-label={`Remove ${passkey.name}`}
                  onClick={() => void removePasskey(passkey)}
                >
                  Remove…
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
      {adding && <AddPasskey onCodes={setCodes} onClose={() => setAdding(false)} />}
      {codes && <CodesDialog codes={codes} email={user.email} onClose={() => setCodes(undefined)} />}
    </Card>
  );
}

function getUnavailableReason({ passkeysOffered }: OwnSecurity): string | undefined {
  if (!passkeysOffered) return 'Passkeys require a host name, but this console is reached by an IP address';
  return isPasskeySupported() ? undefined : 'This browser cannot create passkeys here';
}

function useRemovePasskey(
  { passkeys, authenticatorDate, twoFactorRequired }: OwnSecurity,
  onRemoved: () => void,
) {
  const removal = useWrite('removePasskey', removePasskeyMutation());
  const isLast = passkeys.length === 1 && authenticatorDate === null;
  return async ({ id, name }: Passkey) => {
    const done = await confirmIrreversible({
      title: `Remove the passkey “${name}”?`,
      irreversible:
        'The passkey no longer works. Your device may still offer it; to use it again, add a new one.',
      breaks: isLast
        ? `It is your last second factor: ${twoFactorRequired ? 'a site requires one, so the service refuses this' : 'without it your password alone opens the account'}.`
        : 'Signing in with it. Your other sign-in methods stay.',
      affects: 'Only you, on every site. You will get an e-mail.',
      action: 'Remove passkey',
      run: () => removal.mutateAsync({ path: { passkeyId: id } }),
    });
    if (!done) return;
    toast({ title: `The passkey “${name}” was removed` });
    onRemoved();
  };
}

const schema = z.object({
  name: z.string().trim().min(1, 'Enter a name').max(60, 'At most 60 characters'),
});

/** Dialog that creates a passkey; it can be closed before the answer, which may have recovery codes. */
function AddPasskey({
  onCodes,
  onClose,
}: {
  onCodes: (codes: readonly string[]) => void;
  onClose: () => void;
}) {
  const [isCancelled, setIsCancelled] = useState(false);
  const add = useWrite('registerPasskey', {
    // A cancellation in the browser is not an error of the service.
    mutationFn: (name: string) =>
      createPasskey(name).catch((thrown: unknown) => {
        if (thrown instanceof PasskeyNotUsedError) return undefined;
        throw thrown;
      }),
  });
  const form = useForm({
    resolver: zodResolver(schema),
    defaultValues: { name: formatDeviceName(navigator.userAgent) },
  });
  const submit = async ({ name }: z.infer<typeof schema>) => {
    try {
      const created = await add.mutateAsync(name);
      setIsCancelled(created === undefined);
      if (created === undefined) return;
      toast({ title: `The passkey “${created.passkey.name}” was added` });
      if (created.recoveryCodes) onCodes(created.recoveryCodes);
      onClose();
    } catch {
      // The form shows the error.
    }
  };
  return (
    <Dialog title="Add a passkey" onClose={onClose}>
      <Form
        form={form}
        pending={add.isPending}
        error={add.error}
        submitLabel="Add"
        onCancel={onClose}
        onSubmit={submit}
      >
        <p>
          The browser asks for a fingerprint, your face, a PIN or a security key. The passkey then signs you
          in by itself and serves as a second factor after your password.
        </p>
        {isCancelled && (
          <Banner tone="warn">
            The browser did not create a passkey. Nothing has changed; you can try again.
          </Banner>
        )}
        <TextField
          control={form.control}
          name="name"
          label="Name"
          hint="Helps you recognize it in the list."
        />
      </Form>
    </Dialog>
  );
}

const isCreationOptions = (
  options: PasskeyOptions,
): options is PasskeyOptions & PublicKeyCredentialCreationOptionsJSON =>
  'rp' in options && 'user' in options && 'pubKeyCredParams' in options;

/** Creates a passkey in the browser and adds it to the account. */
async function createPasskey(name: string): Promise<RegisteredPasskey> {
  const { data: options } = await beginPasskeyRegistration();
  if (!isCreationOptions(options)) throw new TypeError('Invalid options for creating a passkey');
  const { startRegistration } = await import('@simplewebauthn/browser');
  const created = await startRegistration({ optionsJSON: options }).catch((cause: unknown) => {
    throw new PasskeyNotUsedError('No passkey was created', { cause });
  });
  const passkey = { ...created, response: { ...created.response } };
  return (await registerPasskey({ body: { name, passkey } })).data;
}
