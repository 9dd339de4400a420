import type { FastifyReply, FastifyRequest } from 'fastify';
import { isWrite } from '../../../contract/rules/operations.ts';
import type { Caller } from '../auth/caller.ts';
import type { Operation } from './contract.ts';

/** A request that a proxy made while acting for a principal. */
export interface AuditTrailEntry {
  /** Start of the request by the clock of this process; entries of one session are ordered by it. */
  at: Date;
  siteId: number;
  reportId: number;
  operationId: string;
  summary: string;
  /** Path and query parameters; never a body, which may contain secrets. */
  subject: string;
  isWrite: boolean;
}

/** Records the requests made while acting in the acting report. */
export interface AuditTrail {
  /** @throws ApiError 503 while so many entries wait to be written that another one could be lost */
  requireCapacity(): void;
  /** Writes the entry of a write before the write is executed, so that none goes unrecorded. @returns the id for `finishEntry` */
  startEntry(entry: AuditTrailEntry): Promise<number>;
  /** Sets the HTTP status of an entry that was started. */
  finishEntry(entryId: number, status: number): void;
  /** Queues the entry of an answered request that only read; it is written within a second. */
  addEntry(entry: AuditTrailEntry, status: number): void;
}

/** Longer than path and query of any operation of the contract. */
const MAX_SUBJECT_LENGTH = 500;

/** The console polls this operation every few seconds; it returns only data of the proxy and the principal. */
const UNRECORDED_OPERATION = 'getSession';

/** Records the requests of a route in the acting report while the caller acts for a principal. Undefined: none is recorded. */
export function createAuditTrailRecorder(
  operation: Operation,
  auditTrail: AuditTrail,
  getCaller: (request: FastifyRequest) => Caller | undefined,
):
  | {
      /** Records a write before it is executed; undefined if there is nothing to wait for. @throws ApiError 503 */
      start: (request: FastifyRequest) => Promise<void> | undefined;
      finish: (request: FastifyRequest, reply: FastifyReply) => void;
    }
  | undefined {
  if (operation.id === UNRECORDED_OPERATION) return undefined;
  const startedEntryIds = new WeakMap<FastifyRequest, number>();
  const isWriteOperation = isWrite(operation);
  const createEntry = (request: FastifyRequest, elapsedMs = 0): AuditTrailEntry | undefined => {
    const caller = getCaller(request);
    return (
      caller?.acting && {
        at: new Date(Date.now() - elapsedMs),
        siteId: caller.siteId,
        reportId: caller.acting.reportId,
        operationId: operation.id,
        summary: operation.summary,
        subject: formatSubject(operation, request),
        isWrite: isWriteOperation,
      }
    );
  };
  return {
    start(request) {
      const entry = createEntry(request);
      if (!entry) return undefined;
      auditTrail.requireCapacity();
      if (!isWriteOperation) return undefined;
      return auditTrail.startEntry(entry).then((id) => void startedEntryIds.set(request, id));
    },
    finish(request, reply) {
      const entry = createEntry(request, reply.elapsedTime);
      if (!entry) return;
      const entryId = startedEntryIds.get(request);
      if (entryId === undefined) auditTrail.addEntry(entry, reply.statusCode);
      else auditTrail.finishEntry(entryId, reply.statusCode);
    },
  };
}

/** `name=value` of the parameters that the contract defines; unknown query parameters could contain anything. */
function formatSubject(operation: Operation, request: FastifyRequest): string {
  const parameters = { ...Object(request.params), ...Object(request.query) } as Record<string, unknown>;
  return Object.entries(parameters)
    .filter(([name]) => operation.parameters.has(name.toLowerCase()))
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, ' ')
    .slice(0, MAX_SUBJECT_LENGTH)
    .toWellFormed();
}
