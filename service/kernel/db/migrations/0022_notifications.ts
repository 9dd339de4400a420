import { type Kysely, sql } from 'kysely';

const statements = [
  // Messages of the service to one user of a site: a job ended, something needs a decision.
  `create table notification (
    site_id int not null references site,
    user_id int not null,
    notification_id int generated always as identity unique,
    category text not null check (category in ('jobFinished', 'jobFailed', 'alert')),
    title text not null,
    detail text not null,
    -- Page of the console that the notification is about.
    path text not null,
    created_at timestamptz(3) not null default now(),
    read_at timestamptz(3),
    primary key (site_id, user_id, notification_id),
    foreign key (site_id, user_id) references membership on delete cascade
  )`,
  `create index notification_unread on notification (site_id, user_id) where read_at is null`,
  `create index notification_age on notification (created_at)`,
  // Where a user wants the notifications of a category; without a row, the defaults of the service apply.
  `create table notification_setting (
    site_id int not null,
    user_id int not null,
    category text not null check (category in ('jobFinished', 'jobFailed', 'alert')),
    in_console boolean not null,
    by_mail boolean not null,
    in_browser boolean not null,
    primary key (site_id, user_id, category),
    foreign key (site_id, user_id) references membership on delete cascade
  )`,
];

/** Notifications of users and where they want them (service/kernel/notifications.store.ts). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
