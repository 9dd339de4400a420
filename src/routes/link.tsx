import { useQueryClient } from '@tanstack/react-query';
import { createFileRoute, Link, redirect, useRouter } from '@tanstack/react-router';
import { toServiceError } from '../api/errors.ts';
import { inspectLink } from '../api/generated/sdk/session.gen.ts';
import { startSession } from '../app/session/session.ts';
import { StandaloneErrorPage } from '../app/shell/ErrorPage.tsx';
import { FirstAdministratorForm } from '../app/sign-in/FirstAdministratorForm.tsx';
import { linkToken } from '../app/sign-in/one-time-tokens.ts';
import { SetPasswordForm } from '../app/sign-in/SetPasswordForm.tsx';
import { SignInLayout } from '../app/sign-in/SignInLayout.tsx';

export const Route = createFileRoute('/link')({
  staticData: { title: 'One-time link' },
  // The token is in the fragment, which is neither sent to a server nor logged. It is removed from the address bar at once,
  // so that it is neither stored in the history nor copied along.
  beforeLoad({ location: { hash } }) {
    if (hash === '') return;
    linkToken.set(hash);
    throw redirect({ to: '/link', replace: true });
  },
  loader: () => lookUpLink(linkToken.get()),
  component: LinkPage,
  errorComponent: StandaloneErrorPage,
});

/** Reads the purpose of a link; `link` is undefined if it is used up, expired or unknown. */
async function lookUpLink(token: string) {
  if (token === '') return { title: 'Open the link again', token, link: undefined };
  try {
    const { data } = await inspectLink({ body: { token }, throwOnError: true });
    return {
      title: data.purpose === 'set-password' ? 'Set your password' : 'First administrator',
      token,
      link: data,
    };
  } catch (thrown) {
    const failure = toServiceError(thrown);
    // 400: the fragment is not a valid token.
    if (failure.status !== 404 && failure.status !== 400) throw failure;
    return { title: 'This link no longer works', token, link: undefined };
  }
}

function LinkPage() {
  const { title, token, link } = Route.useLoaderData();
  const queryClient = useQueryClient();
  const router = useRouter();
  if (!link) {
    return (
      <SignInLayout
        title={title}
        intro="A link is valid for a limited time and works once. A newer link replaces older ones."
      >
        <p className="sign-in-layout-foot">
          <Link to="/forgot-password">Send me a new link</Link> or <Link to="/sign-in">sign in</Link>
        </p>
      </SignInLayout>
    );
  }
  if (link.purpose === 'set-password') {
    return (
      <SignInLayout title={title} intro={`For ${link.email ?? 'your account'} on ${link.siteName}.`}>
        <SetPasswordForm key={token} token={token} email={link.email ?? ''} />
      </SignInLayout>
    );
  }
  return (
    <SignInLayout title={title} intro={`You will administer ${link.siteName} and can add other users.`}>
      <FirstAdministratorForm
        key={token}
        token={token}
        onDone={(session) => {
          startSession(queryClient, session);
          router.history.replace('/');
        }}
      />
    </SignInLayout>
  );
}
