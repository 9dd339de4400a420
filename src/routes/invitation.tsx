import { createFileRoute, redirect } from '@tanstack/react-router';
import type { ReceivedInvitation } from '../../contract/generated/types.gen.ts';
import { toServiceError } from '../api/errors.ts';
import { inspectInvitation } from '../api/generated/sdk/invitations.gen.ts';
import { StandaloneErrorPage } from '../app/shell/ErrorPage.tsx';
import { invitationToken } from '../app/sign-in/one-time-tokens.ts';
import { ReceivedInvitationPage } from '../app/sign-in/ReceivedInvitationPage.tsx';

export const Route = createFileRoute('/invitation')({
  staticData: { title: 'Invitation' },
  // The token is in the fragment, which is neither sent to a server nor logged. It is removed from the address bar at once,
  // so that it is neither stored in the history nor copied along.
  beforeLoad({ location: { hash } }) {
    if (hash === '') return;
    invitationToken.set(hash);
    throw redirect({ to: '/invitation', replace: true });
  },
  loader: () => lookUpInvitation(invitationToken.get()),
  component: InvitationRoute,
  errorComponent: StandaloneErrorPage,
});

interface InvitationLookup {
  title: string;
  token: string;
  /** Undefined if the link was used, revoked or has expired. */
  invitation: ReceivedInvitation | undefined;
}

async function lookUpInvitation(token: string): Promise<InvitationLookup> {
  const unavailable = { title: 'This invitation can no longer be accepted', token, invitation: undefined };
  if (token === '') return { ...unavailable, title: 'Open the invitation from your e-mail' };
  try {
    const { data } = await inspectInvitation({ body: { token } });
    return { title: `Join ${data.siteName}`, token, invitation: data };
  } catch (thrown) {
    const failure = toServiceError(thrown);
    // 400: the fragment is not a valid token.
    if (failure.status !== 404 && failure.status !== 400) throw failure;
    return unavailable;
  }
}

function InvitationRoute() {
  const lookup = Route.useLoaderData();
  // Another link in the same tab remounts the page.
  return <ReceivedInvitationPage key={lookup.token} {...lookup} />;
}
