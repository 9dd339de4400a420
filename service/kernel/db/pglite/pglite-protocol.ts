/**
 * Encodes a batch of statements as a single message to PGlite and decodes the reply to it. PGlite's own `query` needs six round
 * trips, copies an object per message between threads and plans every time.
 */
import { DatabaseError } from 'pg-protocol';
import {
  CommandCompleteMessage,
  DataRowMessage,
  emptyQuery,
  RowDescriptionMessage,
} from 'pg-protocol/dist/messages.js';
import { Parser } from 'pg-protocol/dist/parser.js';
import { DbError, dbErrorCodes } from '../driver/errors.ts';
import { endsSession, type StatementBatch } from '../driver/statement-batch.ts';
import { concatBytes } from './pglite-messages.ts';

/** The protocol messages of a batch in a buffer that can be transferred to another thread. */
export const encodeBatch = (batch: StatementBatch): Uint8Array<ArrayBuffer> =>
  concatBytes(batch.takeMessages());

function fromDatabaseError(error: DatabaseError): DbError {
  return new DbError(error.message, {
    // A server ends all its sessions after such an error, for example when the write-ahead log cannot be written.
    code: endsSession(error) ? dbErrorCodes.connectionLost : (error.code ?? dbErrorCodes.connectionLost),
    detail: error.detail,
    table: error.table,
    column: error.column,
    constraint: error.constraint,
  });
}

/**
 * Decodes the reply to a batch into it. The error of a statement is 08006 when the session cannot go on after it or the reply ends
 * before all statements are complete.
 */
export function decodeReply(bytes: Uint8Array, batch: StatementBatch): void {
  new Parser().parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), (message) => {
    if (message instanceof DataRowMessage) batch.addRow(message.fields);
    else if (message instanceof RowDescriptionMessage) batch.addDescription(message.fields);
    else if (message instanceof CommandCompleteMessage) batch.completeStatement(message.text);
    else if (message instanceof DatabaseError) batch.fail(fromDatabaseError(message), !endsSession(message));
    // A statement that consists of comments only.
    else if (message === emptyQuery) batch.completeStatement('');
  });
  if (batch.isComplete) return;
  const text = 'The embedded database stopped before the statement was complete';
  batch.fail(new DbError(text, { code: dbErrorCodes.connectionLost }), false);
}
