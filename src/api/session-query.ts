import type { Session } from '../../contract/generated/types.gen.ts';
import { getSessionOptions } from './generated/queries/session.gen.ts';
import type { SessionIdentity } from './session-state.ts';

/** Returns the identity of a session. */
export const getSessionIdentity = ({ user, site, acting }: Session): SessionIdentity => ({
  userId: user.id,
  siteId: site.id,
  ...(acting && { reportId: acting.reportId }),
});

/**
 * The session, read again every five minutes because capabilities may change. In a module of its own so that the first
 * load does not include the table of capabilities.
 */
export const sessionQuery = { ...getSessionOptions(), staleTime: 5 * 60_000 };
