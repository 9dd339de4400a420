import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import type { Session } from '../../../contract/generated/types.gen.ts';
import { createFirstAdministratorMutation } from '../../api/generated/queries/session.gen.ts';
import { zFirstAdministratorRequest } from '../../api/generated/zod.gen.ts';
import { useWrite } from '../../api/write.ts';
import { Form, FormRow } from '../../ui/form/Form.tsx';
import { PasswordField } from '../../ui/form/PasswordField.tsx';
import { TextField } from '../../ui/form/TextField.tsx';

interface FirstAdministratorFormProps {
  token: string;
  onDone: (session: Session) => void;
}

/** Creates the first administrator of an installation; uses up the link of the first start. */
export function FirstAdministratorForm({ token, onDone }: FirstAdministratorFormProps) {
  const create = useWrite('createFirstAdministrator', createFirstAdministratorMutation());
  const form = useForm({
    resolver: zodResolver(zFirstAdministratorRequest),
    defaultValues: { token, email: '', firstName: '', lastName: '', password: '' },
  });
  const { control } = form;
  return (
    <Form
      form={form}
      pending={create.isPending}
      error={create.error}
      submitLabel="Create and sign in"
      onSubmit={(body) => create.mutate({ body }, { onSuccess: onDone })}
    >
      <FormRow>
        <TextField control={control} name="firstName" label="First name" autoComplete="given-name" />
        <TextField control={control} name="lastName" label="Last name" autoComplete="family-name" />
      </FormRow>
      <TextField control={control} name="email" label="E-mail" type="email" autoComplete="username" />
      <PasswordField
        control={control}
        name="password"
        label="Password"
        hint="At least 12 characters. A few words are good."
        autoComplete="new-password"
      />
    </Form>
  );
}
