/**
 * The PostgreSQL wire protocol to PGlite: encodes one statement with its parameters as a single batch of messages and decodes
 * the reply to it. PGlite's own `query` needs six round trips, builds an object for every message and plans every time.
 */
import { DatabaseError, serialize } from 'pg-protocol';
import {
  CommandCompleteMessage,
  DataRowMessage,
  emptyQuery,
  RowDescriptionMessage,
} from 'pg-protocol/dist/messages.js';
import { Parser } from 'pg-protocol/dist/parser.js';
import type { Reply } from './dialect.ts';
import { DbError, faults } from './errors.ts';
import { decoderOf } from './values.ts';

/** A statement to encode. With a name the session keeps its plan; without one it is planned for this execution only. */
interface Statement {
  sql: string;
  parameters: readonly (string | null)[];
  name?: string | undefined;
  /** The session has the plan of `name`: it is not parsed again. */
  isPlanned?: boolean;
  /** Names of plans that the session may drop. */
  droppedPlans?: readonly string[];
}

/** The protocol counts parameters in 16 bits. */
const MAX_PARAMETERS = 65_535;

/** Copies the parts into one buffer of their own, which can be transferred to another thread without a further copy. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/** @throws DbError (54000) when the statement has more parameters than the protocol can count */
export function encodeStatement(statement: Statement): Uint8Array<ArrayBuffer> {
  const { sql, parameters, name = '', isPlanned = false, droppedPlans = [] } = statement;
  if (parameters.length > MAX_PARAMETERS) {
    const text = `A statement takes at most ${MAX_PARAMETERS} parameters, not ${parameters.length}`;
    throw new DbError(text, { code: faults.tooMany });
  }
  const dropPlan = (plan: string) => serialize.close({ type: 'S', name: plan });
  return concatBytes([
    ...droppedPlans.map(dropPlan),
    // After a failed statement it is unknown whether its plan exists; to close a plan that does not exist is no error.
    ...(name === '' || isPlanned ? [] : [dropPlan(name)]),
    ...(isPlanned ? [] : [serialize.parse({ name, text: sql })]),
    serialize.bind({ statement: name, values: [...parameters] }),
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
  for (let index = 0; index < values.length; index += 1) {
    const column = columns[index];
    const text = values[index];
    if (column) row[column.name] = text === null || text === undefined ? null : column.decode(text);
  }
  return row;
}

function toDbError(error: DatabaseError): DbError {
  // A server would end all its sessions after these, for example because the write-ahead log cannot be written.
  const isFatal = error.severity === 'FATAL' || error.severity === 'PANIC';
  return new DbError(error.message, {
    code: isFatal ? faults.lost : (error.code ?? faults.lost),
    detail: error.detail,
    table: error.table,
    column: error.column,
    constraint: error.constraint,
  });
}

/** The row count at the end of a command tag ("INSERT 0 5", "UPDATE 3"); 0 for commands that write no rows. */
const countWrittenRows = (tag: string): number =>
  /^(INSERT|UPDATE|DELETE|MERGE) /.test(tag) ? Number(tag.slice(tag.lastIndexOf(' '))) : 0;

/**
 * Decodes the messages that answer one statement.
 * @throws DbError that the database reports; with code 08006 when the database does not survive it or the reply is incomplete
 */
export function decodeReply(bytes: Uint8Array): Reply {
  const rows: Record<string, unknown>[] = [];
  let columns: Column[] = [];
  let tag: string | undefined;
  new Parser().parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), (message) => {
    if (message instanceof DataRowMessage) rows.push(decodeRow(columns, message.fields));
    else if (message instanceof RowDescriptionMessage)
      columns = message.fields.map((field) => ({ name: field.name, decode: decoderOf(field.dataTypeID) }));
    else if (message instanceof CommandCompleteMessage) tag = message.text;
    else if (message instanceof DatabaseError) throw toDbError(message);
    else if (message === emptyQuery) tag = '';
  });
  if (tag === undefined)
    throw new DbError('The embedded database sent no complete reply', { code: faults.lost });
  return { rows, command: tag.split(' ', 1).join(), affected: countWrittenRows(tag) };
}
