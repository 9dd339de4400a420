import { zodResolver } from '@hookform/resolvers/zod';
import { useRouter } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { setPasswordMutation } from '../../api/generated/queries/session.gen.ts';
import { zSetPasswordRequest } from '../../api/generated/zod.gen.ts';
import { useWrite } from '../../api/write.ts';
import { Form } from '../../ui/form/Form.tsx';
import { PasswordField } from '../../ui/form/PasswordField.tsx';
import { toast } from '../../ui/toast.ts';

/** Sets a password with a one-time link; the user then signs in with it. */
export function SetPasswordForm({ token, email }: { token: string; email: string }) {
  const router = useRouter();
  const set = useWrite('setPassword', setPasswordMutation());
  const form = useForm({
    resolver: zodResolver(zSetPasswordRequest),
    defaultValues: { token, password: '' },
  });
  return (
    <Form
      form={form}
      pending={set.isPending}
      error={set.error}
      submitLabel="Set password"
      onSubmit={(body) =>
        set.mutate(
          { body },
          {
            onSuccess() {
              toast({ title: 'Password set', description: 'Sign in with it. Other sessions were ended.' });
              router.history.replace('/sign-in');
            },
          },
        )
      }
    >
      {/* Password managers store the new password for this user name. */}
      <input type="email" name="username" autoComplete="username" defaultValue={email} readOnly hidden />
      <PasswordField
        control={form.control}
        name="password"
        label="New password"
        hint="At least 12 characters. A few words are good."
        autoComplete="new-password"
      />
    </Form>
  );
}
