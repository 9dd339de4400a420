import { type Kysely, sql } from 'kysely';

const NUMBER_SLOTS = Array.from({ length: 12 }, (_, at) => `n${at + 1}`);
const TEXT_SLOTS = Array.from({ length: 6 }, (_, at) => `t${at + 1}`);

/** Substring search needs pg_trgm; btree_gin allows combining it with the field id in one index. */
const EXTENSIONS = ['pg_trgm', 'btree_gin'];

/**
 * Both extensions are part of PostgreSQL, and a user who may create objects in the database may install them. If the packages of the
 * server do not include them or the right is missing, an administrator must install them once.
 */
async function install(db: Kysely<never>): Promise<void> {
  for (const name of EXTENSIONS) {
    try {
      await sql.raw(`create extension if not exists ${name}`).execute(db);
    } catch (error) {
      throw new Error(
        `The database needs the extensions ${EXTENSIONS.join(' and ')} (Debian: package postgresql, others: postgresql-contrib). ` +
          `As a superuser, run in this database: ${EXTENSIONS.map((each) => `create extension if not exists ${each};`).join(' ')} ` +
          'Then start again.',
        { cause: error },
      );
    }
  }
}

/**
 * Lower case by Unicode rules for case-insensitive comparison (shapes 4), equal to JavaScript's toLowerCase, which writes the slots.
 * lower() in the locale of the database may handle only ASCII.
 */
const fold = `do $$ begin
    execute format(
      'create function fold(v text) returns text language sql immutable strict parallel safe return lower(v collate %I)',
      coalesce((select collname from pg_collation where collname = 'und-x-icu' limit 1), 'default'));
  end $$`;

// Absolute thresholds for autovacuum: relative ones would delay it too long for large tables.
const vacuumed =
  'autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02';

/**
 * No foreign keys from entries to types or from logs to entries: checking them for each row would cost more than writing the rows. The
 * schema lock prevents the deletion of types during writes (service/areas/schema), and log rows outlive the entries they name.
 */
const tables = [
  `alter table site add column schema_stamp uuid not null default gen_random_uuid()`,
  `alter table membership add column time_zone text`,
  `create table entry_type (
    site_id int not null references site,
    type_id int generated always as identity,
    api_name text not null,
    singular_name text not null,
    plural_name text not null,
    version int not null default 1,
    created_at timestamptz(3) not null default now(),
    modified_at timestamptz(3) not null default now(),
    primary key (site_id, type_id)
  )`,
  `create table field (
    site_id int not null,
    field_id int generated always as identity,
    type_id int not null,
    api_name text not null,
    name text not null,
    description text,
    kind smallint not null,
    is_required boolean not null default false,
    required_when jsonb,
    is_money boolean not null default false,
    is_multi boolean not null default false,
    is_key boolean not null default false,
    is_searchable boolean not null default false,
    is_date_only boolean not null default false,
    is_on_form boolean not null default true,
    formula text,
    entry_lists int[] not null default '{}',
    slot text check (slot = 'name' or slot ~ '^(n([1-9]|1[0-2])|t[1-6])$'),
    slot_state text check (slot_state in ('filling', 'ready')),
    search_state text check (search_state in ('filling', 'ready')),
    version int not null default 1,
    created_at timestamptz(3) not null default now(),
    modified_at timestamptz(3) not null default now(),
    deleted_at timestamptz(3),
    primary key (site_id, field_id),
    foreign key (site_id, type_id) references entry_type on delete cascade,
    check ((slot is null) = (slot_state is null))
  )`,
  // A removed choice keeps its row, so that the history can show its name.
  `create table choice_value (
    site_id int not null,
    field_id int not null,
    choice_id int generated always as identity,
    name text not null,
    seq int not null,
    is_removed boolean not null default false,
    primary key (site_id, field_id, choice_id),
    foreign key (site_id, field_id) references field on delete cascade
  )`,
  `create table field_counter (
    site_id int not null,
    field_id int not null,
    next bigint not null default 1,
    primary key (site_id, field_id),
    foreign key (site_id, field_id) references field on delete cascade
  )`,
  // Background work left by a schema change, done in batches of entries; `after_id` is the last entry processed.
  `create table field_job (
    site_id int not null,
    field_id int not null,
    job text not null check (job in ('slot', 'search', 'calculate', 'clear')),
    after_id int not null default 0,
    primary key (site_id, field_id, job),
    foreign key (site_id, field_id) references field on delete cascade
  )`,
  `create table entry (
    site_id int not null,
    entry_id int generated by default as identity,
    type_id int not null,
    version int not null default 1,
    name text not null default '',
    name_key text collate "C" not null default '',
    near_key text collate "C",
    ${NUMBER_SLOTS.map((slot) => `${slot} float8`).join(', ')},
    ${TEXT_SLOTS.map((slot) => `${slot} text collate "C"`).join(', ')},
    vals jsonb not null default '{}',
    primary key (site_id, entry_id)
  ) with (fillfactor = 85, ${vacuumed})`,
  `create table entry_multi (
    site_id int not null,
    field_id int not null,
    v int not null,
    entry_id int not null,
    primary key (site_id, field_id, v, entry_id)
  ) with (${vacuumed})`,
  `create table entry_text (
    site_id int not null,
    field_id int not null,
    entry_id int not null,
    v text collate "C" not null,
    primary key (site_id, field_id, entry_id)
  ) with (${vacuumed})`,
  `create table entry_change (
    site_id int not null,
    entry_id int not null,
    type_id int not null,
    name text not null default '',
    created_at timestamptz(3) not null default now(),
    created_by int,
    direct_at timestamptz(3),
    any_at timestamptz(3) not null default now(),
    modified_by int,
    deleted_at timestamptz(3),
    merged_into int,
    last_vals jsonb,
    primary key (site_id, entry_id)
  ) with (fillfactor = 90, ${vacuumed})`,
  `create table cell_log (
    site_id int not null,
    entry_id int not null,
    field_id int not null,
    seq bigint generated always as identity,
    at timestamptz(3) not null,
    type_id int not null,
    old jsonb,
    new jsonb,
    user_id int,
    proxy_id int,
    cause smallint not null default 0,
    primary key (site_id, entry_id, field_id, seq)
  ) with (${vacuumed})`,
  `create table calc_queue (
    site_id int not null,
    entry_id int not null,
    queued_at timestamptz(3) not null default now(),
    attempts int not null default 0,
    primary key (site_id, entry_id)
  ) with (fillfactor = 70)`,
  `create table stored_file (
    site_id int not null references site,
    file_id int generated always as identity,
    hash bytea not null,
    size bigint not null,
    media_type text not null,
    created_at timestamptz(3) not null default now(),
    primary key (site_id, file_id),
    unique (site_id, hash)
  )`,
];

