import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Session } from '../../../contract/generated/types.gen.ts';
import { dismissSignIn } from '../../api/session-state.ts';
import type { SessionState } from '../../api/session-state.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import { reloadPage, resumeSession } from '../session/session.ts';
import { OrganizationSignIn } from './OrganizationSignIn.tsx';
import { PasskeySignIn } from './PasskeySignIn.tsx';
import { SIGN_IN_STEPS, SignInForm } from './SignInForm.tsx';

/** Dialog over the page while its session has ended or was replaced; input of the page stays (features 1.14). */
export default function SessionDialog({ gate }: { gate: SessionState }) {
  const queryClient = useQueryClient();
  const { user, site } = useSession();
  const [step, setStep] = useState<keyof typeof SIGN_IN_STEPS>();
  if (gate === 'replaced') return <SessionReplacedDialog />;
  const ended = (
    <p>
      The session of {user.email} on {site.name} has ended or is about to end. Your work is still here and
      continues after you sign in.
    </p>
  );
  if (site.identityMode === 'identity-manager')
    return (
      <Dialog
        title="Sign in again to continue"
        onClose={dismissSignIn}
        role="alertdialog"
        footer={
          <>
            <Button onClick={dismissSignIn}>Cancel</Button>
            <OrganizationSignIn slug={site.slug} />
          </>
        }
      >
        {ended}
        <p>Sign in through your organization in another tab. This tab stays as it is.</p>
      </Dialog>
    );
  const resume = (session: Session) => resumeSession(queryClient, session);
  const stepTexts = step && SIGN_IN_STEPS[step];
  return (
    <Dialog
      title={stepTexts?.title ?? 'Sign in again to continue'}
      onClose={dismissSignIn}
      role="alertdialog"
    >
      {stepTexts ? <p>{stepTexts.intro}</p> : ended}
      <SignInForm
        reauthenticate={{ email: user.email, siteId: site.id }}
        onDone={resume}
        onStep={setStep}
        onCancel={dismissSignIn}
      />
      {!step && <PasskeySignIn site={site.id} onDone={resume} />}
    </Dialog>
  );
}

// Cannot be closed with Escape: the only action is a reload, which loses input.
const ignoreClose = () => undefined;

/** Shown after another tab replaced the session; a call from here would run as the other user or on the other site. */
function SessionReplacedDialog() {
  return (
    <Dialog
      title="This tab is out of date"
      role="alertdialog"
      onClose={ignoreClose}
      footer={
        <Button variant="primary" onClick={reloadPage}>
          Reload
        </Button>
      }
    >
      <p>
        In another tab, the user or the site was changed, or work as someone else was started. This tab sends
        no more requests, and unsaved input is lost when the page reloads. To continue here after working as
        someone else, stop it in the other tab.
      </p>
    </Dialog>
  );
}
