import { sql } from 'kysely';
import { CAN_ACT, MEMBER_CAPABILITIES } from '../../kernel/auth/callers.store.ts';
import type { Db } from '../../kernel/db/database.ts';
import { contains } from '../../kernel/db/like.ts';

/** A user who can receive reports. */
interface StoredRecipient {
  id: number;
  name: string;
  firstName: string;
  email: string;
}

const MAX_RECIPIENTS_LISTED = 1_000;

/** Users of a site who may act and hold what reading a report requires, by name. */
export async function listRecipients(
  db: Db,
  siteId: number,
  { search, ids }: { search?: string | undefined; ids?: readonly number[] },
): Promise<StoredRecipient[]> {
  const { rows } = await sql<StoredRecipient>`
    select m.user_id as id, a.first_name || ' ' || a.last_name as name, a.first_name as "firstName", a.email
    from membership m join account a on a.user_id = m.user_id
    where m.site_id = ${siteId} and ${CAN_ACT} and ${MEMBER_CAPABILITIES} @> array['Run Reports', 'Read Data']
      ${search === undefined ? sql`` : sql`and (${contains(sql`a.first_name || ' ' || a.last_name`, search)} or ${contains(sql`a.email`, search)})`}
      ${ids === undefined ? sql`` : sql`and m.user_id = any(${[...ids]}::int[])`}
    order by lower(a.first_name || ' ' || a.last_name), m.user_id limit ${MAX_RECIPIENTS_LISTED}`.execute(db);
  return rows;
}
