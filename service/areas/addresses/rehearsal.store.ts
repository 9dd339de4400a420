import { sql } from 'kysely';
import { MAY_ACT } from '../../kernel/auth/store.ts';
import { ACTIVITY } from '../../kernel/audit/activity.store.ts';
import type { Db } from '../../kernel/db/database.ts';

/** A user and an address that a list does not approve. */
interface RehearsedPlace {
  userId: number;
  userName: string;
  fullName: string;
  isActive: boolean;
  ipRestrictionsEnabled: boolean;
  ipAddress: string;
  count: number;
  lastDate: Date;
}

export interface Rehearsal {
  lockedOut: number;
  wouldBeLockedOut: number;
  places: RehearsedPlace[];
}

const MOST_PLACES = 1000;
const BACKUP_ACCESS = 10;
/** What a user did who had got in. Four bits of a kind are its activity (migrations/0005_activity). */
const SUCCEEDED = [ACTIVITY.signedIn, ACTIVITY.exported, ACTIVITY.switched, BACKUP_ACCESS];

/**
 * Who succeeded since then from an address outside the networks. The addresses come from the counts by week, so that the
 * rows of the report are read only for those outside.
 */
export async function rehearse(
  db: Db,
  siteId: number,
  { networks, since }: { networks: readonly string[]; since: Date },
): Promise<Rehearsal> {
  const { rows } = await sql<RehearsedPlace & { lockedOut: number; wouldBeLockedOut: number }>`
    with outside as materialized (
      select distinct address from activity_from
      where site_id = ${siteId} and week > ${since}::timestamptz - interval '7 days'
        and not coalesce(address <<= any (${[...networks]}::inet[]), false)),
    place as materialized (
      select a.user_id, a.ip_address, count(*)::int as n, max(a.at) as last
      from activity a join outside o on o.address = a.ip_address
      where a.site_id = ${siteId} and a.at >= ${since} and (a.kind & 15) = any (${SUCCEEDED}::int[])
      group by a.user_id, a.ip_address),
    who as (
      select p.*, c.email, c.first_name, c.last_name, ${MAY_ACT} as active, m.ip_restrictions_enabled as restricted
      from place p
      join membership m on m.site_id = ${siteId} and m.user_id = p.user_id
      join account c on c.user_id = p.user_id)
    select user_id as "userId", email as "userName", trim(first_name || ' ' || last_name) as "fullName",
      active as "isActive", restricted as "ipRestrictionsEnabled", host(ip_address) as "ipAddress", n as count,
      last as "lastDate",
      (select count(distinct user_id)::int from who where active and restricted) as "lockedOut",
      (select count(distinct user_id)::int from who where active and not restricted) as "wouldBeLockedOut"
    from who order by (active and restricted) desc, last desc, user_id, ip_address limit ${MOST_PLACES}`.execute(
    db,
  );
  const [first] = rows;
  return {
    lockedOut: first?.lockedOut ?? 0,
    wouldBeLockedOut: first?.wouldBeLockedOut ?? 0,
    places: rows.map(({ lockedOut: _out, wouldBeLockedOut: _would, ...place }) => place),
  };
}
