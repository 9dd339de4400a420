import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { removePasskeyMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { OwnSecurity, Passkey } from '../../../api/generated/types.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { passkeysPossible } from '../../../shell/access/passkeys.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { passOneWayDoor } from '../../../ui/dialog/one-way-door.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import { AddPasskey } from './-AddPasskey.tsx';
import { useGoOn } from './-go-on.ts';
import { securityQuery } from './-queries.ts';

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
