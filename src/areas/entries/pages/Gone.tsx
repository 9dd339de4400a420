import { useQuery } from '@tanstack/react-query';
import { Undo2 } from 'lucide-react';
import { toServiceError } from '../../../api/errors.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import type { EntryTypeVm } from '../../../api/generated/types.gen.ts';
import { EntryName } from '../merge/EntryName.tsx';
import { lockedReason } from '../editing/rules.ts';
import { changesOf, stageCells } from '../editing/store.ts';
import type { Field } from '../model/schema.ts';
import { valueIn } from '../model/values.ts';
import { lineageQuery } from '../merge/lineage.ts';
import { Who } from '../history/Who.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import type { Entry } from './entry-query.ts';
import { restoreEntries } from '../../../api/generated/sdk.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import '../history/time.css';

const THEN = 'Below are the values that it had then; calculated ones are as they would be now.';

/** How an entry went: a merged one lives on in another one. */
export function GoneBadge({ type, entryId }: { type: EntryTypeVm; entryId: number }) {
  const { data, isPending } = useQuery(lineageQuery(type.id, entryId));
  if (isPending) return null;
  const isMerged = data !== undefined && data.wentInto.length > 0;
  return <Badge tone={isMerged ? 'info' : 'bad'}>{isMerged ? 'Merged' : 'Deleted'}</Badge>;
}

interface GoneProps {
  type: EntryTypeVm;
  entry: Entry;
  fields: readonly Field[];
}

/** Stages another entry with what this one held: it gets an id of its own, and nothing refers to it. */
function MakeAgain({ type, entry, fields }: GoneProps) {
  const { reason } = useAllowed('updateEntries');
  const make = () => {
    const entryId = Math.min(0, ...changesOf(type.id).cells.keys()) - 1;
    const cells = fields
      .filter((field) => lockedReason(field) === undefined)
      .map((field) => ({
        entryId,
        entryName: entry.name,
        fieldId: field.id,
        before: undefined,
        value: valueIn(entry.row, field),
      }));
    stageCells(type.id, cells, `Make ${entry.name} again`);
    toast({
      title: `${entry.name} is staged as a new entry`,
      description: 'It is made when you save the changes. Files are uploaded again.',
    });
  };
  return (
    <Button size="small" disabledReason={reason} onClick={make}>
      Make a new entry of it
    </Button>
  );
}

/** How it comes back as itself, for whoever is no administrator: for programs a deletion is final (spec 4.4). */
function RestoreWords({ type, entry }: Pick<GoneProps, 'type' | 'entry'>) {
  const { site } = useSession();
  const command = `npm run --silent admin -- entry restore ${type.apiName} ${entry.id} --site ${site.slug}`;
  return (
    <p className="ent-restore">
      Whoever runs the service can bring it back with its id and its history: <code>{command}</code>{' '}
      <CopyButton value={command} label="Copy the command" />
    </p>
  );
}

const nameOf = ({ id, name }: { id: number; name: string }): string =>
  name.trim() === '' ? `Entry ${id}` : name;

/** An entry that is gone: deleted, or merged into another one, to which this leads. */
export function Gone({ type, entry, fields }: GoneProps) {
  const bringsBack = useBringsBack();
  const { data, error } = useQuery(lineageQuery(type.id, entry.id));
  const [next, ...further] = data?.wentInto ?? [];
  if (!next)
    return (
      <Banner
        tone="warn"
        title="This entry was deleted"
        actions={
          <>
            {bringsBack && <BringBack {...{ type, entry }} into={undefined} />}
            <MakeAgain {...{ type, entry, fields }} />
          </>
        }
      >
        {data?.deleted !== undefined && (
          <>
            <Who {...(data.deletedBy && { by: data.deletedBy })} />, <Moment at={data.deleted} />.{' '}
          </>
        )}
        {error && `When and by whom could not be read: ${toServiceError(error).message}. `}
        {THEN}
        {!bringsBack && <RestoreWords {...{ type, entry }} />}
      </Banner>
    );
  const last = further.at(-1);
  return (
    <Banner
      tone="info"
      title="This entry was merged"
      actions={bringsBack && <BringBack {...{ type, entry }} into={nameOf(last ?? next)} />}
    >
      <Who {...(next.by && { by: next.by })} />, <Moment at={next.at} />: it went into{' '}
      <span className="tm-words">
        <EntryName entry={next} />
        {last && (
          <>
            , which went into <EntryName entry={last} />
          </>
        )}
      </span>
      {(last ?? next).isDeleted
        ? ', which was deleted since. '
        : '. What referred to it refers to that one now. '}
      {THEN}
    </Banner>
  );
}

interface BringBackProps {
  type: EntryTypeVm;
  entry: { id: number; name: string };
  /** The entry that it went into; undefined: it was deleted. */
  into: string | undefined;
}

/** Whether this person brings deleted entries back. */
const useBringsBack = (): boolean => {
  const { allowed } = useAllowed('restoreEntries');
  const { allowed: writes } = useAllowed('updateEntries');
  return allowed && writes;
};

/** An administrator brings an entry back, with its id and its history. */
function BringBack({ type, entry, into }: BringBackProps) {
  const restoring = useWrite('restoreEntries', {
    mutationFn: () => restoreEntries({ path: { entryTypeId: String(type.id) }, body: [entry.id] }),
  });
  const ask = async () => {
    const done = await confirm({
      title: `Bring ${entry.name} back?`,
      body:
        into === undefined
          ? 'It comes back with its id, its history and what it held. What referred to it before does not do so again, and fields that were deleted since stay gone.'
          : `It comes back with its id, its history and what it held, and ${into} stays as it is. What referred to it goes on referring to ${into}.`,
      action: 'Bring it back',
      async run() {
        const { data } = await restoring.mutateAsync(undefined);
        if (data.restored.length === 0) throw new Error('It is not deleted any more');
      },
    });
    if (done) toast({ title: `${entry.name} is back`, tone: 'ok' });
  };
  return (
    <Button size="small" icon={Undo2} onClick={() => void ask()}>
      Bring it back
    </Button>
  );
}
