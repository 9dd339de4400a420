import type { Session } from '../../../contract/generated/types.gen.ts';
import { getSessionIdentity } from '../../api/session-query.ts';
import type { SessionIdentity } from '../../api/session-state.ts';

/** Properties common to all confirmed bulk jobs. */
export interface ConfirmedJob {
  id: string;
  /** User and site that started it; only they can resume it. */
  identity: SessionIdentity;
  siteName: string;
  userName: string;
  /** ISO timestamp of the confirmation. */
  confirmedAt: string;
  title: string;
}

/** Properties of a job that the signed-in user confirms now. */
export const confirmJob = (session: Session, title: string): ConfirmedJob => ({
  id: crypto.randomUUID(),
  identity: getSessionIdentity(session),
  siteName: session.site.name,
  userName: `${session.user.firstName} ${session.user.lastName}`,
  confirmedAt: new Date().toISOString(),
  title,
});
