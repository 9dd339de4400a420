import { type Kysely, sql } from 'kysely';

const statements = [
  // Whether the site may add users of other sites without their confirmation (spec 4.2, 5.6).
  'alter table site add column may_manage_existing_users boolean not null default false',
  // `email` is the address as the inviter wrote it; the link is valid while the account has this address (email_key).
  `create table invitation (
    site_id int not null references site,
    invitation_id int generated always as identity unique,
    user_id int not null references account,
    email text not null,
    email_key text not null,
    type smallint not null check (type in (0, 1)),
    duration_days int check (duration_days > 0),
    group_ids int[] not null default '{}',
    user_entry_id int,
    invited_by int,
    token_hash bytea not null unique,
    created_at timestamptz(3) not null default now(),
    expires_at timestamptz(3) not null,
    accepted_at timestamptz(3),
    revoked_at timestamptz(3),
    reminded_at timestamptz(3),
    ended_at timestamptz(3),
    ended_license_type_id smallint,
    primary key (site_id, invitation_id),
    check ((type = 1) = (duration_days is not null)),
    check (accepted_at is null or revoked_at is null)
  )`,
  'create index invitation_person on invitation (user_id, site_id)',
  // Pages of invitations in one state use only this index.
  'create index invitation_state on invitation (site_id, invitation_id) include (accepted_at, revoked_at, expires_at)',
  // The invitation from which the membership comes.
  `alter table membership add column invitation_id int,
    add foreign key (site_id, invitation_id) references invitation`,
  'create unique index membership_invitation on membership (site_id, invitation_id) where invitation_id is not null',
  'create index membership_end on membership (expires_at) where expires_at is not null',
];

/** Invitations, ends of temporary memberships, and the right to add users of other sites. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
