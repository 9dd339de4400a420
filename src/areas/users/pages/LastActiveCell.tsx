import { useQuery } from '@tanstack/react-query';
import { readLastActivity } from '../../../api/generated/sdk/activity.gen.ts';
import { createBatchReader } from '../../../lib/batch-requests.ts';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';

/** Users of one request; the service takes at most 500. */
const MAX_USERS = 500;
/** How long a time is shown before it is read again; the service stores it once a minute. */
const STALE_MS = 60_000;

const readTime = createBatchReader(async (userIds) => {
  const { data } = await readLastActivity({ body: { userIds: [...userIds] } });
  return new Map(data.map(({ userId, lastActivityDate }) => [userId, lastActivityDate]));
}, MAX_USERS);

/** When the user was last active on the site; the rows in view are read together. */
export function LastActiveCell({ userId, tabIndex }: { userId: number; tabIndex: 0 | -1 }) {
  const { data, isError } = useQuery({
    queryKey: [{ _id: 'readLastActivity', userId }],
    queryFn: async () => (await readTime(userId)) ?? null,
    staleTime: STALE_MS,
  });
  if (data === undefined) return <span className="person-none">{isError ? '—' : '…'}</span>;
  return data === null ? (
    <span className="person-none">Never</span>
  ) : (
    <Timestamp at={data} tabIndex={tabIndex} />
  );
}
