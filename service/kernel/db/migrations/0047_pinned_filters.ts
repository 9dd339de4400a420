import { type Kysely, sql } from 'kysely';

const statements = [
  // The filters that a view keeps at hand: [{"field": "Stage", "operator": "$in"}]; names of deleted fields stay.
  `alter table saved_view add column pinned jsonb not null default '[]'`,
];

export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
