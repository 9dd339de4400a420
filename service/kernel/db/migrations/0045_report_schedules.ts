import { type Kysely, sql } from 'kysely';

const statements = [
  // A report that is generated regularly with the rights of its owner.
  `create table report_schedule (
    site_id int not null,
    schedule_id int generated always as identity,
    template_id int not null,
    owner_id int not null,
    -- Rights of the request that set it up, as those of a job.
    scopes text[],
    is_federated boolean not null,
    ip text not null,
    -- What its reports select, and how they are generated.
    request jsonb not null,
    selected_ids int[],
    recipients int[] not null,
    frequency text not null check (frequency in ('daily', 'weekly', 'monthly')),
    minute int not null,
    -- Day of the week (1 is Monday) or of the month; null for every day.
    day int,
    state text not null default 'active' check (state in ('active', 'paused', 'stopped')),
    stop_reason text,
    -- The next moment in the time zone that the site had when it was computed.
    next_at timestamptz(3) not null,
    time_zone text not null,
    last_job_id int,
    created_at timestamptz(3) not null default now(),
    primary key (site_id, schedule_id)
  )`,
  `create index report_schedule_due on report_schedule (next_at) where state = 'active'`,
];

/** Schedules of reports (areas/reports). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
