import { type Kysely, sql } from 'kysely';

/** Counts entries by type per block of ids, like 0004_data.ts. */
const count = (by: 1 | -1) => `insert into entry_block
    select site_id, type_id, entry_id & -4096, sum(${by})::int from moved
    group by site_id, type_id, entry_id & -4096 order by 1, 2, 3
    on conflict (site_id, type_id, first_id) do update set n = entry_block.n + excluded.n;`;

const statements = [
  // Writes of entries wait from the copy of the counts to the commit.
  'lock table entry in share row exclusive mode',
  `create table entry_block (
    site_id int not null,
    type_id int not null,
    first_id int not null,
    n int not null,
    primary key (site_id, type_id, first_id)
  ) with (fillfactor = 70)`,
  `insert into entry_block (site_id, type_id, first_id, n)
    select site_id, part, first_id, n from list_block where list = 4 and n <> 0`,
  'delete from list_block where list = 4',
  ...(
    [
      ['insert', 1],
      ['delete', -1],
    ] as const
  ).map(
    ([event, by]) => `create or replace function entry_count_${event}() returns trigger language plpgsql as $$
      begin ${count(by)} return null; end $$`,
  ),
];

/** Counts of entries in a table of their own, beside the entries where data of sites is distributed (docs/decisions/0092). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