/** Slots are read within a type and in order; partial indexes, because most entries have no data in most slots. */
const slotIndex = (slot: string) =>
  `create index entry_${slot} on entry (site_id, type_id, ${slot}, entry_id) where ${slot} is not null`;

/** Extended statistics: the frequency of values in a slot depends on the type. */
const slotStatistics = (slot: string) =>
  `create statistics entry_type_${slot} (mcv, dependencies) on type_id, ${slot} from entry`;

const indexes = [
  'create unique index entry_type_name on entry_type (site_id, lower(api_name))',
  'create unique index field_name on field (site_id, type_id, lower(api_name)) where deleted_at is null',
  'create unique index field_slot on field (site_id, type_id, slot) where slot is not null',
  'create unique index field_key on field (site_id, type_id) where is_key and deleted_at is null',
  'create index entry_by_type on entry (site_id, type_id, entry_id)',
  'create index entry_by_name on entry (site_id, type_id, name_key, entry_id)',
  'create index entry_near on entry (site_id, type_id, near_key) where near_key is not null',
  ...[...NUMBER_SLOTS, ...TEXT_SLOTS].map(slotIndex),
  ...NUMBER_SLOTS.map(slotStatistics),
  'create index entry_text_parts on entry_text using gin (field_id, v gin_trgm_ops)',
  'create index entry_change_any on entry_change (site_id, type_id, any_at, entry_id)',
  'create index entry_change_direct on entry_change (site_id, type_id, direct_at, entry_id)',
  'create index calc_queue_due on calc_queue (queued_at)',
];

/**
 * Counts entries by type per block of ids, as list 4 (0002_list_blocks.ts), for totals and for the start of any page without counting
 * entries.
 */
const counted = (rows: string, by: number) => `insert into list_block
    select site_id, 4, type_id, entry_id & -4096, sum(${by})::int from ${rows}
    group by site_id, type_id, entry_id & -4096 order by 1, 3, 4
    on conflict (site_id, list, part, first_id) do update set n = list_block.n + excluded.n;`;

const triggers = (['insert', 'delete'] as const).flatMap((event) => {
  const [side, by] = event === 'insert' ? (['new', 1] as const) : (['old', -1] as const);
  return [
    `create function entry_count_${event}() returns trigger language plpgsql as $$
      begin ${counted('moved', by)} return null; end $$`,
    `create trigger entry_count_${event} after ${event} on entry referencing ${side} table as moved
      for each statement execute function entry_count_${event}()`,
  ];
});

/** Entry types, fields, entries with values and history, files, and the background work on them. */
export async function up(db: Kysely<never>): Promise<void> {
  await install(db);
  for (const statement of [fold, ...tables, ...indexes, ...triggers]) await sql.raw(statement).execute(db);
}
