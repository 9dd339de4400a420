import { getSessionOptions } from './generated/@tanstack/react-query.gen.ts';
import type { Session } from './generated/types.gen.ts';
import type { Holder } from './session-gate.ts';

/** Who works here, as the session says it. */
export const holderOf = ({ user, site, acting }: Session): Holder => ({
  userId: user.id,
  siteId: site.id,
  ...(acting && { reportId: acting.reportId }),
});

/**
 * The session, read again now and then: capabilities change while somebody works. It has a file of its own: the first
 * page reads it before anything that knows what each operation needs.
 */
export const sessionQuery = { ...getSessionOptions(), staleTime: 5 * 60_000 };
