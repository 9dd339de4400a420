import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { beginIdentitySignInMutation } from '../../api/generated/@tanstack/react-query.gen.ts';
import { zBeginIdentitySignIn } from '../../api/generated/zod.gen.ts';
import { useWrite } from '../../api/write.ts';
import { keepUnderWay } from './under-way.ts';
import { Form } from '../../ui/form/Form.tsx';
import { TextField } from '../../ui/form/TextField.tsx';

interface IdentityFormProps {
  site: string;
  /** Where to go once signed in. */
  next: string;
}

/** Sends the browser to the identity manager of a site. */
export function IdentityForm({ site, next }: IdentityFormProps) {
  const begin = useWrite('beginIdentitySignIn', beginIdentitySignInMutation());
  const form = useForm({ resolver: zodResolver(zBeginIdentitySignIn), defaultValues: { site } });
  return (
    <Form
      form={form}
      // The button goes on waiting until the other page is there.
      pending={begin.isPending || begin.isSuccess}
      error={begin.error}
      submit="Go on"
      onSubmit={(body) =>
        begin.mutate(
          { body },
          {
            onSuccess({ url, state, secret }) {
              keepUnderWay({ state, secret, next, site: body.site });
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
        hint="It stands beside the name of the site in the console; your administrator knows it."
        autoComplete="organization"
      />
    </Form>
  );
}
