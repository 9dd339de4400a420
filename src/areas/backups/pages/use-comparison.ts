import { useQueries } from '@tanstack/react-query';
import { toServiceError } from '../../../api/errors.ts';
import { readBackupContentsOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { compareMembers } from '../download/compare.ts';
import type { Backup } from '../download/list.ts';

// A file that is written never changes.
const contents = ({ fileName }: Backup) => ({
  ...readBackupContentsOptions({ path: { fileName } }),
  staleTime: Infinity,
});

/** What differs from one backup to a later one, by their manifests alone. */
export function useComparison(before: Backup, after: Backup) {
  const [old, young] = useQueries({ queries: [contents(before), contents(after)] });
  const changes = old.data && young.data && compareMembers(old.data.members, young.data.members);
  const error = old.error ?? young.error;
  return {
    changes,
    jumps: changes?.filter(({ jump }) => jump !== undefined) ?? [],
    error: error === null ? undefined : toServiceError(error),
    isFetching: old.isFetching || young.isFetching,
    retry: () => {
      if (old.error) void old.refetch();
      if (young.error) void young.refetch();
    },
  };
}
