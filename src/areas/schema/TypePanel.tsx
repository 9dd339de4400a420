import { zodResolver } from '@hookform/resolvers/zod';
import { useRouter } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { useState } from 'react';
import { ServiceError } from '../../api/errors.ts';
import { createEntryTypeMutation } from '../../api/generated/@tanstack/react-query.gen.ts';
import { getEntryType, updateEntryType } from '../../api/generated/sdk.gen.ts';
import type { EntryTypeVm } from '../../api/generated/types.gen.ts';
import { useAllowed } from '../../api/session.ts';
import { tagged } from '../../api/tagged.ts';
import { useWrite } from '../../api/write.ts';
import { useUnsavedGuard } from '../../ui/form/unsaved.ts';
import { Panel } from '../../ui/dialog/Panel.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { toast } from '../../ui/feedback/toast.ts';
import { Form } from '../../ui/form/Form.tsx';
import { TextField } from '../../ui/form/TextField.tsx';
import { apiNameFor, typeSchema, typeValues } from './type-form.ts';
import type { TypeValues } from './type-form.ts';
import { useRereadSchema } from './use-reread-schema.ts';

const sameNames = (a: TypeValues, b: TypeValues): boolean =>
  a.apiName === b.apiName && a.singularName === b.singularName && a.pluralName === b.pluralName;

/** Creates an entry type over the list of types, or changes what one is called over its schema. */
export function TypePanel({ type }: { type?: EntryTypeVm }) {
  const router = useRouter();
  const { reason } = useAllowed(type ? 'updateEntryType' : 'createEntryType');
  const create = useWrite('createEntryType', createEntryTypeMutation());
  const [theirs, setTheirs] = useState<EntryTypeVm>();
  const update = useWrite('updateEntryType', {
    async mutationFn({ id, body }: { id: number; body: TypeValues }) {
      const path = { entryTypeId: String(id) };
      // What is changed is what was in view; where it is otherwise by now, nobody's names are written over unseen.
      const now = tagged(await getEntryType({ path }));
      const seen = theirs ?? type;
      if (seen && !sameNames(now.data, seen)) {
        setTheirs(now.data);
        throw new ServiceError(412, 'Somebody else changed the names of this type');
      }
      const headers = now.etag === undefined ? {} : { 'If-Match': now.etag };
      return (await updateEntryType({ path, body, headers })).data;
    },
  });
  const reread = useRereadSchema();
  const form = useForm({ resolver: zodResolver(typeSchema), defaultValues: typeValues(type) });
  useUnsavedGuard(form.formState.isDirty);
  const close = () =>
    type
      ? router.navigate({ to: '/entries/$type/schema', params: { type: type.apiName } })
      : router.navigate({ to: '/entries', search: {} });

  const submit = async (values: TypeValues) => {
    const saved = await (
      type ? update.mutateAsync({ id: type.id, body: values }) : create.mutateAsync({ body: values })
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
          error={create.error ?? (theirs && update.error?.status === 412 ? null : update.error)}
          submit={type ? 'Save' : 'Create entry type'}
          disabledReason={reason}
          onCancel={() => void close()}
          onSubmit={submit}
        >
          {theirs && (
            <Banner tone="warn" title="Somebody else changed the names while you were typing">
              They are {theirs.singularName}, {theirs.pluralName} and {theirs.apiName} now. What you typed
              stands below and takes their place when you save again.
            </Banner>
          )}
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
