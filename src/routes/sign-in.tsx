import { useQueryClient } from '@tanstack/react-query';
import { createFileRoute, Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { Session } from '../api/generated/types.gen.ts';
import { nextPath } from '../lib/next-path.ts';
import { PasskeySignIn } from '../app/sign-in/PasskeySignIn.tsx';
import { Doorway } from '../app/sign-in/Doorway.tsx';
import { enterSession } from '../app/session/session.ts';
import { SIGN_IN_STEPS } from '../app/sign-in/sign-in-steps.ts';
import { SignInForm } from '../app/sign-in/SignInForm.tsx';

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
  const [step, setStep] = useState<keyof typeof SIGN_IN_STEPS>();
  const enter = (session: Session) => {
    enterSession(queryClient, session);
    router.history.replace(next);
  };
  const { title, intro } = step ? SIGN_IN_STEPS[step] : { title: 'Sign in', intro: undefined };
  return (
    <Doorway title={title} intro={intro}>
      <SignInForm site={site} onDone={enter} onStep={setStep} />
      {!step && (
        <>
          <PasskeySignIn site={site} onDone={enter} />
          <p className="doorway-foot">
            <Link to="/forgot-password">Forgot the password?</Link>
            <Link to="/sign-in/identity" search={{ next: next === '/' ? undefined : next }}>
              Sign in through your organization
            </Link>
          </p>
        </>
      )}
    </Doorway>
  );
}
