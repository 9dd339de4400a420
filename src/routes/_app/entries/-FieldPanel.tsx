import { zodResolver } from '@hookform/resolvers/zod';
import { useMemo } from 'react';
import { useForm } from 'react-hook-form';
import {
  createFieldMutation,
  updateFieldMutation,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { EntryTypeVm } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import type { Field, Schema } from '../../../entries/schema.ts';
import { useUnsavedGuard } from '../../../shell/unsaved.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { changesOf, fieldSchema, infoOf, onControls, valuesOf } from './-field-form.ts';
import type { FieldValues } from './-field-form.ts';
import { FieldFields } from './-FieldFields.tsx';
import { apiNameFor } from './-type-form.ts';
import { confirmDiscard } from '../../../ui/dialog/confirm.ts';

interface FieldPanelProps {
  /** Undefined for a new one. */
  field: Field | undefined;
  type: EntryTypeVm;
  fields: readonly Field[];
  schema: Schema;
  onClose: () => Promise<void>;
}

/** Creates a field of a type, or changes one, over the schema. */
export function FieldPanel({ field, type, fields, schema, onClose }: FieldPanelProps) {
  const { reason } = useAllowed(field ? 'updateField' : 'createField');
  const create = useWrite('createField', createFieldMutation());
  const update = useWrite('updateField', updateFieldMutation());
  const before = valuesOf(field, schema.fieldById);
  const form = useForm<FieldValues, unknown, FieldValues>({
    resolver: zodResolver(fieldSchema),
    defaultValues: before,
  });
  const { isDirty, isSubmitting } = form.formState;
  useUnsavedGuard(isDirty);
  const thrown = create.error ?? update.error;
  // A form takes an error once: it must be the same object as long as it is the same error.
  const error = useMemo(() => (thrown === null ? undefined : onControls(thrown)), [thrown]);
  const mayClose = () => (isDirty ? confirmDiscard() : Promise.resolve(true));

  const submit = async (values: FieldValues) => {
    const info = infoOf(values, fields);
    const saved = await (
      field
        ? update.mutateAsync({ path: { fieldId: field.id }, body: changesOf(infoOf(before, fields), info) })
        : create.mutateAsync({ path: { entryTypeId: String(type.id) }, body: info })
    ).catch(() => undefined);
    if (!saved) return;
    toast({ title: field ? `${saved.name} was saved` : `${saved.name} was created` });
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
          submit={field ? 'Save' : 'Create field'}
          disabledReason={reason}
          onCancel={() => void mayClose().then((may) => (may ? onClose() : undefined))}
          onSubmit={submit}
        >
          <FieldFields control={form.control} {...{ field, type, fields, schema }} />
        </Form>
      </div>
    </Panel>
  );
}
