import { useQuery } from '@tanstack/react-query';
import { toServiceError } from '../../../api/errors.ts';
import type { EntryTypeVm } from '../../../api/generated/types.gen.ts';
import { EntryName } from '../../../entries/merge/EntryName.tsx';
import { lineageQuery } from '../../../entries/merge/lineage.ts';
import { Who } from '../../../entries/time/Who.tsx';
import '../../../entries/time/time.css';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';

const THEN = 'Below are the values that it had then; calculated ones are as they would be now.';

/** How an entry went: a merged one lives on in another one. */
export function GoneBadge({ type, entryId }: { type: EntryTypeVm; entryId: number }) {
  const { data, isPending } = useQuery(lineageQuery(type.id, entryId));
  if (isPending) return null;
  const isMerged = data !== undefined && data.wentInto.length > 0;
  return <Badge tone={isMerged ? 'info' : 'bad'}>{isMerged ? 'Merged' : 'Deleted'}</Badge>;
}

/** An entry that is gone: deleted, or merged into another one, to which this leads. */
export function Gone({ type, entryId }: { type: EntryTypeVm; entryId: number }) {
  const { data, error } = useQuery(lineageQuery(type.id, entryId));
  const [next, ...further] = data?.wentInto ?? [];
  if (!next)
    return (
      <Banner tone="warn" title="This entry was deleted">
        {data?.deleted !== undefined && (
          <>
            <Who {...(data.deletedBy && { by: data.deletedBy })} />, <Moment at={data.deleted} />.{' '}
          </>
        )}
        {error && `When and by whom could not be read: ${toServiceError(error).message}. `}
        {THEN}
      </Banner>
    );
  const last = further.at(-1);
  return (
    <Banner tone="info" title="This entry was merged">
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
