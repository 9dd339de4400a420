import { type Kysely, sql } from 'kysely';

const tables = [
  // Assignments of proxies. Deleted with either membership; without effect while either user may not act.
  `create table proxy_assignment (
    site_id int not null,
    proxy_id int not null,
    user_id int not null,
    created_at timestamptz(3) not null default now(),
    created_by int,
    primary key (site_id, proxy_id, user_id),
    foreign key (site_id, proxy_id) references membership on delete cascade,
    foreign key (site_id, user_id) references membership on delete cascade,
    check (proxy_id <> user_id)
  )`,
  // One report per period of acting in a session; for programs one per day and pair. Reports outlive the users they name.
  `create table acting_report (
    site_id int not null references site,
    report_id int generated always as identity unique,
    proxy_id int not null,
    principal_id int not null,
    source text not null check (source in ('console', 'api')),
    day date,
    reason text,
    started_at timestamptz(3) not null default now(),
    last_step_at timestamptz(3),
    ended_at timestamptz(3),
    steps int not null default 0,
    primary key (site_id, report_id),
    check ((source = 'api') = (day is not null))
  )`,
  // A request made while acting. A write is recorded before it is executed, still without status.
  `create table acting_step (
    site_id int not null,
    report_id int not null,
    at timestamptz(3) not null,
    step_id bigint generated always as identity unique,
    operation_id text not null,
    summary text not null,
    subject text not null,
    is_write boolean not null,
    status smallint,
    primary key (site_id, report_id, at, step_id),
    foreign key (site_id, report_id) references acting_report on delete cascade
  )`,
  'alter table session add column acting_report_id int references acting_report (report_id)',
];

const indexes = [
  'create index proxy_assignment_user on proxy_assignment (site_id, user_id, proxy_id)',
  'create unique index acting_report_of_day on acting_report (site_id, proxy_id, principal_id, day)',
  'create index acting_report_proxy on acting_report (site_id, proxy_id, report_id)',
  'create index acting_report_principal on acting_report (site_id, principal_id, report_id)',
  'create index session_acting on session (acting_report_id) where acting_report_id is not null',
];

/**
 * Ends the acting report when a session ends in any way (sign-out, new password, deactivation, idle timeout), not later than the session
 * was valid. The 30 minutes are SESSION_IDLE_MINUTES of kernel/auth/callers.store.ts.
 */
const triggers = [
  `create function session_end_acting() returns trigger language plpgsql as $$ begin
    update acting_report r set ended_at = greatest(r.started_at, least(clock_timestamp(), went.expires_at, went.last_seen_at + interval '30 minutes'))
    from went where r.report_id = went.acting_report_id and r.ended_at is null;
    return null; end $$`,
  `create trigger session_end_acting after delete on session referencing old table as went
    for each statement execute function session_end_acting()`,
];

/** Assignments of proxies and acting reports. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of [...tables, ...indexes, ...triggers]) await sql.raw(statement).execute(db);
}
