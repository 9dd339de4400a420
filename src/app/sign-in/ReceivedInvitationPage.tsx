import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type {
  AcceptedInvitation,
  ReceivedInvitation,
  Session,
} from '../../../contract/generated/types.gen.ts';
import { acceptInvitationMutation } from '../../api/generated/queries/invitations.gen.ts';
import { switchSiteMutation } from '../../api/generated/queries/session.gen.ts';
import { sessionQuery } from '../../api/session-query.ts';
import { useWrite } from '../../api/write.ts';
import { formatShortDate, addDays, formatDistance } from '../../lib/dates/dates.ts';
import { pluralize } from '../../lib/numbers.ts';
import { buttonClass } from '../../ui/button/button-class.ts';
import { Button } from '../../ui/button/Button.tsx';
import { FailureBanner } from '../../ui/feedback/FailureBanner.tsx';
import { Fact, Facts } from '../../ui/layout/Card.tsx';
import { reloadOnSite } from '../session/session.ts';
import { SignInLayout } from './SignInLayout.tsx';
import './received-invitation.css';

interface ReceivedInvitationPageProps {
  title: string;
  token: string;
  invitation: ReceivedInvitation | undefined;
}

/** Shows an invitation with the button to accept it, or why it cannot be accepted. */
export function ReceivedInvitationPage({ title, token, invitation }: ReceivedInvitationPageProps) {
  const [accepted, setAccepted] = useState<AcceptedInvitation>();
  const [isUnavailable, setIsUnavailable] = useState(false);
  if (accepted && invitation) return <AcceptedPage email={invitation.email} accepted={accepted} />;
  if (!invitation || isUnavailable) {
    return (
      <UnavailableInvitationPage
        title={isUnavailable ? 'This invitation can no longer be accepted' : title}
        isKept={token !== ''}
      />
    );
  }
  return (
    <InvitationOffer
      {...{ title, token, invitation }}
      onAccepted={setAccepted}
      onUnavailable={() => setIsUnavailable(true)}
    />
  );
}

interface OfferProps {
  title: string;
  token: string;
  invitation: ReceivedInvitation;
  onAccepted: (accepted: AcceptedInvitation) => void;
  onUnavailable: () => void;
}

function InvitationOffer({ title, token, invitation, onAccepted, onUnavailable }: OfferProps) {
  const { email, siteName, duration, invitedByName, expiresDate } = invitation;
  const accept = useWrite('acceptInvitation', acceptInvitationMutation());
  const isMember = accept.error?.status === 409;
  const go = () =>
    accept.mutate(
      { body: { token } },
      { onSuccess: onAccepted, onError: ({ status }) => status === 404 && onUnavailable() },
    );
  return (
    <SignInLayout title={title} intro={`${invitedByName ?? 'An administrator'} invites you to ${siteName}.`}>
      <Facts>
        <Fact label="For">{email}</Fact>
        <Fact label="Membership">{duration ? <Temporary days={duration} /> : 'Permanent'}</Fact>
        <Fact label="Link works until">
          <time dateTime={expiresDate}>
            {formatShortDate(expiresDate)}, {formatDistance(expiresDate)}
          </time>
        </Fact>
      </Facts>
      {accept.error && (
        <div className="received-failure">
          <FailureBanner failure={accept.error} />
        </div>
      )}
      <div className="received-act">
        <Button variant="primary" pending={accept.isPending} onClick={go}>
          Accept the invitation
        </Button>
        <p className="received-foot">
          {isMember ? (
            <>
              You are already a member. <Link to="/sign-in">Sign in</Link>
            </>
          ) : (
            'Your password does not change.'
          )}
        </p>
      </div>
      <p className="sign-in-layout-foot">
        If you do not want this, do nothing: nothing changes unless you accept.
      </p>
    </SignInLayout>
  );
}

function Temporary({ days }: { days: number }) {
  const end = addDays(days);
  return (
    <>
      {pluralize(days, 'day', 'days')}. Accepted now, it ends{' '}
      <time dateTime={end.toISOString()}>
        {formatShortDate(end)}, {formatDistance(end)}
      </time>
      .
    </>
  );
}

/** Shown for an invalid invitation, or without a token because the page was reloaded. */
function UnavailableInvitationPage({ title, isKept }: { title: string; isKept: boolean }) {
  return (
    <SignInLayout
      title={title}
      intro={
        isKept
          ? 'It was accepted, revoked or sent again, or it has expired. If it was sent again, the newest e-mail contains the valid link. Otherwise ask the person who invited you for a new one.'
          : 'The link is not kept in the address bar. Open it from the e-mail again.'
      }
    >
      <p className="sign-in-layout-foot received-foot">
        Accepted already? <Link to="/sign-in">Sign in</Link>
      </p>
    </SignInLayout>
  );
}

interface AcceptedProps {
  email: string;
  accepted: AcceptedInvitation;
}

/** Shown after accepting, with the next step for signed-in and signed-out users. */
function AcceptedPage({ email, accepted }: AcceptedProps) {
  const { siteName, membershipExpiresDate: end } = accepted;
  const { data: session, isPending } = useQuery({ ...sessionQuery, retry: false });
  return (
    <SignInLayout
      title={`You are a member of ${siteName}`}
      intro={end ? `Your membership ends ${formatShortDate(end)}, ${formatDistance(end)}.` : undefined}
    >
      {!isPending && (
        <div className="received-act">
          {session ? <SignedIn {...{ email, accepted, session }} /> : <SignedOut {...{ email, accepted }} />}
        </div>
      )}
    </SignInLayout>
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
  const switchSite = useWrite('switchSite', switchSiteMutation());
  if (session.user.email.toLowerCase() !== email.toLowerCase()) {
    return (
      <>
        <Link to="/" className={buttonClass()}>
          Continue as {session.user.email}
        </Link>
        <p>
          You are signed in as {session.user.email}. To work on {siteName}, sign out and sign in as {email}.
        </p>
      </>
    );
  }
  return (
    <>
      {switchSite.error && <FailureBanner failure={switchSite.error} />}
      <Button
        variant="primary"
        pending={switchSite.isPending}
        onClick={() => switchSite.mutate({ body: { siteId } }, { onSuccess: reloadOnSite })}
      >
        Go to {siteName}
      </Button>
    </>
  );
}
