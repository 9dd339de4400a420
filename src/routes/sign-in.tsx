import { useQueryClient } from '@tanstack/react-query';
import { createFileRoute, Link, useRouter } from '@tanstack/react-router';
import { nextPath } from '../lib/next-path.ts';
import { Doorway } from '../shell/Doorway.tsx';
import { enterSession } from '../shell/session.ts';
import { SignInForm } from '../shell/SignInForm.tsx';

export const Route = createFileRoute('/sign-in')({
  staticData: { title: 'Sign in' },
  validateSearch: ({ next }: Record<string, unknown>): { next?: string | undefined } => {
    const path = nextPath(next, location.origin);
    // Named even when it leads nowhere: the router keeps the address's own value of what is left out.
    return { next: path === '/' ? undefined : path };
  },
  component: SignInPage,
});

function SignInPage() {
  const { next = '/' } = Route.useSearch();
  const queryClient = useQueryClient();
  const router = useRouter();
  return (
    <Doorway title="Sign in">
      <SignInForm
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
