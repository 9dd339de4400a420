import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { signInMutation } from '../api/generated/@tanstack/react-query.gen.ts';
import type { Session, SignInRequest } from '../api/generated/types.gen.ts';
import { zSignInRequest } from '../api/generated/zod.gen.ts';
import { useWrite } from '../api/write.ts';
import { Form } from '../ui/form/Form.tsx';
import { PasswordField } from '../ui/form/PasswordField.tsx';
import { TextField } from '../ui/form/TextField.tsx';

interface SignInFormProps {
  /** Who signs in again, and where; free at the door. */
  again?: { email: string; siteId: number };
  /** The site to open if it is open to them; without it the service chooses. */
  site?: number | undefined;
  onDone: (session: Session) => void;
  onCancel?: () => void;
}

/** E-mail and password; signing in again asks for the password alone. */
export function SignInForm({ again, site, onDone, onCancel }: SignInFormProps) {
  const signIn = useWrite('signIn', signInMutation());
  const form = useForm({
    resolver: zodResolver(zSignInRequest),
    defaultValues: { email: again?.email ?? '', password: '', siteId: again?.siteId ?? site },
  });
  const submit = (body: SignInRequest) =>
    signIn.mutate(
      { body },
      {
        onSuccess: (answer) => {
          if (!('pending' in answer)) onDone(answer);
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
