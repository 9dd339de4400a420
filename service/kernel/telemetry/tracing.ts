/**
 * Spans of requests, for a tracer that is loaded only where traces are exported (otlp.ts). Without one, every function here returns
 * at once.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';

/** `traceparent` of W3C Trace Context: version, trace id, parent id, flags. */
const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})/;

/** The span of the caller, by the header of a request; undefined without a valid one. */
export function parseTraceparent(
  headers: IncomingHttpHeaders,
): { traceId: string; spanId: string; flags: number } | undefined {
  const [, traceId, spanId, flags = '0'] = TRACEPARENT.exec(headers['traceparent']?.toString() ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

type Attributes = Readonly<Record<string, string | number>>;

/** The span of a request. Attributes hold names of operations, states and statements only: no values and no data of people. */
export interface RequestSpan {
  traceId: string;
  /** Header of W3C Trace Context for calls of other servers. */
  traceparent: string;
  /** Starts a span within the request. The returned function ends it, with an error if there was one. */
  startChild(name: string, attributes: Attributes): (error?: unknown) => void;
  end(result: { name: string; attributes: Attributes; isFailed: boolean }): void;
}

interface Tracer {
  /** Starts the span of a request, as part of the trace of its `traceparent` header. */
  startRequest(headers: IncomingHttpHeaders): RequestSpan;
}

let currentTracer: Tracer | undefined;
const activeSpan = new AsyncLocalStorage<RequestSpan>();

/** Uses the tracer for all requests of the process from now on; undefined: none. */
export function setTracer(tracer: Tracer | undefined): void {
  currentTracer = tracer;
}

/** Whether requests are traced. */
export const isTracing = (): boolean => currentTracer !== undefined;

/** Starts the span of a request; undefined if nothing is traced. */
export const startRequestSpan = (headers: IncomingHttpHeaders): RequestSpan | undefined =>
  currentTracer?.startRequest(headers);

/** Calls `work` as a part of the request. */
export const runInSpan = <T>(span: RequestSpan | undefined, work: () => T): T =>
  span ? activeSpan.run(span, work) : work();

/** The span of the request that is being served. */
export const getActiveSpan = (): RequestSpan | undefined => currentTracer && activeSpan.getStore();
