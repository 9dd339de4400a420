import { ApiError, badRequest } from '../../../kernel/api-error.ts';
import { authorize } from '../../../kernel/auth/authorize.ts';
import type { Caller, RequestOrigin } from '../../../kernel/auth/caller.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Contract, Operation } from '../../../kernel/http/contract.ts';
import type { Call, Handlers, Services } from '../../../kernel/http/handler.ts';
import {
  entryHistoryHandlers,
  entryQueryHandlers,
  queryRowItems,
  type RowItems,
} from '../../entries/index.ts';
import { schemaHandlers } from '../../schema/index.ts';
import type { ReadRules } from './read-rules.ts';

/** The operations that tools call, all of which only read. */
type ReadOperation =
  | 'listEntryTypes'
  | 'listFields'
  | 'queryRowsByBody'
  | 'listEntryChanges'
  | 'queryRowsAsOf';

const handlers: Handlers<ReadOperation> = {
  listEntryTypes: schemaHandlers.listEntryTypes,
  listFields: schemaHandlers.listFields,
  queryRowsByBody: entryQueryHandlers.queryRowsByBody,
  listEntryChanges: entryHistoryHandlers.listEntryChanges,
  queryRowsAsOf: entryHistoryHandlers.queryRowsAsOf,
};

/** What a tool works with. */
export interface ReadContext {
  /** The person of the agent, with capabilities to read only. */
  caller: Caller;
  /** What of the schema the agent may read. */
  rules: ReadRules;
  /** Read-only; statements are aborted with the signal. */
  db: Db;
  signal: AbortSignal;
  origin: RequestOrigin;
  contract: Contract;
  services: Services;
}

type Parts<Id extends ReadOperation> = Partial<Pick<Call<Id>, 'params' | 'query' | 'body'>>;

/** Body of the success response of an operation. */
export type ReadResult<Id extends ReadOperation> = Extract<
  Awaited<ReturnType<Handlers[Id]>>,
  { status: 200; body: unknown }
>['body'];

const operationsByContract = new WeakMap<Contract, ReadonlyMap<string, Operation>>();

function getOperation(contract: Contract, id: ReadOperation): Operation {
  const known =
    operationsByContract.get(contract) ?? new Map(contract.operations.map((each) => [each.id, each]));
  operationsByContract.set(contract, known);
  const operation = known.get(id);
  if (!operation) throw new Error(`${id} is not in the contract`);
  return operation;
}

interface Request {
  params?: object;
  query?: object;
  body?: object;
}

/** The call of an operation as the API would make it: with its authorization, its validation and its defaults. */
function prepareCall(
  context: ReadContext,
  id: ReadOperation,
  { params = {}, query = {}, body }: Request,
): Call {
  const operation = getOperation(context.contract, id);
  authorize(operation, context.caller);
  const { parts, errors } = operation.validateRequest({ params, query, body });
  if (errors.length > 0) throw badRequest(errors);
  // The validation guarantees the types of the parts.
  return createReadCall(context, parts as Parts<ReadOperation>);
}

/**
 * Calls the handler of an operation.
 * @throws ApiError as the operation
 */
export async function readOperation<Id extends ReadOperation>(
  context: ReadContext,
  id: Id,
  request: Request,
): Promise<ReadResult<Id>> {
  // TypeScript cannot relate the handler to its own operation.
  const handle = handlers[id] as (call: Call) => Promise<{ json?: string; body?: unknown }>;
  const response = await handle(prepareCall(context, id, request));
  const result: unknown = response.json === undefined ? response.body : JSON.parse(response.json);
  return result as ReadResult<Id>;
}

/**
 * Rows of queryRowsByBody as text, which nobody has to parse before the agent gets it.
 * @throws ApiError as the operation
 */
export const readRowItems = (context: ReadContext, request: Request): Promise<RowItems> =>
  queryRowItems(prepareCall(context, 'queryRowsByBody', request));

const unavailable = (): never => {
  throw new ApiError(500, 'An agent cannot use this part of a request');
};

/** The call of a handler, with nothing in it but what reading needs. */
const createReadCall = (
  { caller, db, signal, origin, contract, services }: ReadContext,
  parts: Parts<ReadOperation>,
): Call => ({
  params: undefined,
  query: undefined,
  body: undefined,
  ...(parts as object),
  files: [],
  readItems: unavailable,
  get bodyStream() {
    return unavailable();
  },
  contract,
  ifMatch: undefined,
  range: undefined,
  lastEventId: undefined,
  authorization: undefined,
  sessionTokenHash: undefined,
  deviceTokenHash: undefined,
  caller,
  origin,
  operations: contract.operations,
  db,
  readDb: db,
  signal,
  stopSignal: signal,
  services,
});
