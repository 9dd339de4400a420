import { type Kysely, sql } from 'kysely';

/**
 * Number of rows of a list whose ids are in the block of 4096 that starts with `first_id`; these few rows locate the start of any page
 * (docs/decisions/0010). List 1: members of a site by license type; 2: members of a group by group; 3: groups of a site.
 */
const table = `create table list_block (
    site_id int not null references site,
    list smallint not null,
    part int not null,
    first_id int not null,
    n int not null,
    primary key (site_id, list, part, first_id)
  ) with (fillfactor = 70)`;

// Rows of a table as counts for list_block: (site_id, list, part, first_id, by).
const members = (rows: string, by = 1) =>
  `select site_id, 1, license_type_id::int, user_id & -4096, ${by} from ${rows}`;
const pairs = (rows: string, by = 1) => `select site_id, 2, group_id, user_id & -4096, ${by} from ${rows}`;
const groups = (rows: string, by = 1) => `select site_id, 3, 0, group_id & -4096, ${by} from ${rows}`;

/** Adds the counts in a fixed order of blocks, so that two writers cannot deadlock. */
const count = (rows: string) => `insert into list_block
    select site_id, list, part, first_id, sum(by)::int from (${rows}) as entry (site_id, list, part, first_id, by)
    group by site_id, list, part, first_id having sum(by) <> 0 order by site_id, list, part, first_id
    on conflict (site_id, list, part, first_id) do update set n = list_block.n + excluded.n;`;

/** Changes of licenses only: other updates of a membership must not wait for the lock of a block. */
const moved = (side: 'came' | 'went', by: number) =>
  members(
    `(select ${side}.* from came join went using (site_id, user_id)
      where came.license_type_id <> went.license_type_id) as ${side}`,
    by,
  );

/**
 * Statement-level triggers: row-level ones would update the same few blocks once per row. One trigger per event, because only update
 * triggers can refer to both the old and the new rows.
 */
function trigger(on: string, event: 'insert' | 'delete' | 'update', body: string): string[] {
  const name = `${on}_count_${event}`;
  const seen = {
    insert: 'new table as came',
    delete: 'old table as went',
    update: 'old table as went new table as came',
  };
  return [
    `create function ${name}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`,
    `create trigger ${name} after ${event} on ${on} referencing ${seen[event]}
      for each statement execute function ${name}()`,
  ];
}

// Members deleted by the cascade of their group need no counting, because the blocks of the group are deleted as well.
const ofGroups = 'went join user_group using (site_id, group_id)';
const forget = `delete from list_block b using went
    where b.site_id = went.site_id and b.list = 2 and b.part = went.group_id;`;

const triggers = [
  trigger('membership', 'insert', count(members('came'))),
  trigger('membership', 'delete', count(members('went', -1))),
  trigger('membership', 'update', count(`${moved('went', -1)} union all ${moved('came', 1)}`)),
  trigger('group_member', 'insert', count(pairs('came'))),
  trigger('group_member', 'delete', count(pairs(ofGroups, -1))),
  trigger('user_group', 'insert', count(groups('came'))),
  trigger('user_group', 'delete', count(groups('went', -1)) + forget),
].flat();

/** Counts the existing rows. The locks of creating the triggers block writers until the commit. */
const present = [count(members('membership')), count(pairs('group_member')), count(groups('user_group'))];

const indexes = [
  // For the license history: an index of the audit rows about licenses only.
  `create index audit_log_license on audit_log (site_id, at) where changes ? 'licenseTypeId'`,
];

/** Counts per block of ids for paging the management lists, and an index for the license history. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of [table, ...triggers, ...present, ...indexes]) await sql.raw(statement).execute(db);
}
