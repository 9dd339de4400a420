import { useQueryClient } from '@tanstack/react-query';
import { createFileRoute, Link, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { toServiceError } from '../api/errors.ts';
import type { ServiceError } from '../api/errors.ts';
import { finishIdentitySignIn } from '../api/generated/sdk.gen.ts';
import type { Session } from '../api/generated/types.gen.ts';
import { nextPath } from '../lib/next-path.ts';
import { Doorway } from '../app/sign-in/Doorway.tsx';
import { DoorErrorPage } from '../app/shell/ErrorPage.tsx';
import { takeUnderWay } from '../app/sign-in/under-way.ts';
import { enterSession } from '../app/session/session.ts';
import { FailureBanner } from '../ui/feedback/FailureBanner.tsx';
import { PendingPage } from '../app/shell/PendingPage.tsx';
import { IdentityForm } from '../app/sign-in/IdentityForm.tsx';

interface IdentitySearch {
  /** Short name of the site. */
  site?: string | undefined;
  next?: string | undefined;
  /** What the identity manager adds as it sends the browser back. */
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
  loader: ({ location }) => comeBack(location.searchStr),
  errorComponent: DoorErrorPage,
  component: IdentityPage,
});

interface Outcome {
  session?: Session;
  next?: string;
  site?: string;
  failure?: ServiceError;
}

const BEGUN_ELSEWHERE =
  'This sign-in was begun in another tab or another browser, or long ago. Begin again here.';

/** Finishes a sign-in that comes back; nothing where none does. */
async function comeBack(query: string): Promise<Outcome> {
  // The address as it is: the router reads values its own way, the provider's are none of its.
  const search = new URLSearchParams(query.startsWith('?') ? location.search : '');
  const state = search.get('state');
  if (state === null) return {};
  const underWay = takeUnderWay();
  if (underWay?.state !== state) return { failure: toServiceError(new Error(BEGUN_ELSEWHERE)) };
  const { next, site, secret } = underWay;
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
  if (session) return <Entering session={session} next={back.next ?? '/'} />;
  return (
    <Doorway
      title="Sign in through your organization"
      intro="For sites whose people an identity manager signs in."
    >
      {failure && <FailureBanner failure={failure} />}
      <IdentityForm
        site={back.site ?? search.site ?? ''}
        next={nextPath(back.next ?? search.next, location.origin)}
      />
      <p className="doorway-foot">
        <Link to="/sign-in">Sign in with a password</Link>
      </p>
    </Doorway>
  );
}

function Entering({ session, next }: { session: Session; next: string }) {
  const queryClient = useQueryClient();
  const router = useRouter();
  // The session is there: what follows is a change of page, once it is known here.
  useEffect(() => {
    enterSession(queryClient, session);
    router.history.replace(next);
  }, [queryClient, router, session, next]);
  return <PendingPage />;
}
