import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toServiceError } from '../../../api/errors.ts';
import { listEntriesAllHistory } from '../../../api/generated/sdk.gen.ts';
import type { EntryTypeVm } from '../../../api/generated/types.gen.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import type { Entry } from './-entry-query.ts';

/** An entry that is gone: deleted, or merged into another one, to which this leads. */
export function Gone({ type, entry }: { type: EntryTypeVm; entry: Entry }) {
  const { data, error, isFetching, isFetched, refetch } = useQuery({
    queryKey: [{ _id: 'listEntriesAllHistory', typeId: type.id, entryId: entry.id }],
    queryFn: async ({ signal }) => {
      const { data: changed } = await listEntriesAllHistory({
        path: { entryTypeId: String(type.id) },
        signal,
      });
      return changed.find(({ id }) => id === entry.id) ?? null;
    },
    // The interface tells it in the list of all changes of the type, which may be long: only when asked for.
    enabled: false,
  });
  const merged = data?.mergedEntryId ?? undefined;
  if (merged !== undefined)
    return (
      <Banner tone="info" title="This entry was merged">
        It went into{' '}
        <Link to="/entries/$type/$entryId" params={{ type: type.apiName, entryId: merged }}>
          entry {merged}
        </Link>
        , which stands in its place. Below are its values as they were then.
      </Banner>
    );
  return (
    <Banner
      tone="warn"
      title="This entry was deleted"
      actions={
        !isFetched && (
          <Button size="small" pending={isFetching} onClick={() => void refetch()}>
            Was it merged?
          </Button>
        )
      }
    >
      {error && `${toServiceError(error).message}. `}
      {isFetched && !error && 'It was not merged in the last 180 days; what was before is not told. '}
      Its values are those that it had then; calculated ones are as they would be now.
    </Banner>
  );
}
