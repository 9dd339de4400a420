/** Bulk inserts: COPY on PostgreSQL, one JSON text per batch on the embedded database. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Kysely, sql } from 'kysely';
import { Client, escapeIdentifier } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type Db, openDatabase, type Tx } from '../../kernel/db/database.ts';
import { type Connection, createDialect } from '../../kernel/db/driver/dialect.ts';
import { toDbError } from '../../kernel/db/driver/errors.ts';
import { getDecoder, encodeParameter } from '../../kernel/db/driver/values.ts';
import type { Tables } from '../../kernel/db/tables/index.ts';
import { type DatabasePlace, nameWhenRefused } from '../database-option.ts';

/** Rows for a table; values in the order of the columns, objects for jsonb. */
export interface TableRows {
  table: string;
  columns: readonly string[];
  rows: Iterable<readonly unknown[]>;
}

export interface LoadTarget {
  /** Uses a single connection, so that `write` belongs to the open transaction. */
  db: Db;
  write(tx: Tx, piece: TableRows): Promise<void>;
  close(): Promise<void>;
}

/** Timeout of statements and transactions of a load. */
const LOAD_TIMEOUT_MS = 3_600_000;
const CHUNK_LENGTH = 1 << 16;

const SPECIAL = /[\\\t\n\r]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const escapeCopyText = (text: string): string =>
  SPECIAL.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (sign) => ESCAPES[sign] ?? sign) : text;

/** Formats rows in the text format of COPY, in chunks. */
export function* formatCopyText(rows: TableRows['rows']): Generator<string> {
  let chunk = '';
  for (const row of rows) {
    let separator = '';
    for (const value of row) {
      const text = encodeParameter(value);
      chunk += separator + (text === null ? '\\N' : escapeCopyText(text));
      separator = '\t';
    }
    chunk += '\n';
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

async function openServer(databaseUrl: string): Promise<LoadTarget> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'steward load',
    options: '-c timezone=UTC',
    types: { getTypeParser: (typeId: number) => getDecoder(typeId) },
  });
  // A connection that breaks between two statements fails the next one; without a listener it would end the process.
  let lost: Error | undefined;
  client.on('error', (error) => (lost ??= error));
  await client.connect();
  const connection: Connection = {
    async run(text, parameters) {
      if (lost) throw lost;
      const { rows, command, rowCount } = await client.query<Record<string, unknown>>(
        text,
        parameters.map(encodeParameter),
      );
      return { rows, command, affectedRows: rowCount ?? 0 };
    },
    release: () => {},
  };
  const dialect = createDialect({ acquire: async () => connection, close: () => client.end() });
  const db = new Kysely<Tables>({ dialect });
  return {
    db,
    async write(_, { table, columns, rows }) {
      if (lost) throw toDbError(lost);
      const into = client.query(
        copyFrom(`copy ${table} (${columns.map(escapeIdentifier).join(', ')}) from stdin`),
      );
      await pipeline(Readable.from(formatCopyText(rows)), into);
    },
    close: () => db.destroy(),
  };
}

/** Inserts rows as one JSON text; works on both databases. */
export async function insertRecords(tx: Tx, { table, columns, rows }: TableRows): Promise<void> {
  const records = Array.from(rows, (row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])));
  const names = sql.join(columns.map((name) => sql.ref(name)));
  await sql`insert into ${sql.table(table)} (${names})
    select ${names} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(records)}::json)`.execute(
    tx,
  );
}

/** Opens the migrated database for a load. */
export async function openLoadTarget(place: DatabasePlace & { acceptsMoved?: boolean }): Promise<LoadTarget> {
  const database = await nameWhenRefused(
    place,
    openDatabase({ ...place, limits: { statementMs: LOAD_TIMEOUT_MS, idleMs: LOAD_TIMEOUT_MS } }),
  );
  if (place.databaseUrl === undefined)
    return { db: database.db, write: insertRecords, close: () => database.close() };
  await database.close();
  return openServer(place.databaseUrl);
}
