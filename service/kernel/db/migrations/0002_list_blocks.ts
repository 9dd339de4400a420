import { type Kysely, sql } from 'kysely';

/**
 * How many entries of a list have ids in the block of 4096 that begins with `first_id`: where any page of the list
 * begins is found in these few rows (docs/decisions/0010). List 1 are the members of a site by license type, 2 the
 * members of a group by group, 3 the groups of a site.
 */
const table = `create table list_block (
    site_id int not null references site,
    list smallint not null,
    part int not null,
    first_id int not null,
    n int not null,
    primary key (site_id, list, part, first_id)
  ) with (fillfactor = 70)`;

// Rows of a table as what list_block counts of them: (site_id, list, part, first_id, by).
const members = (rows: string, by = 1) =>
  `select site_id, 1, license_type_id::int, user_id & -4096, ${by} from ${rows}`;
const pairs = (rows: string, by = 1) => `select site_id, 2, group_id, user_id & -4096, ${by} from ${rows}`;
const groups = (rows: string, by = 1) => `select site_id, 3, 0, group_id & -4096, ${by} from ${rows}`;

/** In one order, so that two writers meet the blocks they share in the same one and never wait crosswise. */
const count = (rows: string) => `insert into list_block
    select site_id, list, part, first_id, sum(by)::int from (${rows}) as entry (site_id, list, part, first_id, by)
    group by site_id, list, part, first_id having sum(by) <> 0 order by site_id, list, part, first_id
    on conflict (site_id, list, part, first_id) do update set n = list_block.n + excluded.n;`;

/** Licenses that changed hands; all else that is updated about a member must not wait for a block. */
const moved = (side: 'came' | 'went', by: number) =>
  members(
    `(select ${side}.* from came join went using (site_id, user_id)
      where came.license_type_id <> went.license_type_id) as ${side}`,
    by,
  );

/**
 * Counts whole statements: a trigger for each row would write the same few blocks once a row. A row of its own for
 * each event, because a trigger that sees both the old and the new rows is one of updates alone.
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

// Members that go with their group, by the cascade, are counted by nobody: its blocks go too, before them or after.
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

/** What is there already. The triggers' locks hold writers off until this is committed. */
const present = [count(members('membership')), count(pairs('group_member')), count(groups('user_group'))];

const indexes = [
  // The seats of past days: what is audited besides is passed over.
  `create index audit_log_license on audit_log (site_id, at) where changes ? 'licenseTypeId'`,
];

/** Where the pages of the management lists begin, and how the licenses of a site changed. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of [table, ...triggers, ...present, ...indexes]) await sql.raw(statement).execute(db);
}
