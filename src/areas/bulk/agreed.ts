import { holderOf } from '../../api/session-query.ts';
import type { Session } from '../../api/generated/types.gen.ts';
import type { Holder } from '../../api/session-gate.ts';

/** A change of many that somebody has agreed to, whatever it changes. */
export interface Agreed {
  id: string;
  /** Who began it, and where: nobody else goes on with it. */
  holder: Holder;
  siteName: string;
  userName: string;
  /** When it was agreed to. */
  at: string;
  title: string;
}

/** What is agreed to now, by whoever is signed in. */
export const agree = (session: Session, title: string): Agreed => ({
  id: crypto.randomUUID(),
  holder: holderOf(session),
  siteName: session.site.name,
  userName: `${session.user.firstName} ${session.user.lastName}`,
  at: new Date().toISOString(),
  title,
});
