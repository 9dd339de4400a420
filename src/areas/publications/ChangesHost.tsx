import { useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { runWhenIdle } from '../../api/query-client.ts';
import {
  ENTRY_TYPE_READS,
  FIELD_READS,
  GROUP_READS,
  LICENSE_READS,
  USER_READS,
} from '../../api/read-groups.ts';
import { getSessionIdentity } from '../../api/session-query.ts';
import { usePermission, useSession } from '../../api/session.ts';
import { followedSince, onSiteChanges } from '../../api/site-changes.ts';
import { directoryQuery, removeFromDirectory } from '../../directory/directory.ts';

/** Reads that are made again when a topic has new events, if they are on screen. Rows of entries are read by their grid. */
const READS_OF_TOPICS: Readonly<Record<string, readonly string[]>> = {
  'default-users': [...USER_READS, ...LICENSE_READS, ...GROUP_READS],
  'default-schema': [...ENTRY_TYPE_READS, ...FIELD_READS],
  'default-data': [...ENTRY_TYPE_READS, 'countChangedEntries'],
};

/**
 * Lets the lists of the console follow the changes of the site, for those who may read publications: the stream only says that something
 * has changed, and what is shown is read with the operations of each list. Others read lists at intervals, and so does whoever acts
 * for another user, whose report lists what was read.
 */
export function ChangesHost() {
  const client = useQueryClient();
  const session = useSession();
  const { allowed } = usePermission('streamTopicPositions');
  const isFollowing = allowed && !session.acting;
  const { userId, siteId } = getSessionIdentity(session);
  useEffect(() => {
    if (!isFollowing) return undefined;
    let stop: (() => void) | undefined;
    const cancel = runWhenIdle(client, async () => {
      const { followChanges } = await import('./model/follow-changes.ts');
      stop = followChanges({ userId, siteId });
    });
    const ends = [cancel, () => stop?.(), refreshAfterChanges(client), readAtIntervalsWhenLost(client)];
    return () => {
      for (const end of ends) end();
    };
  }, [client, isFollowing, userId, siteId]);
  return null;
}

const refreshAfterChanges = (client: QueryClient): (() => void) =>
  onSiteChanges(({ topics, deletedUserIds }) => {
    if (deletedUserIds) removeFromDirectory(client, [...deletedUserIds]);
    const reads = new Set([...topics].flatMap((topic) => READS_OF_TOPICS[topic] ?? []));
    for (const _id of reads) void client.invalidateQueries({ queryKey: [{ _id }] });
  });

/** The interval of the directory begins again when changes are no longer reported. */
function readAtIntervalsWhenLost(client: QueryClient): () => void {
  return followedSince.subscribe(() => {
    if (followedSince.get() === undefined && document.visibilityState !== 'hidden')
      void client.invalidateQueries({ queryKey: directoryQuery.queryKey, refetchType: 'active' });
  });
}
