/** Where rows go by the ten thousands: COPY on PostgreSQL, one JSON text a piece on the embedded database. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Kysely, sql } from 'kysely';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type Db, openDatabase, type Tx } from '../../kernel/db/database.ts';
import { type Line, lineDialect } from '../../kernel/db/dialect.ts';
import type { Tables } from '../../kernel/db/tables.ts';
import { decoderOf, encode } from '../../kernel/db/values.ts';

/** Rows for one table; the values in the order of the columns, objects for jsonb. */
export interface Piece {
  table: keyof Tables;
  columns: readonly string[];
  rows: Iterable<readonly unknown[]>;
}

export interface Target {
  /** Of one line: a transaction on it holds everything that is written meanwhile. */
  db: Db;
  write(tx: Tx, piece: Piece): Promise<void>;
  close(): Promise<void>;
}

/** What a load may take; nobody waits for its answer. */
const LONG_MS = 3_600_000;
const CHUNK = 1 << 16;

const SPECIAL = /[\\\t\n\r]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const escaped = (text: string): string =>
  SPECIAL.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (sign) => ESCAPES[sign] ?? sign) : text;

/** Rows in the text format of COPY, in chunks. */
export function* copyText(rows: Piece['rows']): Generator<string> {
  let chunk = '';
  for (const row of rows) {
    let separator = '';
    for (const value of row) {
      const text = encode(value);
      chunk += separator + (text === null ? '\\N' : escaped(text));
      separator = '\t';
    }
    chunk += '\n';
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

async function openServer(databaseUrl: string): Promise<Target> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'steward load',
    options: '-c timezone=UTC',
    types: { getTypeParser: (typeId: number) => decoderOf(typeId) },
  });
  await client.connect();
  const line: Line = {
    async run(text, parameters) {
      const { rows, command, rowCount } = await client.query<Record<string, unknown>>(
        text,
        parameters.map(encode),
      );
      return { rows, command, affected: rowCount ?? 0 };
    },
    release: () => {},
  };
  const dialect = lineDialect({ acquire: async () => line, close: () => client.end() });
  const db = new Kysely<Tables>({ dialect });
  return {
    db,
    async write(_, { table, columns, rows }) {
      const into = client.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin`));
      await pipeline(Readable.from(copyText(rows)), into);
    },
    close: () => db.destroy(),
  };
}

/** As one JSON text, on any database. */
export async function writeRecords(tx: Tx, { table, columns, rows }: Piece): Promise<void> {
  const records = Array.from(rows, (row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])));
  const names = sql.join(columns.map((name) => sql.ref(name)));
  await sql`insert into ${sql.table(table)} (${names})
    select ${names} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(records)}::json)`.execute(
    tx,
  );
}

/** Opens the database, migrated, for a load. */
export async function openTarget(place: {
  databaseUrl: string | undefined;
  dataDir: string;
}): Promise<Target> {
  const database = await openDatabase({ ...place, limits: { statementMs: LONG_MS, idleMs: LONG_MS } });
  if (place.databaseUrl === undefined)
    return { db: database.db, write: writeRecords, close: () => database.close() };
  await database.close();
  return openServer(place.databaseUrl);
}
