import { useQueryClient } from '@tanstack/react-query';
import { createFileRoute, Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { Session } from '../../contract/generated/types.gen.ts';
import { startSession } from '../app/session/session.ts';
import { PasskeySignIn } from '../app/sign-in/PasskeySignIn.tsx';
import { SIGN_IN_STEPS, SignInForm } from '../app/sign-in/SignInForm.tsx';
import { SignInLayout } from '../app/sign-in/SignInLayout.tsx';
import { parseNextPath } from '../lib/next-path.ts';

interface SignInSearch {
  /** Path to open after the sign-in. */
  next?: string | undefined;
  /** Site to open if the user is a member of it. */
  site?: number | undefined;
}

export const Route = createFileRoute('/sign-in')({
  staticData: { title: 'Sign in' },
  validateSearch: ({ next, site }: Record<string, unknown>): SignInSearch => {
    const path = parseNextPath(next, location.origin);
    // Always set, because the router keeps the raw value of omitted parameters.
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
    startSession(queryClient, session);
    router.history.replace(next);
  };
  const { title, intro } = step ? SIGN_IN_STEPS[step] : { title: 'Sign in', intro: undefined };
  return (
    <SignInLayout title={title} intro={intro}>
      <SignInForm site={site} onDone={enter} onStep={setStep} />
      {!step && (
        <>
          <PasskeySignIn site={site} onDone={enter} />
          <p className="sign-in-layout-foot">
            <Link to="/forgot-password">Forgot your password?</Link>
            <Link to="/sign-in/identity" search={{ next: next === '/' ? undefined : next }}>
              Sign in through your organization
            </Link>
          </p>
        </>
      )}
    </SignInLayout>
  );
}
