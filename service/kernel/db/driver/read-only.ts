import { type Connection, type ConnectionSource, createBatchConnection, getRunAll } from './dialect.ts';
import { isEnd, isStart, type Statement } from './statement-batch.ts';

/** Makes the transaction of a message read-only. The database refuses to switch back once a statement of it has run. */
export const SET_READ_ONLY = 'set transaction_read_only = on';

const READ_ONLY = ' read only';

/**
 * The same source whose connections cannot write: the database itself refuses every statement that does (25006). A transaction is
 * started as read-only; statements outside of one are sent with SET_READ_ONLY in the same message, which is a transaction of its own.
 * Closing it leaves the source open.
 */
export const createReadOnlySource = (source: ConnectionSource): ConnectionSource => ({
  acquire: async () => createReadOnlyConnection(await source.acquire()),
  ...(source.forSite && {
    forSite: (siteId) => createReadOnlySource(source.forSite?.(siteId) ?? source),
  }),
  close: async () => {},
});

function createReadOnlyConnection(connection: Connection): Connection {
  let isInTransaction = false;
  const prepare = (statements: readonly Statement[]): Statement[] => {
    const [first] = statements;
    const startsAlone = !isInTransaction && !(first && isStart(first));
    const prepared = statements.map((statement) => {
      const { sql, parameters } = statement;
      if (isStart(statement)) isInTransaction = true;
      else if (isEnd(statement)) isInTransaction = false;
      const isReadOnly = !isStart(statement) || sql.endsWith(READ_ONLY);
      return { sql: isReadOnly ? sql : `${sql.replace(/ read write$/, '')}${READ_ONLY}`, parameters };
    });
    return startsAlone ? [{ sql: SET_READ_ONLY, parameters: [] }, ...prepared] : prepared;
  };
  const runAll: NonNullable<Connection['runAll']> = async (statements, signal) => {
    const sent = prepare(statements);
    const outcome = await getRunAll(connection)(sent, signal);
    return { ...outcome, results: outcome.results.slice(sent.length - statements.length) };
  };
  return createBatchConnection(runAll, (discard) => connection.release(discard));
}
