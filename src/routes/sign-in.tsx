import { useQueryClient } from '@tanstack/react-query';
import { createFileRoute, Link, useRouter } from '@tanstack/react-router';
import { nextPath } from '../lib/next-path.ts';
import { Doorway } from '../shell/Doorway.tsx';
import { enterSession } from '../shell/session.ts';
import { SignInForm } from '../shell/SignInForm.tsx';

interface SignInSearch {
  /** Where to go on. */
  next?: string | undefined;
  /** The site to open, where that one is open to whoever signs in. */
  site?: number | undefined;
}

export const Route = createFileRoute('/sign-in')({
  staticData: { title: 'Sign in' },
  validateSearch: ({ next, site }: Record<string, unknown>): SignInSearch => {
    const path = nextPath(next, location.origin);
    // Named even when it leads nowhere: the router keeps the address's own value of what is left out.
    return {
      next: path === '/' ? undefined : path,
      site: isSiteId(site) ? site : undefined,
    };
  },
  component: SignInPage,
});

const isSiteId = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 2 ** 31;

function SignInPage() {
  const { next = '/', site } = Route.useSearch();
  const queryClient = useQueryClient();
  const router = useRouter();
  return (
    <Doorway title="Sign in">
      <SignInForm
        site={site}
        onDone={(session) => {
          enterSession(queryClient, session);
          router.history.replace(next);
        }}
      />
      <p className="doorway-foot">
        <Link to="/forgot-password">Forgot the password?</Link>
      </p>
    </Doorway>
  );
}
