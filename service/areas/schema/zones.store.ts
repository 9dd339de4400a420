import type { Db } from '../../kernel/db/database.ts';
import type { Zones } from './dates.ts';

/** The zones of dateTimeBehavior=1: the user's own, by default the one of the site (spec 4.4). */
export async function zonesOf(db: Db, siteId: number, userId: number): Promise<Zones> {
  const row = await db
    .selectFrom('site as s')
    .leftJoin('membership as m', (join) =>
      join.onRef('m.site_id', '=', 's.site_id').on('m.user_id', '=', userId),
    )
    .select(['s.time_zone as site', 'm.time_zone as user'])
    .where('s.site_id', '=', siteId)
    .executeTakeFirstOrThrow();
  return { site: row.site, user: row.user ?? row.site };
}
