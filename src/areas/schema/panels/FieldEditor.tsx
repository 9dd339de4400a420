import { zodResolver } from '@hookform/resolvers/zod';
import { useMemo, useState } from 'react';
import { useForm } from 'react-hook-form';
import type { EntryTypeVm, FieldInfo } from '../../../../contract/generated/types.gen.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { createFieldMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { updateField } from '../../../api/generated/sdk.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { confirmDiscard } from '../../../ui/dialog/confirm.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { toast } from '../../../ui/toast.ts';
import type { Field, Schema } from '../../entries/index.ts';
import {
  getFieldChanges,
  fieldSchema,
  toFieldInfo,
  toFormError,
  toFieldValues,
  mergeValues,
  formatChangedProperties,
  loadField,
  suggestApiName,
} from '../model/schema-forms.ts';
import type { FieldValues } from '../model/schema-forms.ts';
import { FieldFields } from './FieldFields.tsx';

interface FieldVersion {
  field: Field;
  etag: string | undefined;
}

export interface FieldEditorProps {
  type: EntryTypeVm;
  fields: readonly Field[];
  schema: Schema;
  onClose: () => Promise<void>;
  /** The field when editing started; undefined for a new field. */
  start: FieldVersion | undefined;
}

interface FieldUpdate extends FieldVersion {
  body: FieldInfo;
}

const isStale = (error: unknown): boolean => error instanceof ServiceError && error.status === 412;

/** Form of a field. If another user saved the field first, both changes are merged and shown before saving again. */
export function FieldEditor({ start, type, fields, schema, onClose }: FieldEditorProps) {
  const { reason } = usePermission(start ? 'updateField' : 'createField');
  const [base, setBase] = useState(start);
  const [otherChanges, setOtherChanges] = useState<string>();
  const [reloadError, setReloadError] = useState<ServiceError | null>(null);
  const create = useWrite('createField', createFieldMutation());
  const update = useWrite('updateField', {
    mutationFn: async ({ field, etag, body }: FieldUpdate) => {
      const headers = etag === undefined ? {} : { 'If-Match': etag };
      return (await updateField({ path: { fieldId: field.id }, body, headers })).data;
    },
  });
  const field = base?.field;
  const before = toFieldValues(field, schema.fieldById);
  const form = useForm<FieldValues, unknown, FieldValues>({
    resolver: zodResolver(fieldSchema),
    defaultValues: before,
  });
  const { isDirty, isSubmitting } = form.formState;
  useUnsavedGuard(isDirty);
  const thrown = create.error ?? (isStale(update.error) ? reloadError : update.error);
  // The form shows each error object once, so the object must be stable.
  const error = useMemo(() => (thrown === null ? undefined : toFormError(thrown)), [thrown]);
  const mayClose = () => (isDirty ? confirmDiscard() : Promise.resolve(true));

  const mergeOtherChanges = async (mine: FieldValues, fieldId: number) => {
    const stored = await loadField(fieldId);
    const saved = toFieldValues(stored.field, schema.fieldById);
    setOtherChanges(formatChangedProperties(before, saved));
    setBase(stored);
    const merged = mergeValues(before, mine, saved);
    form.reset(saved);
    form.reset(merged, { keepDefaultValues: true });
  };

  const send = (values: FieldValues) => {
    const info = toFieldInfo(values);
    if (!base) return create.mutateAsync({ path: { entryTypeId: String(type.id) }, body: info });
    return update.mutateAsync({ ...base, body: getFieldChanges(toFieldInfo(before), info) });
  };
  const submit = async (values: FieldValues) => {
    setReloadError(null);
    try {
      const saved = await send(values);
      toast({ title: field ? `${saved.name} was saved` : `${saved.name} was created` });
    } catch (why) {
      if (isStale(why) && field)
        await mergeOtherChanges(values, field.id).catch((failed: unknown) =>
          setReloadError(toServiceError(failed)),
        );
      return;
    }
    form.reset(values);
    await onClose();
  };

  return (
    <Panel
      title={field ? `Edit ${field.name}` : `New field of ${type.pluralName}`}
      confirmClose={mayClose}
      onClose={() => void onClose()}
    >
      <div
        className="sch-panel"
        onChange={({ target }) => {
          if (field || !(target instanceof HTMLInputElement) || target.name !== 'name') return;
          if (!form.formState.dirtyFields.apiName) form.setValue('apiName', suggestApiName(target.value));
        }}
      >
        <Form
          form={form}
          pending={isSubmitting}
          error={error}
          submitLabel={field ? (otherChanges === undefined ? 'Save' : 'Save both') : 'Create field'}
          disabledReason={reason}
          onCancel={() => void mayClose().then((may) => (may ? onClose() : undefined))}
          onSubmit={submit}
        >
          {otherChanges !== undefined && (
            <Banner tone="warn" title="Another user changed this field in the meantime">
              They changed {otherChanges}. Your changes are not saved yet. The form contains both; where both
              of you changed the same property, it contains your value. Review it, then save.
            </Banner>
          )}
          <FieldFields control={form.control} {...{ field, type, fields, schema }} />
        </Form>
      </div>
    </Panel>
  );
}
