import { type Kysely, sql } from 'kysely';

const statements = [
  `alter table publication_destination
    add column kind text not null default 'Webhook' check (kind in ('Webhook', 'JetStream')),
    -- Subject of the messages of a JetStream destination.
    add column subject text,
    add constraint publication_destination_subject check ((kind = 'JetStream') = (subject is not null))`,
  // A JetStream destination has credentials in this column, encrypted, or none.
  `alter table publication_destination alter column secret drop not null`,
  `alter table publication_destination add constraint publication_destination_secret
    check (kind = 'JetStream' or secret is not null)`,
];

/** NATS JetStream as a destination of events (areas/publications). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
