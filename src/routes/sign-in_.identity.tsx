import { useQueryClient } from '@tanstack/react-query';
import { createFileRoute, Link, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Session } from '../../contract/generated/types.gen.ts';
import { toServiceError } from '../api/errors.ts';
import type { ServiceError } from '../api/errors.ts';
import { finishIdentitySignIn } from '../api/generated/sdk/session.gen.ts';
import { startSession } from '../app/session/session.ts';
import { StandaloneErrorPage } from '../app/shell/ErrorPage.tsx';
import { PendingPage } from '../app/shell/PendingPage.tsx';
import { takeIdentitySignIn } from '../app/sign-in/identity-sign-in.ts';
import { IdentityForm } from '../app/sign-in/IdentityForm.tsx';
import { SignInLayout } from '../app/sign-in/SignInLayout.tsx';
import { parseNextPath } from '../lib/next-path.ts';
import { FailureBanner } from '../ui/feedback/FailureBanner.tsx';

interface IdentitySearch {
  /** Short name of the site. */
  site?: string | undefined;
  next?: string | undefined;
  /** Added by the identity manager in its redirect. */
  state?: string | undefined;
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

export const Route = createFileRoute('/sign-in_/identity')({
  staticData: { title: 'Sign in through your organization' },
  validateSearch: ({ site, next, state }: Record<string, unknown>): IdentitySearch => ({
    site: text(site),
    next: text(next),
    state: text(state),
  }),
  loader: ({ location }) => finishSignIn(location.searchStr),
  errorComponent: StandaloneErrorPage,
  component: IdentityPage,
});

interface Outcome {
  session?: Session;
  next?: string;
  site?: string;
  failure?: ServiceError;
}

const STARTED_ELSEWHERE =
  'This sign-in was started in another tab or browser, or has expired. Start again here.';

/** Finishes a sign-in after the redirect of the identity manager; empty without one. */
async function finishSignIn(query: string): Promise<Outcome> {
  // Reads the raw query, because the router would parse the provider's values.
  const search = new URLSearchParams(query.startsWith('?') ? location.search : '');
  const state = search.get('state');
  if (state === null) return {};
  const pendingSignIn = takeIdentitySignIn();
  if (pendingSignIn?.state !== state) return { failure: toServiceError(new Error(STARTED_ELSEWHERE)) };
  const { next, site, secret } = pendingSignIn;
  try {
    const { data } = await finishIdentitySignIn({
      body: { query: location.search, secret },
      throwOnError: true,
    });
    return { session: data, next, site };
  } catch (thrown) {
    return { failure: toServiceError(thrown), next, site };
  }
}

function IdentityPage() {
  const { session, failure, ...back } = Route.useLoaderData();
  const search = Route.useSearch();
  if (session) return <EnterConsole session={session} next={back.next ?? '/'} />;
  const next = parseNextPath(back.next ?? search.next, location.origin);
  return (
    <SignInLayout title="Sign in through your organization" intro="For sites that use an identity manager.">
      {failure && <FailureBanner failure={failure} />}
      <IdentityForm site={back.site ?? search.site ?? ''} next={next} />
      <p className="sign-in-layout-foot">
        <Link to="/sign-in" search={{ next: next === '/' ? undefined : next }}>
          Sign in with a password
        </Link>
      </p>
    </SignInLayout>
  );
}

function EnterConsole({ session, next }: { session: Session; next: string }) {
  const queryClient = useQueryClient();
  const router = useRouter();
  // Enters the console once the session has been created.
  useEffect(() => {
    startSession(queryClient, session);
    router.history.replace(next);
  }, [queryClient, router, session, next]);
  return <PendingPage />;
}
