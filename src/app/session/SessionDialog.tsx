import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Session } from '../../api/generated/types.gen.ts';
import { leaveEnded } from '../../api/session-gate.ts';
import type { Gate } from '../../api/session-gate.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import { OrganizationSignIn } from '../sign-in/OrganizationSignIn.tsx';
import { PasskeySignIn } from '../sign-in/PasskeySignIn.tsx';
import { reloadPage, resumeSession } from './session.ts';
import { SIGN_IN_STEPS } from '../sign-in/sign-in-steps.ts';
import { SignInForm } from '../sign-in/SignInForm.tsx';

/** Stands over the page while its session is not there; what was typed under it stays (features 1.14). */
export default function SessionDialog({ gate }: { gate: Gate }) {
  const queryClient = useQueryClient();
  const { user, site } = useSession();
  const [step, setStep] = useState<keyof typeof SIGN_IN_STEPS>();
  if (gate === 'replaced') return <Replaced />;
  const ended = (
    <p>
      The session of {user.email} on {site.name} has ended or is about to. What you were doing is still here
      and goes on after you sign in.
    </p>
  );
  if (site.identityMode === 'identity-manager')
    return (
      <Dialog
        title="Sign in again to go on"
        onClose={leaveEnded}
        role="alertdialog"
        footer={
          <>
            <Button onClick={leaveEnded}>Cancel</Button>
            <OrganizationSignIn slug={site.slug} />
          </>
        }
      >
        {ended}
        <p>Your organization signs you in: in another tab, so that this one stays as it is.</p>
      </Dialog>
    );
  const resume = (session: Session) => resumeSession(queryClient, session);
  const words = step && SIGN_IN_STEPS[step];
  return (
    <Dialog title={words?.title ?? 'Sign in again to go on'} onClose={leaveEnded} role="alertdialog">
      {words ? <p>{words.intro}</p> : ended}
      <SignInForm
        again={{ email: user.email, siteId: site.id }}
        onDone={resume}
        onStep={setStep}
        onCancel={leaveEnded}
      />
      {!step && <PasskeySignIn site={site.id} onDone={resume} />}
    </Dialog>
  );
}

// Escape is no answer to it: loading anew loses what was typed, and there is nothing else to do.
const stay = () => undefined;

/** This browser has one session. Sending from here now would act as the other person, or on the other site. */
function Replaced() {
  return (
    <Dialog
      title="This tab is out of date"
      role="alertdialog"
      onClose={stay}
      footer={
        <Button variant="primary" onClick={reloadPage}>
          Load anew
        </Button>
      }
    >
      <p>
        In another tab somebody signed in as a different person, went to a different site, or began to work as
        somebody else. Nothing more is sent from here, and what was typed here and not saved goes when the
        page loads anew. If they only work as somebody else, stop that there, and this tab goes on.
      </p>
    </Dialog>
  );
}
