import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { getSessionIdentity } from '../../api/session-query.ts';
import { useSession } from '../../api/session.ts';
import { setDirectorySession } from '../../directory/directory-session.ts';

/** Tells the directory which session it belongs to; it is loaded with the first search. */
export function UsersHost() {
  const client = useQueryClient();
  const { userId, siteId } = getSessionIdentity(useSession());
  useEffect(() => setDirectorySession({ client, identity: { userId, siteId } }), [client, userId, siteId]);
  return null;
}
