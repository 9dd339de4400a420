import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import { removePasskeyMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type {
  OwnSecurity,
  Passkey,
  PasskeyOptions,
  RegisteredPasskey,
} from '../../../api/generated/types.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { passkeysPossible, PasskeyUnused } from '../../../app/sign-in/passkeys.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { passOneWayDoor } from '../../../ui/dialog/one-way-door.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import { useGoOn } from '../model/go-on.ts';
import { securityQuery } from '../model/queries.ts';
import { useSession } from '../../../api/session.ts';
import { deviceName } from '../../../lib/device.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { CodesDialog } from '../panels/CodesDialog.tsx';
import { beginPasskeyRegistration, registerPasskey } from '../../../api/generated/sdk.gen.ts';

/** Passkeys of the person: they sign in without a password and are a second factor with one. */
export function PasskeysCard() {
  const { data: security } = useSuspenseQuery(securityQuery);
  const [adding, setAdding] = useState(false);
  const { part, goOn } = useGoOn<HTMLDivElement>();
  const removePasskey = useRemoval(security, goOn);
  return (
    <Card
      title="Passkeys"
      actions={
        <Button size="small" disabledReason={whyNone(security)} onClick={() => setAdding(true)}>
          Add a passkey…
        </Button>
      }
    >
      <div ref={part} className="profile-part" tabIndex={-1}>
        {security.passkeys.length === 0 ? (
          <CardBody>
            <p className="profile-soft">
              None yet. A passkey of this device or of a security key signs you in without a password. It
              answers to this page alone: no false one can take it from you.
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
                    Added <Moment at={passkey.createdDate} />,{' '}
                    {passkey.lastUsedDate === null ? (
                      'not used yet'
                    ) : (
                      <>
                        last used <Moment at={passkey.lastUsedDate} />
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
      {adding && <AddPasskey onClose={() => setAdding(false)} />}
    </Card>
  );
}

function whyNone({ passkeysOffered }: OwnSecurity): string | undefined {
  if (!passkeysOffered)
    return 'The console is reached by an IP address here, and passkeys belong to a host name';
  return passkeysPossible() ? undefined : 'This browser cannot make passkeys here';
}

function useRemoval({ passkeys, authenticatorDate, twoFactorRequired }: OwnSecurity, onGone: () => void) {
  const removal = useWrite('removePasskey', removePasskeyMutation());
  const isLast = passkeys.length === 1 && authenticatorDate === null;
  return async ({ id, name }: Passkey) => {
    const done = await passOneWayDoor({
      title: `Remove the passkey “${name}”?`,
      final:
        'The passkey opens nothing any more. The device may still offer it; to use it again, add a new one.',
      breaks: isLast
        ? `It is your last second factor: ${twoFactorRequired ? 'a site asks for one, and the service refuses this' : 'after it your password alone opens the account'}.`
        : 'Signing in with it. Your other ways to sign in stay.',
      affects: 'You alone, on every site. You are told by e-mail.',
      action: 'Remove the passkey',
      run: () => removal.mutateAsync({ path: { passkeyId: id } }),
    });
    if (!done) return;
    toast({ title: `The passkey “${name}” was removed` });
    onGone();
  };
}

const schema = z.object({
  name: z.string().trim().min(1, 'Name it, so that you know it again').max(60, 'At most 60 characters'),
});

/** A new passkey, named by whoever adds it. */
function AddPasskey({ onClose }: { onClose: () => void }) {
  const { user } = useSession();
  const [codes, setCodes] = useState<readonly string[]>();
  const [unused, setUnused] = useState(false);
  const add = useWrite('registerPasskey', {
    // That the browser made none is no failure of the service.
    mutationFn: (name: string) =>
      makePasskey(name).catch((thrown: unknown) => {
        if (thrown instanceof PasskeyUnused) return undefined;
        throw thrown;
      }),
  });
  const form = useForm({
    resolver: zodResolver(schema),
    defaultValues: { name: deviceName(navigator.userAgent) },
  });
  if (codes) return <CodesDialog codes={codes} email={user.email} onClose={onClose} />;
  const submit = ({ name }: z.infer<typeof schema>) =>
    add.mutate(name, {
      onSuccess(made) {
        setUnused(made === undefined);
        if (made === undefined) return;
        toast({ title: `The passkey “${made.passkey.name}” was added` });
        if (made.recoveryCodes) setCodes(made.recoveryCodes);
        else onClose();
      },
    });
  return (
    <Dialog title="Add a passkey" onClose={onClose}>
      <Form
        form={form}
        pending={add.isPending}
        error={add.error}
        submit="Add"
        onCancel={onClose}
        onSubmit={submit}
      >
        <p>
          The browser asks for a fingerprint, your face, a PIN or a security key. From then on it signs you in
          by itself, and is a second factor after your password.
        </p>
        {unused && (
          <Banner tone="warn">
            The browser made no passkey. Nothing has changed; try again when you like.
          </Banner>
        )}
        <TextField control={form.control} name="name" label="Name" hint="By which you know it again." />
      </Form>
    </Dialog>
  );
}

const isCreation = (
  options: PasskeyOptions,
): options is PasskeyOptions & PublicKeyCredentialCreationOptionsJSON =>
  'rp' in options && 'user' in options && 'pubKeyCredParams' in options;

/** Asks the browser for a new passkey and adds it to the account. */
async function makePasskey(name: string): Promise<RegisteredPasskey> {
  const { data: options } = await beginPasskeyRegistration();
  if (!isCreation(options)) throw new TypeError('These are no options to make a passkey with');
  const { startRegistration } = await import('@simplewebauthn/browser');
  const made = await startRegistration({ optionsJSON: options }).catch((cause: unknown) => {
    throw new PasskeyUnused('No passkey was made', { cause });
  });
  const passkey = { ...made, response: { ...made.response } };
  return (await registerPasskey({ body: { name, passkey } })).data;
}
