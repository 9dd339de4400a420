import { zodResolver } from '@hookform/resolvers/zod';
import { Suspense, useState } from 'react';
import { useForm } from 'react-hook-form';
import type { PendingSignIn, Session, SignInRequest } from '../../../contract/generated/types.gen.ts';
import { signInMutation } from '../../api/generated/queries/session.gen.ts';
import { zSignInRequest } from '../../api/generated/zod.gen.ts';
import { useWrite } from '../../api/write.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Form } from '../../ui/form/Form.tsx';
import { PasswordField } from '../../ui/form/PasswordField.tsx';
import { TextField } from '../../ui/form/TextField.tsx';
import { lazyWithPreload } from '../../ui/lazy.tsx';
import EnrolmentForm from './EnrolmentForm.tsx';
import { focusFirstField } from './focus.ts';

const SecondFactorForm = lazyWithPreload(() => import('./SecondFactorForm.tsx'));

interface SignInFormProps {
  /** User and site of a repeated sign-in; undefined on the sign-in page. */
  reauthenticate?: { email: string; siteId: number };
  /** Site to open if the user is a member; without it the service chooses. */
  site?: number | undefined;
  onDone: (session: Session) => void;
  onCancel?: (() => void) | undefined;
  /** Called when the step of the sign-in changes. */
  onStep?: ((step: PendingSignIn['pending'] | undefined) => void) | undefined;
}

/** Sign-in with e-mail and password, then the second factor or its setup if required. */
export function SignInForm({ onDone, onStep, ...rest }: SignInFormProps) {
  const [pendingSignIn, setPendingSignIn] = useState<PendingSignIn>();
  const [restarted, setRestarted] = useState<Restart>();
  const [email, setEmail] = useState('');
  const show = (next: PendingSignIn | undefined) => {
    setPendingSignIn(next);
    onStep?.(next?.pending);
  };
  const restart = (reason: Restart) => {
    setRestarted(reason);
    show(undefined);
  };
  const steps = { onDone, onExpired: () => restart('expired'), onCancel: () => restart('cancelled') };
  if (!pendingSignIn)
    return (
      <PasswordForm
        {...rest}
        typedEmail={email}
        restarted={restarted}
        onSignedIn={onDone}
        onPending={(half, typedEmail) => {
          setEmail(typedEmail);
          show(half);
        }}
      />
    );
  return (
    <Suspense>
      {pendingSignIn.pending === 'two-factor' ? (
        <SecondFactorForm methods={pendingSignIn.methods} {...steps} />
      ) : (
        <EnrolmentForm doneLabel="Continue" {...steps} />
      )}
    </Suspense>
  );
}

type Restart = 'expired' | 'cancelled';

type PasswordFormProps = Omit<SignInFormProps, 'onDone' | 'onStep'> & {
  /** E-mail of the previous attempt. */
  typedEmail: string;
  /** Why the previous attempt ended before the second factor. */
  restarted: Restart | undefined;
  onSignedIn: (session: Session) => void;
  onPending: (half: PendingSignIn, email: string) => void;
};

/** First step: e-mail and password; only the password for a repeated sign-in. */
function PasswordForm({
  reauthenticate,
  site,
  typedEmail,
  restarted,
  onSignedIn,
  onPending,
  onCancel,
}: PasswordFormProps) {
  const signIn = useWrite('signIn', signInMutation());
  const form = useForm({
    resolver: zodResolver(zSignInRequest),
    defaultValues: {
      email: reauthenticate?.email ?? typedEmail,
      password: '',
      siteId: reauthenticate?.siteId ?? site,
    },
  });
  const submit = (body: SignInRequest) => {
    SecondFactorForm.preload();
    signIn.mutate(
      { body },
      {
        onSuccess(answer) {
          if ('pending' in answer) onPending(answer, body.email);
          else onSignedIn(answer);
        },
        // Not a member of the requested site: signs in to the user's own site.
        onError({ status }) {
          if (status === 403 && site !== undefined && body.siteId === site)
            submit({ ...body, siteId: undefined });
        },
      },
    );
  };
  return (
    <Form
      form={form}
      pending={signIn.isPending}
      error={signIn.error}
      submitLabel="Sign in"
      onCancel={onCancel}
      onSubmit={submit}
    >
      {restarted === 'expired' && !signIn.error && (
        <div role="alert">
          <Banner tone="warn">This sign-in has expired. Start again with your password.</Banner>
        </div>
      )}
      {!reauthenticate && (
        <TextField control={form.control} name="email" label="E-mail" type="email" autoComplete="username" />
      )}
      {/* The button of the second factor is gone after a restart. */}
      <div ref={restarted && focusFirstField}>
        <PasswordField
          control={form.control}
          name="password"
          label="Password"
          autoComplete="current-password"
        />
      </div>
    </Form>
  );
}

/** Titles and texts of the steps after the password. */
export const SIGN_IN_STEPS = {
  'two-factor': {
    title: 'Second factor',
    intro: 'Your password is correct. Confirm your identity with a second factor.',
  },
  enrolment: {
    title: 'Set up a second factor',
    intro: 'Your account now requires a code in addition to the password.',
  },
} as const;
