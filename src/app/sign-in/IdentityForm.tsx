import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { beginIdentitySignInMutation } from '../../api/generated/queries/session.gen.ts';
import { zBeginIdentitySignIn } from '../../api/generated/zod.gen.ts';
import { useWrite } from '../../api/write.ts';
import { Form } from '../../ui/form/Form.tsx';
import { TextField } from '../../ui/form/TextField.tsx';
import { saveIdentitySignIn } from './identity-sign-in.ts';

interface IdentityFormProps {
  site: string;
  /** Path to open after the sign-in. */
  next: string;
}

/** Redirects the browser to the identity manager of a site. */
export function IdentityForm({ site, next }: IdentityFormProps) {
  const begin = useWrite('beginIdentitySignIn', beginIdentitySignInMutation());
  const form = useForm({ resolver: zodResolver(zBeginIdentitySignIn), defaultValues: { site } });
  return (
    <Form
      form={form}
      // Pending until the redirect.
      pending={begin.isPending || begin.isSuccess}
      error={begin.error}
      submitLabel="Continue"
      onSubmit={(body) =>
        begin.mutate(
          { body },
          {
            onSuccess({ url, state, secret }) {
              saveIdentitySignIn({ state, secret, next, site: body.site });
              location.assign(url);
            },
          },
        )
      }
    >
      <TextField
        control={form.control}
        name="site"
        label="Short name of the site"
        hint="Shown next to the site name in the console. Ask your administrator if you do not know it."
        autoComplete="organization"
      />
    </Form>
  );
}
