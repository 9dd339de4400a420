import { type Kysely, sql } from 'kysely';

const statements = [
  // Up to which id all audit rows have seals. An id is handed out before its row is committed, so a later one may be visible first:
  // `sealed_to` follows `next_to` when every transaction has ended that ran when `next_to` was known already.
  `create table audit_sealing (
    is_only boolean primary key default true check (is_only),
    sealed_to bigint not null default 0,
    next_to bigint,
    next_xid bigint
  )`,
  'insert into audit_sealing default values',
  // The hash of a row, of its number and of the hash before it.
  `create table audit_seal (
    site_id int not null,
    seq bigint not null,
    audit_id bigint not null,
    hash bytea not null,
    primary key (site_id, seq)
  )`,
  'create unique index audit_seal_row on audit_seal (audit_id)',
  // Both ends of the chain of a site: the checkpoint is the last seal that was deleted with its row.
  `create table audit_chain (
    site_id int primary key,
    checkpoint_seq bigint not null,
    checkpoint_hash bytea not null,
    seq bigint not null,
    hash bytea not null
  )`,
];

/** The hash chain of the audit log (docs/decisions/0064). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
