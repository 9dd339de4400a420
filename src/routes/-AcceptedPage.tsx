import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { switchSiteMutation } from '../api/generated/@tanstack/react-query.gen.ts';
import type { AcceptedInvitation, Session } from '../api/generated/types.gen.ts';
import { sessionQuery } from '../api/session-query.ts';
import { useWrite } from '../api/write.ts';
import { shortDate } from '../lib/dates.ts';
import { distance } from '../lib/ends.ts';
import { Doorway } from '../shell/Doorway.tsx';
import { startOnSite } from '../shell/session.ts';
import { Button } from '../ui/button/Button.tsx';
import { buttonClass } from '../ui/button/button-class.ts';
import { FailureBanner } from '../ui/feedback/FailureBanner.tsx';
import './-received.css';

interface AcceptedProps {
  email: string;
  accepted: AcceptedInvitation;
}

/** After accepting: the way onto the site, for whoever is signed in already and for everybody else. */
export function AcceptedPage({ email, accepted }: AcceptedProps) {
  const { siteName, membershipExpiresDate: end } = accepted;
  const { data: session, isPending } = useQuery({ ...sessionQuery, retry: false });
  // The button that was pressed is gone: the heading says what it did.
  useEffect(() => document.querySelector<HTMLElement>('#page-title')?.focus(), []);
  return (
    <Doorway
      title={`You are a member of ${siteName}`}
      intro={end ? `Your membership ends ${shortDate(end)}, ${distance(end)}.` : undefined}
    >
      {!isPending && (
        <div className="received-act">
          {session ? <SignedIn {...{ email, accepted, session }} /> : <SignedOut {...{ email, accepted }} />}
        </div>
      )}
    </Doorway>
  );
}

function SignedOut({ email, accepted: { siteId } }: AcceptedProps) {
  return (
    <>
      <Link to="/sign-in" search={{ site: siteId }} className={buttonClass({ variant: 'primary' })}>
        Sign in
      </Link>
      <p>Sign in as {email}.</p>
    </>
  );
}

function SignedIn({ email, accepted: { siteId, siteName }, session }: AcceptedProps & { session: Session }) {
  const move = useWrite('switchSite', switchSiteMutation());
  if (session.user.email.toLowerCase() !== email.toLowerCase()) {
    return (
      <>
        <Link to="/" className={buttonClass()}>
          Go on as {session.user.email}
        </Link>
        <p>
          In this browser {session.user.email} is signed in. To work on {siteName}, sign out and sign in as{' '}
          {email}.
        </p>
      </>
    );
  }
  return (
    <>
      {move.error && <FailureBanner failure={move.error} />}
      <Button
        variant="primary"
        pending={move.isPending}
        onClick={() => move.mutate({ body: { siteId } }, { onSuccess: startOnSite })}
      >
        Go to {siteName}
      </Button>
    </>
  );
}
