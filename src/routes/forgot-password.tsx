import { zodResolver } from '@hookform/resolvers/zod';
import { createFileRoute, Link } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { requestPasswordLinkMutation } from '../api/generated/@tanstack/react-query.gen.ts';
import { zPasswordLinkRequest } from '../api/generated/zod.gen.ts';
import { useWrite } from '../api/write.ts';
import { Doorway } from '../app/sign-in/Doorway.tsx';
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
      <Doorway
        title="Look into your mail"
        intro={`If ${form.getValues('email')} belongs to somebody here, a link to set a password is on its way. It holds for 24 hours.`}
      >
        <BackToSignIn />
      </Doorway>
    );
  }
  return (
    <Doorway title="Set a new password" intro="A link to set one is sent to your e-mail address.">
      <Form
        form={form}
        pending={ask.isPending}
        error={ask.error}
        submit="Send the link"
        onSubmit={(body) => ask.mutate({ body })}
      >
        <TextField control={form.control} name="email" label="E-mail" type="email" autoComplete="username" />
      </Form>
      <BackToSignIn />
    </Doorway>
  );
}

function BackToSignIn() {
  return (
    <p className="doorway-foot">
      <Link to="/sign-in">Back to signing in</Link>
    </p>
  );
}
