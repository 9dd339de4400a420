import { sql } from 'kysely';
import type { PersonWithoutFactor, TwoFactorCoverage } from '../../../contract/generated/types.gen.ts';
import type { Db } from '../../kernel/db/database.ts';

const MOST_PEOPLE = 500;
/** Whoever holds one of these can take the site over. */
const ADMINISTRATION = ['Manage Users', 'Manage Groups', 'Manage Settings', 'Manage Backups'];

const administrators = (siteId: number) => sql`
  select distinct gm.user_id from user_group g join group_member gm using (site_id, group_id)
  where g.site_id = ${siteId} and g.capabilities && ${ADMINISTRATION}::text[]`;

type Counts = Omit<TwoFactorCoverage, 'people'>;

/** How many active users have a second factor, and of whom this site asks one. */
export async function countFactors(db: Db, siteId: number): Promise<Counts> {
  const { rows } = await sql<Counts>`
    with administrators as (${administrators(siteId)})
    select count(*) filter (where m.two_factor_enabled and a.second_factor)::int as "requiredSetUp",
      count(*) filter (where m.two_factor_enabled and not a.second_factor)::int as "requiredNotSetUp",
      count(*) filter (where not m.two_factor_enabled and a.second_factor)::int as "optionalSetUp",
      count(*) filter (where not m.two_factor_enabled and not a.second_factor)::int as "optionalNotSetUp",
      count(*) filter (where not a.second_factor and r.user_id is not null)::int as "administratorsNotSetUp"
    from membership m join account a on a.user_id = m.user_id
    left join administrators r on r.user_id = m.user_id
    where m.site_id = ${siteId} and m.is_active`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('A row of counts is there');
  return row;
}

/** The active users without a second factor of whom one is asked, then the administrators among the others. */
export async function listWithoutFactor(db: Db, siteId: number): Promise<PersonWithoutFactor[]> {
  const { rows } = await sql<PersonWithoutFactor>`
    with administrators as (${administrators(siteId)})
    select m.user_id as "userId", a.email as "userName", trim(a.first_name || ' ' || a.last_name) as "fullName",
      m.two_factor_enabled as "twoFactorEnabled", r.user_id is not null as "isAdministrator"
    from membership m join account a on a.user_id = m.user_id
    left join administrators r on r.user_id = m.user_id
    where m.site_id = ${siteId} and m.is_active and not a.second_factor
      and (m.two_factor_enabled or r.user_id is not null)
    order by m.two_factor_enabled desc, "isAdministrator" desc, lower(a.last_name), lower(a.first_name), m.user_id
    limit ${MOST_PEOPLE}`.execute(db);
  return rows;
}
