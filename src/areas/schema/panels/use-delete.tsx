import { useRouter } from '@tanstack/react-router';
import type { EntryTypeVm } from '../../../../contract/generated/types.gen.ts';
import { deleteEntryType, deleteField } from '../../../api/generated/sdk/schema.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { confirmIrreversible } from '../../../ui/dialog/confirm-irreversible.tsx';
import { toast } from '../../../ui/toast.ts';
import type { Field, Schema } from '../../entries/index.ts';
import { ImpactList } from './ImpactList.tsx';

/** Returns a function that deletes a field after a confirmation. */
export function useDeleteField() {
  const removal = useWrite('deleteField', {
    mutationFn: (fieldId: number) => deleteField({ path: { fieldId } }),
  });
  return async (field: Field, type: EntryTypeVm, schema: Schema): Promise<void> => {
    const entries = type.entryCount ?? 0;
    const done = await confirmIrreversible({
      title: `Delete the field ${field.name}?`,
      irreversible:
        entries === 0
          ? `The field cannot be restored. ${type.pluralName} have no entries, so no values are lost.`
          : `Its values in up to ${pluralize(entries, 'entry', 'entries')} are deleted and cannot be restored.`,
      breaks: `Queries, saved views and programs that use ${field.apiName} no longer work.`,
      affects: `Everyone who works with ${type.pluralName}, and programs that read or write them.`,
      details: <ImpactList {...{ type, field, schema }} change={undefined} />,
      action: 'Delete field',
      expectedText: field.apiName,
      run: () => removal.mutateAsync(field.id),
    });
    if (done) toast({ title: `${field.name} was deleted` });
  };
}

/** Returns a function that deletes an entry type after a confirmation. The service refuses if it has entries or is referred to. */
export function useDeleteType(schema: Schema) {
  const router = useRouter();
  const removal = useWrite('deleteEntryType', {
    async mutationFn(type: EntryTypeVm) {
      await deleteEntryType({ path: { entryTypeId: String(type.id) } });
      // Leaves the page of the type before it reloads the deleted resource.
      await router.navigate({ to: '/entries', search: {} });
    },
  });
  return async (type: EntryTypeVm): Promise<void> => {
    const entries = type.entryCount ?? 0;
    const done = await confirmIrreversible({
      title: `Delete the entry type ${type.pluralName}?`,
      irreversible:
        entries > 0
          ? `It has ${pluralize(entries, 'entry', 'entries')}. Only a type without entries can be deleted.`
          : 'Its fields are deleted with it. It cannot be restored.',
      breaks: `Queries, saved views and programs that use ${type.apiName} no longer work.`,
      affects: `Everyone who works with ${type.pluralName}, and programs that read or write them.`,
      details: <ImpactList {...{ type, schema }} field={undefined} change={undefined} />,
      action: 'Delete entry type',
      expectedText: type.apiName,
      run: () => removal.mutateAsync(type),
    });
    if (done) toast({ title: `${type.pluralName} was deleted` });
  };
}
