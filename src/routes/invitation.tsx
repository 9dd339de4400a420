import { createFileRoute, redirect } from '@tanstack/react-router';
import { toServiceError } from '../api/errors.ts';
import { inspectInvitation } from '../api/generated/sdk.gen.ts';
import type { ReceivedInvitation } from '../api/generated/types.gen.ts';
import { DoorErrorPage } from '../app/shell/ErrorPage.tsx';
import { heldToken } from '../app/sign-in/held-token.ts';
import { ReceivedInvitationPage } from '../app/sign-in/ReceivedInvitationPage.tsx';

export const Route = createFileRoute('/invitation')({
  staticData: { title: 'Invitation' },
  // The token stands after the #: it is sent to no server and written into no log. From the address bar it goes at
  // once, so that no history keeps it and nobody copies it along.
  beforeLoad({ location: { hash } }) {
    if (hash === '') return;
    heldToken.set(hash);
    throw redirect({ to: '/invitation', replace: true });
  },
  loader: () => look(heldToken.get()),
  component: InvitationRoute,
  errorComponent: DoorErrorPage,
});

interface Looked {
  title: string;
  token: string;
  /** Nothing where the link was used, revoked or has expired. */
  invitation: ReceivedInvitation | undefined;
}

async function look(token: string): Promise<Looked> {
  const gone = { title: 'This invitation can no longer be accepted', token, invitation: undefined };
  if (token === '') return { ...gone, title: 'Open the invitation from your e-mail' };
  try {
    const { data } = await inspectInvitation({ body: { token } });
    return { title: `Join ${data.siteName}`, token, invitation: data };
  } catch (thrown) {
    const failure = toServiceError(thrown);
    // 400: what stood after the # has not even the form of a token.
    if (failure.status !== 404 && failure.status !== 400) throw failure;
    return gone;
  }
}

function InvitationRoute() {
  const looked = Route.useLoaderData();
  // Another link opened in the same tab is another page.
  return <ReceivedInvitationPage key={looked.token} {...looked} />;
}
