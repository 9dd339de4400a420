import { type Kysely, sql } from 'kysely';

const statements = [
  // Rows that are deleted by age are found by it.
  'create index throttle_age on throttle (window_started_at)',
  'create index identity_attempt_expiry on identity_attempt (expires_at)',
  'create index passkey_challenge_expiry on passkey_challenge (expires_at)',
  'create index job_file_link_unused on job_file_link (expires_at) where started_at is null',
  'create index api_key_use_day on api_key_use (day)',
  // Number of the last item whose input is cleared, 2147483647 when those of all items are: clearing goes on behind it instead of
  // reading the items of all ended jobs again.
  'alter table job add column cleared_to int not null default 0',
  'create index job_inputs on job (site_id, finished_at, job_id) where cleared_to < 2147483647',
];

/** Seats that rows of the audit log add (1) and remove (-1) on their day (UTC). */
const selectSeats = (rows: string, sign: 1 | -1) => `
  select site_id, (at at time zone 'UTC')::date as day, (changes -> 'licenseTypeId' ->> side)::int as license_type_id,
    ${sign} * (2 * side - 1) as n
  from ${rows} cross join (values (0), (1)) as sides (side)
  where changes ? 'licenseTypeId' and changes -> 'licenseTypeId' ->> side is not null`;

/** Adds seats in the same order in all transactions, so that two cannot deadlock. */
const addSeats = (rows: string) => `insert into seat_change
  select site_id, day, license_type_id, sum(n) from (${rows}) as moved
  group by site_id, day, license_type_id having sum(n) <> 0 order by site_id, day, license_type_id
  on conflict (site_id, day, license_type_id) do update set n = seat_change.n + excluded.n;`;

const TRANSITIONS = {
  insert: ['new table as added', selectSeats('added', 1)],
  delete: ['old table as removed', selectSeats('removed', -1)],
  update: [
    'old table as removed new table as added',
    `${selectSeats('removed', -1)} union all ${selectSeats('added', 1)}`,
  ],
} as const;

/** How many seats of a license type a day added to a site, counted as the audit log is written. */
const seatChanges = [
  `create table seat_change (
    site_id int not null,
    day date not null,
    license_type_id smallint not null,
    n int not null,
    primary key (site_id, day, license_type_id)
  ) with (fillfactor = 50)`,
  addSeats(selectSeats('audit_log', 1)),
  ...(['insert', 'delete', 'update'] as const).flatMap((event) => [
    `create function count_seats_${event}() returns trigger language plpgsql as $$
      begin ${addSeats(TRANSITIONS[event][1])} return null; end $$`,
    `create trigger audit_log_seats_${event} after ${event} on audit_log referencing ${TRANSITIONS[event][0]}
      for each statement execute function count_seats_${event}()`,
  ]),
];

/** Counts of seats; indexes and progress of the deletions that run at intervals (docs/decisions/0043). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of [...statements, ...seatChanges]) await sql.raw(statement).execute(db);
}
