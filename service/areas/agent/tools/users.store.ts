import { sql } from 'kysely';
import { CAN_ACT } from '../../../kernel/auth/callers.store.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { contains } from '../../../kernel/db/like.ts';

export interface FoundUser {
  id: number;
  name: string;
  email: string;
}

/** Members of the site who may act and whose name or e-mail address contains the text, by name. */
export async function searchUsers(
  db: Db,
  siteId: number,
  text: string,
  { limit, skip }: { limit: number; skip: number },
): Promise<FoundUser[]> {
  const part = text.trim();
  const { rows } = await sql<FoundUser>`
    select a.user_id as id, trim(a.first_name || ' ' || a.last_name) as name, a.email
    from membership m join account a on a.user_id = m.user_id
    where m.site_id = ${siteId} and ${CAN_ACT}
      and (${contains(sql`a.first_name || ' ' || a.last_name`, part)} or ${contains(sql`a.email`, part)})
    order by lower(a.first_name || ' ' || a.last_name), a.user_id limit ${limit} offset ${skip}`.execute(db);
  return rows;
}
