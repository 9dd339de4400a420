import { zodResolver } from '@hookform/resolvers/zod';
import { useRouter } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import {
  createEntryTypeMutation,
  updateEntryTypeMutation,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { EntryTypeVm } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { useUnsavedGuard } from '../../../shell/unsaved.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { apiNameFor, typeSchema, typeValues } from './-type-form.ts';
import type { TypeValues } from './-type-form.ts';
import { useRereadSchema } from './-use-reread-schema.ts';

/** Creates an entry type over the list of types, or changes what one is called over its schema. */
export function TypePanel({ type }: { type?: EntryTypeVm }) {
  const router = useRouter();
  const { reason } = useAllowed(type ? 'updateEntryType' : 'createEntryType');
  const create = useWrite('createEntryType', createEntryTypeMutation());
  const update = useWrite('updateEntryType', updateEntryTypeMutation());
  const reread = useRereadSchema();
  const form = useForm({ resolver: zodResolver(typeSchema), defaultValues: typeValues(type) });
  useUnsavedGuard(form.formState.isDirty);
  const close = () =>
    type
      ? router.navigate({ to: '/entries/$type/schema', params: { type: type.apiName } })
      : router.navigate({ to: '/entries', search: {} });

  const submit = async (values: TypeValues) => {
    const saved = await (
      type
        ? update.mutateAsync({ path: { entryTypeId: String(type.id) }, body: values })
        : create.mutateAsync({ body: values })
    ).catch(() => undefined);
    if (!saved) return;
    await reread();
    toast({ title: type ? `${saved.pluralName} was saved` : `${saved.pluralName} was created` });
    await router.navigate({
      to: '/entries/$type/schema',
      params: { type: saved.apiName },
      search: {},
      ignoreBlocker: true,
    });
  };

  // The usual plural and the name for programs follow what is typed, until somebody writes their own.
  const suggest = (name: string) => {
    const { dirtyFields } = form.formState;
    if (type) return;
    if (!dirtyFields.pluralName) form.setValue('pluralName', name === '' ? '' : `${name}s`);
    if (!dirtyFields.apiName) form.setValue('apiName', apiNameFor(name));
  };

  return (
    <Panel title={type ? `Edit ${type.pluralName}` : 'New entry type'} onClose={() => void close()}>
      {/* Only what is typed into the one field is of interest here; the form has its own handlers. */}
      <div
        className="sch-panel"
        onChange={({ target }) => {
          if (target instanceof HTMLInputElement && target.name === 'singularName')
            suggest(target.value.trim());
        }}
      >
        <Form
          form={form}
          pending={form.formState.isSubmitting}
          error={create.error ?? update.error}
          submit={type ? 'Save' : 'Create entry type'}
          disabledReason={reason}
          onCancel={() => void close()}
          onSubmit={submit}
        >
          {/* The panel was opened to type. */}
          <TextField
            control={form.control}
            name="singularName"
            label="Name of one"
            placeholder="Company"
            maxLength={100}
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
          />
          <TextField
            control={form.control}
            name="pluralName"
            label="Name of several"
            placeholder="Companies"
            maxLength={100}
          />
          <TextField
            control={form.control}
            name="apiName"
            label="API name"
            maxLength={64}
            hint={
              type
                ? 'Programs and saved queries that use the old name no longer find the type.'
                : 'What programs call it: a letter, then letters, digits and underscores.'
            }
          />
        </Form>
      </div>
    </Panel>
  );
}
