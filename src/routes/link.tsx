import { useQueryClient } from '@tanstack/react-query';
import { createFileRoute, Link, useRouter } from '@tanstack/react-router';
import { toServiceError } from '../api/errors.ts';
import { inspectLink } from '../api/generated/sdk.gen.ts';
import { Doorway } from '../app/sign-in/Doorway.tsx';
import { DoorErrorPage } from '../app/shell/ErrorPage.tsx';
import { enterSession } from '../app/session/session.ts';
import { FirstAdministratorForm } from '../app/sign-in/FirstAdministratorForm.tsx';
import { SetPasswordForm } from '../app/sign-in/SetPasswordForm.tsx';

export const Route = createFileRoute('/link')({
  staticData: { title: 'One-time link' },
  // The token stands after the #: it is sent to no server and written into no log.
  loader: ({ location }) => look(location.hash),
  component: LinkPage,
  errorComponent: DoorErrorPage,
});

/** What the link is for; nothing where it is used up, expired or unknown. */
async function look(token: string) {
  try {
    const { data } = await inspectLink({ body: { token }, throwOnError: true });
    return {
      title: data.purpose === 'set-password' ? 'Set your password' : 'First administrator',
      token,
      link: data,
    };
  } catch (thrown) {
    const failure = toServiceError(thrown);
    // 400: what stands after the # has not even the form of a token.
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
      <Doorway
        title={title}
        intro="A link holds for a limited time and works once. A newer one makes the older ones void."
      >
        <p className="doorway-foot">
          <Link to="/forgot-password">Send me a new link</Link> or <Link to="/sign-in">sign in</Link>
        </p>
      </Doorway>
    );
  }
  if (link.purpose === 'set-password') {
    return (
      <Doorway title={title} intro={`For ${link.email ?? 'your account'} on ${link.siteName}.`}>
        <SetPasswordForm token={token} email={link.email ?? ''} />
      </Doorway>
    );
  }
  return (
    <Doorway title={title} intro={`You will administer ${link.siteName} and can let others in.`}>
      <FirstAdministratorForm
        token={token}
        onDone={(session) => {
          enterSession(queryClient, session);
          router.history.replace('/');
        }}
      />
    </Doorway>
  );
}
