import { zodResolver } from '@hookform/resolvers/zod';
import { useMemo, useState } from 'react';
import { useForm } from 'react-hook-form';
import { ServiceError, toServiceError } from '../../api/errors.ts';
import { createFieldMutation } from '../../api/generated/@tanstack/react-query.gen.ts';
import { updateField } from '../../api/generated/sdk.gen.ts';
import type { EntryTypeVm, FieldInfo } from '../../api/generated/types.gen.ts';
import { useAllowed } from '../../api/session.ts';
import { useWrite } from '../../api/write.ts';
import type { Field, Schema } from '../entries/model/schema.ts';
import { useUnsavedGuard } from '../../ui/form/unsaved.ts';
import { confirmDiscard } from '../../ui/dialog/confirm.ts';
import { Panel } from '../../ui/dialog/Panel.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { toast } from '../../ui/feedback/toast.ts';
import { Form } from '../../ui/form/Form.tsx';
import { changesOf, fieldSchema, infoOf, onControls, valuesOf } from './field-form.ts';
import type { FieldValues } from './field-form.ts';
import { mergeValues, theirChanges } from './field-merge.ts';
import { FieldFields } from './FieldFields.tsx';
import { readField } from './read-field.ts';
import { apiNameFor } from './type-form.ts';

interface Start {
  field: Field;
  etag: string | undefined;
}

export interface FieldEditorProps {
  type: EntryTypeVm;
  fields: readonly Field[];
  schema: Schema;
  onClose: () => Promise<void>;
  /** The field as it was when editing began; undefined for a new one. */
  start: Start | undefined;
}

interface Change extends Start {
  body: FieldInfo;
}

const isStale = (error: unknown): boolean => error instanceof ServiceError && error.status === 412;

/** The form of a field. Where somebody else was quicker, nothing typed is lost: both changes are joined and shown. */
export function FieldEditor({ start, type, fields, schema, onClose }: FieldEditorProps) {
  const { reason } = useAllowed(start ? 'updateField' : 'createField');
  const [base, setBase] = useState(start);
  const [theirs, setTheirs] = useState<string>();
  const [unread, setUnread] = useState<ServiceError | null>(null);
  const create = useWrite('createField', createFieldMutation());
  const update = useWrite('updateField', {
    mutationFn: async ({ field, etag, body }: Change) => {
      const headers = etag === undefined ? {} : { 'If-Match': etag };
      return (await updateField({ path: { fieldId: field.id }, body, headers })).data;
    },
  });
  const field = base?.field;
  const before = valuesOf(field, schema.fieldById);
  const form = useForm<FieldValues, unknown, FieldValues>({
    resolver: zodResolver(fieldSchema),
    defaultValues: before,
  });
  const { isDirty, isSubmitting } = form.formState;
  useUnsavedGuard(isDirty);
  const thrown = create.error ?? (isStale(update.error) ? unread : update.error);
  // A form takes an error once: it must be the same object as long as it is the same error.
  const error = useMemo(() => (thrown === null ? undefined : onControls(thrown)), [thrown]);
  const mayClose = () => (isDirty ? confirmDiscard() : Promise.resolve(true));

  const meetTheirs = async (mine: FieldValues, fieldId: number) => {
    const found = await readField(fieldId);
    const saved = valuesOf(found.field, schema.fieldById);
    setTheirs(theirChanges(before, saved));
    setBase(found);
    const merged = mergeValues(before, mine, saved);
    form.reset(saved);
    form.reset(merged, { keepDefaultValues: true });
  };

  const send = (values: FieldValues) => {
    const info = infoOf(values, fields);
    if (!base) return create.mutateAsync({ path: { entryTypeId: String(type.id) }, body: info });
    return update.mutateAsync({ ...base, body: changesOf(infoOf(before, fields), info) });
  };
  const submit = async (values: FieldValues) => {
    setUnread(null);
    try {
      const saved = await send(values);
      toast({ title: field ? `${saved.name} was saved` : `${saved.name} was created` });
    } catch (why) {
      if (isStale(why) && field)
        await meetTheirs(values, field.id).catch((failed: unknown) => setUnread(toServiceError(failed)));
      return;
    }
    form.reset(values);
    await onClose();
  };

  return (
    <Panel
      title={field ? `Edit ${field.name}` : `New field of ${type.pluralName}`}
      mayClose={mayClose}
      onClose={() => void onClose()}
    >
      <div
        className="sch-panel"
        onChange={({ target }) => {
          if (field || !(target instanceof HTMLInputElement) || target.name !== 'name') return;
          if (!form.formState.dirtyFields.apiName) form.setValue('apiName', apiNameFor(target.value));
        }}
      >
        <Form
          form={form}
          pending={isSubmitting}
          error={error}
          submit={field ? (theirs === undefined ? 'Save' : 'Save both') : 'Create field'}
          disabledReason={reason}
          onCancel={() => void mayClose().then((may) => (may ? onClose() : undefined))}
          onSubmit={submit}
        >
          {theirs !== undefined && (
            <Banner tone="warn" title="Somebody else changed this field while you were typing">
              They changed {theirs}. Nothing of yours is saved yet. What you typed stands below, together with
              their changes; where both of you changed the same, yours stands. Look at it, then save.
            </Banner>
          )}
          <FieldFields control={form.control} {...{ field, type, fields, schema }} />
        </Form>
      </div>
    </Panel>
  );
}
