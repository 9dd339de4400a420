import type { FastifyReply, FastifyRequest } from 'fastify';
import { isWrite } from '../../../contract/rules/reads.ts';
import type { Caller } from '../auth/caller.ts';
import type { Operation } from './contract.ts';

/** A request that was made while acting for somebody. */
export interface Step {
  /** When it was asked, by the clock of this process: the order of what one person does is what counts. */
  at: Date;
  siteId: number;
  reportId: number;
  operationId: string;
  summary: string;
  /** Parameters of the path and the query; never a body, which may hold secrets. */
  subject: string;
  isWrite: boolean;
}

/** Where steps go. */
export interface Steps {
  /** Refuses a request (503) while so many steps wait to be written that this one's would be lost. */
  requireRoom(): void;
  /** Writes down a write before it is done: none is ever done unseen. Returns what `ended` names. */
  begin(step: Step): Promise<number>;
  ended(stepId: number, status: number): void;
  /** Keeps the step of a request that has been answered and changed nothing; it is written within a second. */
  note(step: Step, status: number): void;
}

/** More than any path and query of the contract need. */
const SUBJECT_LENGTH = 500;

/** The console asks this every few seconds: it tells of nobody but the two who act and are acted for. */
const NO_STEP = 'getSession';

/** Hooks of a route that write into the report of the caller what they do for somebody. */
export function stepHooks(
  operation: Operation,
  steps: Steps,
  callerOf: (request: FastifyRequest) => Caller | undefined,
): {
  preHandler?: (request: FastifyRequest) => Promise<void>;
  onResponse?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
} {
  if (operation.id === NO_STEP) return {};
  const begun = new WeakMap<FastifyRequest, number>();
  const writes = isWrite(operation);
  const stepOf = (request: FastifyRequest, msAgo = 0): Step | undefined => {
    const caller = callerOf(request);
    return (
      caller?.acting && {
        at: new Date(Date.now() - msAgo),
        siteId: caller.siteId,
        reportId: caller.acting.reportId,
        operationId: operation.id,
        summary: operation.summary,
        subject: subjectOf(operation, request),
        isWrite: writes,
      }
    );
  };
  return {
    preHandler: async (request) => {
      const step = stepOf(request);
      if (!step) return;
      steps.requireRoom();
      if (writes) begun.set(request, await steps.begin(step));
    },
    onResponse: async (request, reply) => {
      const stepId = begun.get(request);
      if (stepId !== undefined) return steps.ended(stepId, reply.statusCode);
      const step = stepOf(request, reply.elapsedTime);
      if (step) steps.note(step, reply.statusCode);
    },
  };
}

/** Only parameters that the contract knows: what else stands in a query may be anything. */
function subjectOf(operation: Operation, request: FastifyRequest): string {
  const given = { ...Object(request.params), ...Object(request.query) } as Record<string, unknown>;
  return Object.entries(given)
    .filter(([name]) => operation.parameters.has(name.toLowerCase()))
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, ' ')
    .slice(0, SUBJECT_LENGTH)
    .toWellFormed();
}
