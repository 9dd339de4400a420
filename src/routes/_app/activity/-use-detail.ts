import { useQuery, useQueryClient } from '@tanstack/react-query';
import { toServiceError } from '../../../api/errors.ts';
import type { UserActivityQuery } from '../../../api/generated/types.gen.ts';
import { around, aroundQuery } from './-around.ts';
import type { Around } from './-around.ts';
import { serverNow } from './-clock.ts';
import { LARGEST_PAGE, readNewest } from './-data.ts';
import type { Place } from './-place.ts';
import { addressOf } from './-row.ts';
import type { ActivityRow } from './-row.ts';

const KEEP = 60_000;

/** What happened around a moment by somebody or from somewhere; nothing is asked where `who` is undefined. */
function useAround(who: UserActivityQuery | undefined, at: number | undefined) {
  const client = useQueryClient();
  return useQuery({
    queryKey: [{ _id: 'queryUserActivity', around: { who, at } }],
    async queryFn({ signal }): Promise<Around> {
      const query = aroundQuery(who ?? {}, at ?? 0, { now: serverNow(client) });
      return around(await readNewest(query, signal), at ?? 0, LARGEST_PAGE);
    },
    enabled: who !== undefined && at !== undefined,
    staleTime: KEEP,
  });
}

/** The row itself: the newest of its person until its moment are few, however many came after. */
function useRow(id: number, { at, by }: Place) {
  const client = useQueryClient();
  return useQuery({
    queryKey: [{ _id: 'queryUserActivity', row: { id, at, by } }],
    async queryFn({ signal }): Promise<ActivityRow | null> {
      const query = aroundQuery({ userIds: [by ?? 0] }, at ?? 0, { now: serverNow(client), after: 0 });
      const rows = await readNewest(query, signal);
      return rows.find((row) => (row.activityId ?? 0) === id) ?? null;
    },
    enabled: by !== undefined && at !== undefined,
    staleTime: KEEP,
  });
}

/** A row by its number, where its address says it is, with what happened around it. */
export function useDetail(activityId: number, { at, by }: Place) {
  const own = useRow(activityId, { at, by });
  const byPerson = useAround(by === undefined ? undefined : { userIds: [by] }, at);
  const row = own.data ?? undefined;
  const address = row && addressOf(row);
  const byAddress = useAround(address === undefined ? undefined : { ipAddress: address }, at);
  return {
    row,
    address,
    ofPerson: told(byPerson),
    ofAddress: told(byAddress),
    pending: own.isLoading,
    error: own.error === null ? undefined : toServiceError(own.error),
    retry: () => void own.refetch(),
    retrying: own.isFetching,
  };
}

const told = ({ data, error }: { data: Around | undefined; error: Error | null }) => ({
  around: data,
  error: error === null ? undefined : toServiceError(error).message,
});
