import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { runWhenIdle } from '../../api/query-client.ts';
import { usePermission, useSession } from '../../api/session.ts';

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
  const {
    user: { id: userId },
    site: { id: siteId },
  } = session;
  useEffect(() => {
    if (!isFollowing) return undefined;
    const ending = new AbortController();
    const cancel = runWhenIdle(client, async () => {
      const { followChanges, refreshLists } = await import('./model/follow-changes.ts');
      if (ending.signal.aborted) return;
      const ends = [refreshLists(client), followChanges({ userId, siteId })];
      ending.signal.addEventListener('abort', () => {
        for (const end of ends) end();
      });
    });
    return () => {
      cancel();
      ending.abort();
    };
  }, [client, isFollowing, userId, siteId]);
  return null;
}
