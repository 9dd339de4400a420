import { zodResolver } from '@hookform/resolvers/zod';
import { createFileRoute, Link } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { requestPasswordLinkMutation } from '../api/generated/queries/session.gen.ts';
import { zPasswordLinkRequest } from '../api/generated/zod.gen.ts';
import { useWrite } from '../api/write.ts';
import { SignInLayout } from '../app/sign-in/SignInLayout.tsx';
import { Form } from '../ui/form/Form.tsx';
import { TextField } from '../ui/form/TextField.tsx';

export const Route = createFileRoute('/forgot-password')({
  staticData: { title: 'Set a new password' },
  component: ForgotPasswordPage,
});

function ForgotPasswordPage() {
  const ask = useWrite('requestPasswordLink', requestPasswordLinkMutation());
  const form = useForm({ resolver: zodResolver(zPasswordLinkRequest), defaultValues: { email: '' } });
  if (ask.isSuccess) {
    return (
      <SignInLayout
        title="Check your e-mail"
        intro={`If ${form.getValues('email')} belongs to a user, a link to set a password has been sent. It is valid for 24 hours.`}
      >
        <BackToSignIn />
      </SignInLayout>
    );
  }
  return (
    <SignInLayout title="Set a new password" intro="We will send a link to your e-mail address.">
      <Form
        form={form}
        pending={ask.isPending}
        error={ask.error}
        submitLabel="Send the link"
        onSubmit={(body) => ask.mutate({ body })}
      >
        <TextField control={form.control} name="email" label="E-mail" type="email" autoComplete="username" />
      </Form>
      <BackToSignIn />
    </SignInLayout>
  );
}

function BackToSignIn() {
  return (
    <p className="sign-in-layout-foot">
      <Link to="/sign-in">Back to sign-in</Link>
    </p>
  );
}
