import { zodResolver } from '@hookform/resolvers/zod';
import { useRouter } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { createPlatformSiteMutation } from '../../../api/generated/queries/platform.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Form, FormRow } from '../../../ui/form/Form.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { toast } from '../../../ui/toast.ts';
import { newSiteSchema, suggestSlug } from '../model/site-form.ts';
import type { NewSiteValues } from '../model/site-form.ts';

const EMPTY_VALUES: NewSiteValues = {
  slug: '',
  name: '',
  administrator: { email: '', firstName: '', lastName: '' },
};

/** Panel that creates a site with its first administrator and then opens its page. */
export function NewSitePanel() {
  const router = useRouter();
  const create = useWrite('createPlatformSite', createPlatformSiteMutation());
  const form = useForm({ resolver: zodResolver(newSiteSchema), defaultValues: EMPTY_VALUES });
  const { control, formState, getFieldState, setValue } = form;
  useUnsavedGuard(formState.isDirty);
  const close = () => void router.navigate({ to: '/sites' });

  const submit = async ({ administrator, ...site }: NewSiteValues) => {
    const { email, firstName, lastName } = administrator;
    const named = { ...(firstName && { firstName }), ...(lastName && { lastName }) };
    const body = { ...site, administrator: { email, ...named } };
    const created = await create.mutateAsync({ body }).catch(() => undefined);
    if (!created) return;
    toast({ title: `${created.name} was created` });
    await router.navigate({ to: '/sites/$siteId', params: { siteId: created.id }, ignoreBlocker: true });
  };

  return (
    <Panel title="New site" onClose={close}>
      <Form
        form={form}
        pending={formState.isSubmitting}
        error={create.error}
        submitLabel="Create site"
        onCancel={close}
        onSubmit={submit}
      >
        <div
          onBlur={({ target }) => {
            // A short name entered by the user is kept.
            if (!(target instanceof HTMLInputElement) || target.name !== 'name') return;
            if (!getFieldState('slug').isDirty) setValue('slug', suggestSlug(target.value));
          }}
        >
          <TextField control={control} name="name" label="Name" />
        </div>
        <TextField
          control={control}
          name="slug"
          label="Short name"
          hint="Used in commands and URLs; cannot be changed. Lower-case letters, digits and hyphens."
        />
        <TextField
          control={control}
          name="administrator.email"
          label="E-mail of the first administrator"
          type="email"
          hint="Existing users keep their account; new users get an e-mail with a link to set a password."
        />
        <FormRow>
          <TextField control={control} name="administrator.firstName" label="First name" optional />
          <TextField control={control} name="administrator.lastName" label="Last name" optional />
        </FormRow>
      </Form>
    </Panel>
  );
}
