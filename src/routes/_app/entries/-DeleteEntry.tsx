import { Trash2, Undo2 } from 'lucide-react';
import { useAllowed } from '../../../api/session.ts';
import type { EntryTypeVm } from '../../../api/generated/types.gen.ts';
import { deleteEntriesOf, keepEntriesOf, useChanges } from '../../../entries/editing/store.ts';
import type { Field } from '../../../entries/schema.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import type { Entry } from './-entry-query.ts';

interface DeleteEntryProps {
  type: EntryTypeVm;
  entry: Entry;
  fields: readonly Field[];
}

/** Stages that the entry goes: nothing is deleted before somebody has reviewed it. */
export function DeleteEntry({ type, entry, fields }: DeleteEntryProps) {
  const { reason } = useAllowed('deleteEntries');
  const goes = useChanges(type.id).deletions.has(entry.id);
  if (entry.isDeleted || goes) return null;
  const { id: entryId, name: entryName, row: seen } = entry;
  return (
    <Button
      icon={Trash2}
      disabledReason={reason}
      onClick={() =>
        deleteEntriesOf(
          type.id,
          [{ entryId, entryName, seen, fieldIds: fields.map(({ id }) => id) }],
          `Delete ${entryName}`,
        )
      }
    >
      Delete
    </Button>
  );
}

/** Says that the entry goes with the next save, and takes that back. */
export function GoesBanner({ type, entry }: Pick<DeleteEntryProps, 'type' | 'entry'>) {
  const goes = useChanges(type.id).deletions.has(entry.id);
  if (!goes || entry.isDeleted) return null;
  return (
    <Banner
      tone="warn"
      title="This entry is to be deleted"
      actions={
        <Button
          size="small"
          icon={Undo2}
          onClick={() => keepEntriesOf(type.id, [entry.id], `Keep ${entry.name}`)}
        >
          Keep it
        </Button>
      }
    >
      It is still there. It is deleted once you review what is staged and send it; what else is staged in it
      is not saved then.
    </Banner>
  );
}
