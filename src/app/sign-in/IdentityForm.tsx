import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { ServiceError } from '../../api/errors.ts';
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

const STORAGE_FULL =
  'This browser cannot store the sign-in, because its storage is full or disabled. Clear the data of this site, then try again.';

/** Redirects the browser to the identity manager of a site. */
export function IdentityForm({ site, next }: IdentityFormProps) {
  const begin = useWrite('beginIdentitySignIn', beginIdentitySignInMutation());
  const [storageError, setStorageError] = useState<ServiceError>();
  const form = useForm({ resolver: zodResolver(zBeginIdentitySignIn), defaultValues: { site } });
  return (
    <Form
      form={form}
      // Pending until the redirect.
      pending={begin.isPending || (begin.isSuccess && !storageError)}
      error={storageError ?? begin.error}
      submitLabel="Continue"
      onSubmit={(body) =>
        begin.mutate(
          { body },
          {
            onSuccess({ url, state, secret }) {
              if (saveIdentitySignIn({ state, secret, next, site: body.site })) location.assign(url);
              else setStorageError(new ServiceError(500, STORAGE_FULL));
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
