import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Undo2 } from 'lucide-react';
import type { EntryTypeVm, NamedEntryVm } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { restoreEntries } from '../../../api/generated/sdk/entry-history.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { endSentence } from '../../../lib/text/sentences.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { toast } from '../../../ui/toast.ts';
import { getChangeSet, stageCells } from '../editing/change-set-store.ts';
import { getLockedReason } from '../editing/value-rules.ts';
import { ActorName } from '../history/ActorName.tsx';
import { lineageQuery } from '../history/history-queries.ts';
import type { Field } from '../model/schema.ts';
import { getValue } from '../model/values.ts';
import type { Entry } from './entry-query.ts';
import '../history/history.css';

/** Link to an entry by its name; deleted entries have a page as well. */
export function EntryNameLink({ entry }: { entry: NamedEntryVm }) {
  return (
    <Link to="/entries/$type/$entryId" params={{ type: String(entry.entryListId), entryId: entry.id }}>
      <bdi>{entry.name.trim() === '' ? `Entry ${entry.id}` : entry.name}</bdi>
    </Link>
  );
}

const VALUES_NOTE = 'The values below are those it had then; calculated values are current.';

/** Badge of a deleted entry: deleted, or merged into another one. */
export function DeletedBadge({ type, entryId }: { type: EntryTypeVm; entryId: number }) {
  const { data, isPending } = useQuery(lineageQuery(type.id, entryId));
  if (isPending) return null;
  const isMerged = data !== undefined && data.wentInto.length > 0;
  return <Badge tone={isMerged ? 'info' : 'bad'}>{isMerged ? 'Merged' : 'Deleted'}</Badge>;
}

interface DeletedEntryProps {
  type: EntryTypeVm;
  entry: Entry;
  fields: readonly Field[];
}

/** Stages a new entry with the values of the deleted one. It gets another id, and references are not restored. */
function RecreateButton({ type, entry, fields }: DeletedEntryProps) {
  const { reason } = usePermission('updateEntries');
  const recreate = () => {
    const entryId = Math.min(0, ...getChangeSet(type.id).cells.keys()) - 1;
    const cells = fields
      .filter((field) => getLockedReason(field) === undefined)
      .map((field) => ({
        entryId,
        entryName: entry.name,
        fieldId: field.id,
        before: undefined,
        value: getValue(entry.row, field),
      }));
    stageCells(type.id, cells, `Recreate ${entry.name}`);
    toast({
      title: `${entry.name} is staged as a new entry`,
      description: 'It is created when you save the changes. Files have to be uploaded again.',
    });
  };
  return (
    <Button size="small" disabledReason={reason} onClick={recreate}>
      Create a new entry from it
    </Button>
  );
}

/** Command that restores the entry, for users who are no administrators: over the API a deletion is final (spec 4.4). */
function RestoreCommand({ type, entry }: Pick<DeletedEntryProps, 'type' | 'entry'>) {
  const { site } = useSession();
  const command = `steward entry restore ${type.apiName} ${entry.id} --site ${site.slug}`;
  return (
    <p className="ent-restore">
      The operator of the service can restore it with its id and its history: <code>{command}</code>{' '}
      <CopyButton value={command} label="Copy the command" />
    </p>
  );
}

const formatEntryLabel = ({ id, name }: { id: number; name: string }): string =>
  name.trim() === '' ? `Entry ${id}` : name;

/** Banner of an entry that was deleted, or merged into another one, with a link to that one. */
export function DeletedEntryBanner({ type, entry, fields }: DeletedEntryProps) {
  const canRestore = useCanRestore();
  const { data, error } = useQuery(lineageQuery(type.id, entry.id));
  const [next, ...further] = data?.wentInto ?? [];
  if (!next)
    return (
      <Banner
        tone="warn"
        title="This entry was deleted"
        actions={
          <>
            {canRestore && <RestoreButton {...{ type, entry }} mergedInto={undefined} />}
            <RecreateButton {...{ type, entry, fields }} />
          </>
        }
      >
        {data?.deleted !== undefined && (
          <>
            <ActorName {...(data.deletedBy && { by: data.deletedBy })} />, <Timestamp at={data.deleted} />
            .{' '}
          </>
        )}
        {error && `When and by whom could not be loaded: ${endSentence(toServiceError(error).message)} `}
        {VALUES_NOTE}
        {!canRestore && <RestoreCommand {...{ type, entry }} />}
      </Banner>
    );
  const last = further.at(-1);
  return (
    <Banner
      tone="info"
      title="This entry was merged"
      actions={
        canRestore && <RestoreButton {...{ type, entry }} mergedInto={formatEntryLabel(last ?? next)} />
      }
    >
      <ActorName {...(next.by && { by: next.by })} />, <Timestamp at={next.at} />: merged into{' '}
      <span className="tm-inline">
        <EntryNameLink entry={next} />
        {last && (
          <>
            , which was merged into <EntryNameLink entry={last} />
          </>
        )}
      </span>
      {(last ?? next).isDeleted
        ? ', which has been deleted since. '
        : '. References to it were moved to that entry. '}
      {VALUES_NOTE}
    </Banner>
  );
}

interface RestoreButtonProps {
  type: EntryTypeVm;
  entry: { id: number; name: string };
  /** Name of the entry it was merged into; undefined if it was deleted. */
  mergedInto: string | undefined;
}

/** Whether the user may restore deleted entries. */
const useCanRestore = (): boolean => {
  const { allowed: canRestore } = usePermission('restoreEntries');
  const { allowed: canWrite } = usePermission('updateEntries');
  return canRestore && canWrite;
};

/** Restores a deleted entry with its id and its history; for administrators. */
function RestoreButton({ type, entry, mergedInto }: RestoreButtonProps) {
  const restoring = useWrite('restoreEntries', {
    mutationFn: () => restoreEntries({ path: { entryTypeId: String(type.id) }, body: [entry.id] }),
  });
  const restore = async () => {
    const isDone = await confirm({
      title: `Restore ${entry.name}?`,
      body:
        mergedInto === undefined
          ? 'It is restored with its id, its history and its values. References to it are not restored, nor are fields deleted since.'
          : `It is restored with its id, its history and its values, and ${mergedInto} stays unchanged. References that were moved to ${mergedInto} stay there.`,
      action: 'Restore entry',
      async run() {
        const { data } = await restoring.mutateAsync(undefined);
        if (data.restored.length === 0) throw new Error('The entry is no longer deleted');
      },
    });
    if (isDone) toast({ title: `${entry.name} was restored`, tone: 'ok' });
  };
  return (
    <Button size="small" icon={Undo2} onClick={() => void restore()}>
      Restore entry
    </Button>
  );
}
