import { zodResolver } from '@hookform/resolvers/zod';
import { Suspense, useState } from 'react';
import { useForm } from 'react-hook-form';
import { signInMutation } from '../../api/generated/@tanstack/react-query.gen.ts';
import type { PendingSignIn, Session, SignInRequest } from '../../api/generated/types.gen.ts';
import { zSignInRequest } from '../../api/generated/zod.gen.ts';
import { useWrite } from '../../api/write.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Form } from '../../ui/form/Form.tsx';
import { PasswordField } from '../../ui/form/PasswordField.tsx';
import { TextField } from '../../ui/form/TextField.tsx';
import { later } from '../../ui/later.ts';

const SecondFactorForm = later(() => import('./SecondFactorForm.tsx'));
const EnrolmentForm = later(() => import('./EnrolmentForm.tsx'));

interface SignInFormProps {
  /** Who signs in again, and where; free at the door. */
  again?: { email: string; siteId: number };
  /** The site to open if it is open to them; without it the service chooses. */
  site?: number | undefined;
  onDone: (session: Session) => void;
  onCancel?: (() => void) | undefined;
  /** Which part of the sign-in is on screen. */
  onStep?: ((step: PendingSignIn['pending'] | undefined) => void) | undefined;
}

/** E-mail and password, then what the person or the site asks for besides. */
export function SignInForm({ onDone, onStep, ...rest }: SignInFormProps) {
  const [half, setHalf] = useState<PendingSignIn>();
  const [over, setOver] = useState(false);
  const show = (next: PendingSignIn | undefined) => {
    setHalf(next);
    onStep?.(next?.pending);
  };
  const begin = (why: 'over' | 'chosen') => {
    setOver(why === 'over');
    show(undefined);
  };
  const steps = { onDone, onOver: () => begin('over'), onCancel: () => begin('chosen') };
  if (!half) return <PasswordForm {...rest} over={over} onWhole={onDone} onHalf={show} />;
  return (
    <Suspense>
      {half.pending === 'two-factor' ? (
        <SecondFactorForm methods={half.methods} {...steps} />
      ) : (
        <EnrolmentForm done="Go on" {...steps} />
      )}
    </Suspense>
  );
}

type PasswordFormProps = Omit<SignInFormProps, 'onDone' | 'onStep'> & {
  /** A sign-in before this one ended without its second factor. */
  over: boolean;
  onWhole: (session: Session) => void;
  onHalf: (half: PendingSignIn) => void;
};

/** E-mail and password; signing in again asks for the password alone. */
function PasswordForm({ again, site, over, onWhole, onHalf, onCancel }: PasswordFormProps) {
  const signIn = useWrite('signIn', signInMutation());
  const form = useForm({
    resolver: zodResolver(zSignInRequest),
    defaultValues: { email: again?.email ?? '', password: '', siteId: again?.siteId ?? site },
  });
  const submit = (body: SignInRequest) =>
    signIn.mutate(
      { body },
      {
        onSuccess(answer) {
          if ('pending' in answer) onHalf(answer);
          else onWhole(answer);
        },
        // Somebody else than was meant, or no member any more: their own site opens.
        onError({ status }) {
          if (status === 403 && site !== undefined && body.siteId === site)
            submit({ ...body, siteId: undefined });
        },
      },
    );
  return (
    <Form
      form={form}
      pending={signIn.isPending}
      error={signIn.error}
      submit="Sign in"
      onCancel={onCancel}
      onSubmit={submit}
    >
      {over && !signIn.error && (
        <Banner tone="warn">That sign-in is over. Begin again with your password.</Banner>
      )}
      {!again && (
        <TextField control={form.control} name="email" label="E-mail" type="email" autoComplete="username" />
      )}
      <PasswordField
        control={form.control}
        name="password"
        label="Password"
        autoComplete="current-password"
      />
    </Form>
  );
}
