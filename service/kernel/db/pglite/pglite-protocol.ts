/**
 * Encodes one statement with its parameters as a single batch of PostgreSQL protocol messages and decodes the reply to it.
 * PGlite's own `query` needs six round trips, copies an object per message between threads and plans every time.
 */
import { DatabaseError, serialize } from 'pg-protocol';
import {
  CommandCompleteMessage,
  DataRowMessage,
  emptyQuery,
  RowDescriptionMessage,
} from 'pg-protocol/dist/messages.js';
import { Parser } from 'pg-protocol/dist/parser.js';
import type { StatementResult } from '../driver/dialect.ts';
import { DbError, dbErrorCodes } from '../driver/errors.ts';
import { getDecoder } from '../driver/values.ts';
import { concatBytes } from './pglite-messages.ts';

interface Statement {
  sql: string;
  parameters: readonly (string | null)[];
  /** The session keeps the plan under this name; undefined: the statement is planned for this execution only. */
  planName: string | undefined;
  /** The session has the plan already, so the statement is not parsed again. */
  isPlanned: boolean;
  /** Names of plans that the session drops before it runs the statement. */
  droppedPlans: readonly string[];
}

/** The Bind message counts parameters in 16 bits. */
const MAX_PARAMETERS = 65_535;

const dropPlan = (name: string) => serialize.close({ type: 'S', name });

/**
 * Returns the protocol messages of a statement in a buffer that can be transferred to another thread.
 * @throws DbError (54000) when the statement has more than 65,535 parameters
 */
export function encodeStatement(statement: Statement): Uint8Array<ArrayBuffer> {
  const { sql, parameters, planName = '', isPlanned, droppedPlans } = statement;
  if (parameters.length > MAX_PARAMETERS) {
    const text = `A statement takes at most ${MAX_PARAMETERS} parameters, not ${parameters.length}`;
    throw new DbError(text, { code: dbErrorCodes.limitExceeded });
  }
  return concatBytes([
    ...droppedPlans.map(dropPlan),
    // A failed statement may have left a plan under this name. Closing a plan that does not exist is no error.
    ...(planName === '' || isPlanned ? [] : [dropPlan(planName)]),
    ...(isPlanned ? [] : [serialize.parse({ name: planName, text: sql })]),
    serialize.bind({ statement: planName, values: [...parameters] }),
    serialize.describe({ type: 'P' }),
    serialize.execute(),
    serialize.sync(),
  ]);
}

interface Column {
  name: string;
  decode: (text: string) => unknown;
}

function decodeRow(columns: readonly Column[], values: readonly (string | null)[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  // An index loop: iterators cost a tenth of the decoding of a large result.
  for (let index = 0; index < columns.length; index += 1) {
    const column = columns[index];
    const text = values[index] ?? null;
    if (column) row[column.name] = text === null ? null : column.decode(text);
  }
  return row;
}

function fromDatabaseError(error: DatabaseError): DbError {
  // A server ends all its sessions after such an error, for example when the write-ahead log cannot be written.
  const endsSession = error.severity === 'FATAL' || error.severity === 'PANIC';
  return new DbError(error.message, {
    code: endsSession ? dbErrorCodes.connectionLost : (error.code ?? dbErrorCodes.connectionLost),
    detail: error.detail,
    table: error.table,
    column: error.column,
    constraint: error.constraint,
  });
}

/** The row count of a command tag such as "INSERT 0 5" or "UPDATE 3"; 0 for commands that write no rows. */
const countAffectedRows = (tag: string): number =>
  /^(INSERT|UPDATE|DELETE|MERGE) /.test(tag) ? Number(tag.slice(tag.lastIndexOf(' '))) : 0;

/**
 * Decodes the reply to one statement.
 * @throws DbError reported by the database; its code is 08006 when the session cannot go on after the error or the reply ends
 * before the statement is complete
 */
export function decodeReply(bytes: Uint8Array): StatementResult {
  const rows: Record<string, unknown>[] = [];
  let columns: Column[] = [];
  let tag: string | undefined;
  new Parser().parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), (message) => {
    if (message instanceof DataRowMessage) rows.push(decodeRow(columns, message.fields));
    else if (message instanceof RowDescriptionMessage)
      columns = message.fields.map(({ name, dataTypeID }) => ({ name, decode: getDecoder(dataTypeID) }));
    else if (message instanceof CommandCompleteMessage) tag = message.text;
    else if (message instanceof DatabaseError) throw fromDatabaseError(message);
    // A statement that consists of comments only.
    else if (message === emptyQuery) tag = '';
  });
  if (tag === undefined) {
    const text = 'The embedded database stopped before the statement was complete';
    throw new DbError(text, { code: dbErrorCodes.connectionLost });
  }
  return { rows, command: tag.split(' ', 1).join(), affectedRows: countAffectedRows(tag) };
}
