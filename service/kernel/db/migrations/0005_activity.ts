import { type Kysely, sql } from 'kysely';

/**
 * `kind` combines type, source, export type and "by a proxy" in one number: everything the report filters by except users and
 * addresses. It precedes the time in every index, so that each index finds exactly the rows that a rollup row counts.
 */
const columns = [
  // Values that are not addresses were never written.
  `alter table activity alter column ip_address type inet using ip_address::inet`,
  `alter table activity add column kind smallint not null generated always as ((activity_type_id
    + 16 * source_type_id + 128 * (coalesce(export_data_type, -1) + 1)
    + case when principal_user_id is null then 0 else 1024 end)::smallint) stored`,
  // The table only grows at its end; frequent vacuums make counting an index-only scan.
  `alter table activity set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)`,
  `alter table session add column session_id uuid not null default gen_random_uuid()`,
  `alter table access_token add column session_id uuid not null default gen_random_uuid()`,
  'create index session_expiry on session (expires_at)',
  'create index session_silence on session (last_seen_at)',
];

const indexes = [
  'drop index activity_time',
  'drop index activity_user',
  `create index activity_time on activity (site_id, at desc, activity_id desc) include (kind, user_id, ip_address)`,
  `create index activity_kind on activity (site_id, kind, at desc, activity_id desc)`,
  `create index activity_user on activity (site_id, user_id, kind, at desc, activity_id desc)
    include (ip_address, principal_user_id)`,
  `create index activity_principal on activity (site_id, principal_user_id, kind, at desc, activity_id desc)
    include (user_id, ip_address) where principal_user_id is not null`,
  `create index activity_address on activity (site_id, ip_address, kind, at desc, activity_id desc)
    include (user_id, principal_user_id)`,
  // For users within a network, which no rollup counts together.
  `create index activity_person_address on activity (site_id, user_id, ip_address, at desc, activity_id desc)
    include (kind, principal_user_id)`,
];

/**
 * Rollups: number of rows of each kind per site and hour, per user and week (role 1: the user who acted, 2: the principal), per address
 * and week, and per network (/16 of IPv4, /32 of IPv6) and day. Totals are sums of rollup rows, which also locate pages
 * (docs/decisions/0018).
 */
const cells = {
  activity_hour: { key: 'site_id, hour, kind', columns: 'site_id int, hour timestamptz, kind smallint' },
  activity_person: {
    key: 'site_id, role, user_id, kind, begins',
    columns: 'site_id int, role smallint, user_id int, kind smallint, begins timestamptz',
  },
  activity_network: {
    key: 'site_id, day, network, kind',
    columns: 'site_id int, day timestamptz, network inet, kind smallint',
  },
  activity_from: {
    key: 'site_id, week, address, kind',
    columns: 'site_id int, week timestamptz, address inet, kind smallint',
  },
} as const;
type Cells = keyof typeof cells;

const tables = Object.entries(cells).map(
  ([name, { key, columns: typed }]) =>
    // The count is included in the key's index, so that sums of many rollup rows are index-only scans.
    `create table ${name} (${typed}, n int not null, primary key (${key}) include (n))
      with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)`,
);

// date_trunc would depend on the time zone of the session; January 3, 2000 was a Monday.
const bin = (span: string) => `date_bin('${span}', at, timestamptz '2000-01-03 00:00:00Z')`;

/** Keys of rollup rows and the counts to add. */
const cellsOf: Record<Cells, (rows: string) => string> = {
  activity_hour: (rows) => `select site_id, ${bin('1 hour')}, kind, by from ${rows}`,
  activity_person: (rows) =>
    `select site_id, role, who, of, begins, by from ${rows}
     cross join lateral (values (1::smallint, user_id), (2::smallint, principal_user_id)) as person (role, who)
     cross join lateral (values (kind, ${bin('7 days')}), (-1::smallint, ${bin('1 day')})) as counted (of, begins)
     where who is not null`,
  activity_network: (rows) =>
    `select site_id, ${bin('1 day')}, network(set_masklen(ip_address, case family(ip_address) when 4 then 16 else 32 end))::inet,
       kind, by from ${rows} where ip_address is not null`,
  activity_from: (rows) =>
    `select site_id, ${bin('7 days')}, ip_address, kind, by from ${rows} where ip_address is not null`,
};

/** Updates rollups in a fixed order of tables and keys, so that two writers cannot deadlock. */
function count(rows: string): string {
  return (Object.keys(cells) as Cells[])
    .map((name) => {
      const { key } = cells[name];
      return `insert into ${name} (${key}, n)
        select ${key}, sum(by)::int from (${cellsOf[name](rows)}) as cell (${key}, by)
        group by ${key} having sum(by) <> 0 order by ${key}
        on conflict (${key}) do update set n = ${name}.n + excluded.n;`;
    })
    .join('\n');
}

/** Deletes rollup rows whose count is zero. */
function clear(rows: string): string {
  return (Object.keys(cells) as Cells[])
    .map((name) => {
      const { key } = cells[name];
      return `delete from ${name} where n = 0 and (${key}) in
        (select ${key} from (${cellsOf[name](rows)}) as cell (${key}, by));`;
    })
    .join('\n');
}

const came = '(select *, 1 as by from came) as came';
const went = '(select *, -1 as by from went) as went';
const moved = '(select *, 1 as by from came union all select *, -1 as by from went) as moved';

/** Statement-level triggers, like those of the list blocks (0002_list_blocks.ts). */
function trigger(event: string, seen: string, body: string): string[] {
  return [
    `create function activity_count_${event}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`,
    `create trigger activity_count_${event} after ${event} on activity referencing ${seen}
      for each statement execute function activity_count_${event}()`,
  ];
}

const triggers = [
  ...trigger('insert', 'new table as came', count(came)),
  ...trigger('delete', 'old table as went', count(went) + clear(went)),
  ...trigger('update', 'old table as went new table as came', count(moved) + clear(moved)),
];

const present = [`do $$ begin ${count('(select *, 1 as by from activity) as came')} end $$`];

const investigation = `create table investigation (
    site_id int not null references site,
    -- Its numbers are not those of users: one pasted into the wrong place is nobody's.
    investigation_id int generated always as identity (start with 100001),
    name text not null,
    notes text not null,
    query jsonb not null,
    created_by int not null,
    created_at timestamptz(3) not null default now(),
    modified_at timestamptz(3) not null default now(),
    total_records bigint not null,
    frozen_rows int not null,
    sha256 text not null,
    -- The text that the hash is of: jsonb would change its bytes.
    rows text not null,
    primary key (site_id, investigation_id)
  )`;

/** The activity report with its rollups, investigations, and ids of sessions. */
export async function up(db: Kysely<never>): Promise<void> {
  const statements = [...columns, ...tables, ...triggers, ...present, ...indexes, investigation];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
