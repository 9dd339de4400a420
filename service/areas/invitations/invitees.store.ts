import { sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';
import { PENDING } from './store.ts';

/** Somebody with an account, as a site sees them before it invites. */
export interface Invitee {
  userId: number;
  /** Whether the membership of this site is active; null for who has none. */
  isActive: boolean | null;
  pendingId: number | null;
}

/** Those of the addresses that somebody has, in one statement whatever their number. */
export async function findInvitees(
  db: Db,
  siteId: number,
  keys: readonly string[],
): Promise<Map<string, Invitee>> {
  const { rows } = await sql<Invitee & { key: string }>`
    select a.email_key as key, a.user_id as "userId", m.is_active as "isActive",
      (select max(i.invitation_id) from invitation i where i.site_id = ${siteId} and i.user_id = a.user_id
        and ${PENDING}) as "pendingId"
    from account a left join membership m on m.site_id = ${siteId} and m.user_id = a.user_id
    where a.email_key = any(${[...keys]}::text[])`.execute(db);
  return new Map(rows.map(({ key, ...invitee }) => [key, invitee]));
}
