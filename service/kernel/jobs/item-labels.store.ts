import { sql, type RawBuilder } from 'kysely';

/** SQL that names the items of a job: expressions over `item.value`, the input, and what `join` adds to the `from` clause. */
export interface ItemLabels {
  label: RawBuilder<unknown>;
  detail: RawBuilder<unknown>;
  join(siteId: number): RawBuilder<unknown>;
}

/** Items that name a user of the site by `userId`: full name and e-mail address. */
export const USER_LABELS: ItemLabels = {
  label: sql`a.first_name || ' ' || a.last_name`,
  detail: sql`a.email`,
  join: (
    siteId,
  ) => sql`left join membership m on m.site_id = ${siteId} and m.user_id = (item.value ->> 'userId')::int
    left join account a on a.user_id = m.user_id`,
};

/** For jobs without items. */
export const NO_LABELS: ItemLabels = {
  label: sql`null::text`,
  detail: sql`null::text`,
  join: () => sql``,
};
