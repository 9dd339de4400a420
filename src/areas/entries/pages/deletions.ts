import { useRouter } from '@tanstack/react-router';
import { deleteEntryType, deleteField } from '../../../api/generated/sdk.gen.ts';
import type { EntryTypeVm } from '../../../api/generated/types.gen.ts';
import { useWrite } from '../../../api/write.ts';
import type { Field } from '../model/schema.ts';
import { counted } from '../../../lib/numbers.ts';
import { passOneWayDoor } from '../../../ui/dialog/one-way-door.tsx';
import { toast } from '../../../ui/feedback/toast.ts';

/** Deletes a field after asking; what still depends on it is told by the service in the dialog. */
export function useDeleteField() {
  const removal = useWrite('deleteField', {
    mutationFn: (fieldId: number) => deleteField({ path: { fieldId } }),
  });
  return async (field: Field, type: EntryTypeVm): Promise<void> => {
    const entries = type.entryCount ?? 0;
    const done = await passOneWayDoor({
      title: `Delete the field ${field.name}?`,
      final:
        entries === 0
          ? `The field cannot be brought back. ${type.pluralName} have no entries, so no values are lost.`
          : `Its values go with it, in up to ${counted(entries, 'entry', 'entries')}, and cannot be brought back.`,
      breaks: `Queries, saved views and programs that name ${field.apiName} no longer work.`,
      affects: `Whoever works with ${type.pluralName} here, and programs that read or write them.`,
      action: 'Delete field',
      typed: field.apiName,
      run: () => removal.mutateAsync(field.id),
    });
    if (done) toast({ title: `${field.name} was deleted` });
  };
}

/** Deletes a type after asking; the service refuses while it has entries or is referred to. */
export function useDeleteType() {
  const router = useRouter();
  const removal = useWrite('deleteEntryType', {
    async mutationFn(type: EntryTypeVm) {
      await deleteEntryType({ path: { entryTypeId: String(type.id) } });
      // Its page would read it again, and it is gone.
      await router.navigate({ to: '/entries', search: {} });
    },
  });
  return async (type: EntryTypeVm): Promise<void> => {
    const entries = type.entryCount ?? 0;
    const done = await passOneWayDoor({
      title: `Delete the entry type ${type.pluralName}?`,
      final:
        entries > 0
          ? `It has ${counted(entries, 'entry', 'entries')}. A type is deleted only when it has none.`
          : 'Its fields go with it. It cannot be brought back.',
      breaks: `Queries, saved views and programs that name ${type.apiName} no longer work.`,
      affects: `Whoever works with ${type.pluralName} here, and programs that read or write them.`,
      action: 'Delete entry type',
      typed: type.apiName,
      run: () => removal.mutateAsync(type),
    });
    if (done) toast({ title: `${type.pluralName} was deleted` });
  };
}
