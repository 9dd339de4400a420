import { Link } from '@tanstack/react-router';
import { useState, useEffect } from 'react';
import { useQuery } from '@tanstack/react-query';
import {
  acceptInvitationMutation,
  switchSiteMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts';
import type { AcceptedInvitation, ReceivedInvitation, Session } from '../../api/generated/types.gen.ts';
import { useWrite } from '../../api/write.ts';
import { shortDate } from '../../lib/dates.ts';
import { daysAfter, distance } from '../../lib/ends.ts';
import { counted } from '../../lib/numbers.ts';
import { Doorway } from './Doorway.tsx';
import { Button } from '../../ui/button/Button.tsx';
import { FailureBanner } from '../../ui/feedback/FailureBanner.tsx';
import { Fact, Facts } from '../../ui/layout/Facts.tsx';
import { sessionQuery } from '../../api/session-query.ts';
import { startOnSite } from '../session/session.ts';
import { buttonClass } from '../../ui/button/button-class.ts';
import './received.css';

interface ReceivedInvitationPageProps {
  title: string;
  token: string;
  invitation: ReceivedInvitation | undefined;
}

/** What somebody is invited to, and the button that accepts it; or why that is no longer possible. */
export function ReceivedInvitationPage({ title, token, invitation }: ReceivedInvitationPageProps) {
  const [accepted, setAccepted] = useState<AcceptedInvitation>();
  const [gone, setGone] = useState(false);
  if (accepted && invitation) return <AcceptedPage email={invitation.email} accepted={accepted} />;
  if (!invitation || gone) {
    return (
      <GonePage title={gone ? 'This invitation can no longer be accepted' : title} isKept={token !== ''} />
    );
  }
  return <Offer {...{ title, token, invitation }} onAccepted={setAccepted} onGone={() => setGone(true)} />;
}

interface OfferProps {
  title: string;
  token: string;
  invitation: ReceivedInvitation;
  onAccepted: (accepted: AcceptedInvitation) => void;
  onGone: () => void;
}

function Offer({ title, token, invitation, onAccepted, onGone }: OfferProps) {
  const { email, siteName, duration, invitedByName, expiresDate } = invitation;
  const accept = useWrite('acceptInvitation', acceptInvitationMutation());
  const isMember = accept.error?.status === 409;
  const go = () =>
    accept.mutate(
      { body: { token } },
      { onSuccess: onAccepted, onError: ({ status }) => status === 404 && onGone() },
    );
  return (
    <Doorway title={title} intro={`${invitedByName ?? 'An administrator'} invites you to ${siteName}.`}>
      <Facts>
        <Fact label="For">{email}</Fact>
        <Fact label="Membership">{duration ? <Temporary days={duration} /> : 'Permanent'}</Fact>
        <Fact label="Link works until">
          <time dateTime={expiresDate}>
            {shortDate(expiresDate)}, {distance(expiresDate)}
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
              You are a member already. <Link to="/sign-in">Sign in</Link>
            </>
          ) : (
            'Your password stays the one you have.'
          )}
        </p>
      </div>
      <p className="doorway-foot">Not wanted? Do nothing: without your acceptance nothing changes.</p>
    </Doorway>
  );
}

function Temporary({ days }: { days: number }) {
  const end = daysAfter(days);
  return (
    <>
      {counted(days, 'day', 'days')}. Accepted now, it ends{' '}
      <time dateTime={end.toISOString()}>
        {shortDate(end)}, {distance(end)}
      </time>
      .
    </>
  );
}

/** Without a token there was none in the address: the page was loaded again. */
function GonePage({ title, isKept }: { title: string; isKept: boolean }) {
  return (
    <Doorway
      title={title}
      intro={
        isKept
          ? 'It was accepted, revoked or sent again, or it has expired. Where it was sent again, the newest e-mail has the link that works. Otherwise ask whoever invited you for a new one.'
          : 'The link in it is not kept in the address bar, so it has to be opened from the e-mail each time.'
      }
    >
      <p className="doorway-foot received-foot">
        Accepted already? <Link to="/sign-in">Sign in</Link>
      </p>
    </Doorway>
  );
}

interface AcceptedProps {
  email: string;
  accepted: AcceptedInvitation;
}

/** After accepting: the way onto the site, for whoever is signed in already and for everybody else. */
function AcceptedPage({ email, accepted }: AcceptedProps) {
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
