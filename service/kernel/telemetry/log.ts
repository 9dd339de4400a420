import { hostname } from 'node:os';
import {
  destination as openDestination,
  type DestinationStream,
  type Logger,
  pino,
  stdTimeFunctions,
} from 'pino';

export type Log = Logger;

/**
 * Creates the log of the service: one JSON object per line with `time`, `level`, `host` and `message`. Fastify uses it as `loggerInstance`.
 * `destination` is for tests that read the lines.
 */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { host: hostname() },
    messageKey: 'message',
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError, req: describeRequest, res: describeReply },
    hooks: { streamWrite: escapeLine },
  };
  return pino(options, destination ?? getStandardOutput());
}

let standardOutput: DestinationStream | undefined;

/** One for all logs of the process, so that they share its listener for the exit. */
const getStandardOutput = (): DestinationStream =>
  (standardOutput ??= batchLines(openDestination({ fd: process.stdout.fd, sync: true })));

/**
 * Writes the lines of one turn of the event loop together: with many requests at once, each line would otherwise be a system call. No
 * line waits longer than the turn, and those of the last turn are written when the process exits, also by an uncaught exception.
 */
export function batchLines(destination: DestinationStream): DestinationStream & { flushSync: () => void } {
  let lines = '';
  const flushSync = () => {
    const batch = lines;
    lines = '';
    if (batch !== '') destination.write(batch);
  };
  process.on('exit', flushSync);
  return {
    write(line) {
      if (lines === '') setImmediate(flushSync);
      lines += line;
    },
    // Called by pino after a fatal error.
    flushSync,
  };
}

// Characters that JSON does not escape but terminals and log viewers interpret: DEL and C1 controls (ANSI escapes without ESC),
// Unicode line separators, and marks that change the direction of text.
// oxlint-disable-next-line no-control-regex -- control characters are what it matches
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

function escapeLine(line: string): string {
  return line.replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

interface ErrorRecord {
  type: string;
  message: string;
  code?: string;
  constraint?: string;
  stack?: string;
  cause?: ErrorRecord;
}

type KnownError = Error & { code?: unknown; constraint?: unknown; status?: unknown; statusCode?: unknown };

/**
 * Serializes an error for the log. Only selected properties are logged: a database error also contains parameters, which are
 * personal data. The stack is logged only for errors of the service (no status, or 5xx); ApiError has `status`, Fastify's errors
 * have `statusCode`.
 */
function describeError(error: unknown): ErrorRecord {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { code, constraint, status, statusCode = status }: KnownError = error;
  const isServiceError = typeof statusCode !== 'number' || statusCode >= 500;
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    ...(typeof constraint === 'string' && { constraint }),
    ...(isServiceError && error.stack !== undefined && { stack: shortenStack(error.stack) }),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}

// Stacks from the embedded database contain a line with 20 KB of minified source.
function shortenStack(stack: string): string {
  const lines = stack.split('\n').map((line) => (line.length > 400 ? `${line.slice(0, 400)}…` : line));
  return lines.slice(0, 30).join('\n');
}

interface LoggedRequest {
  id?: string;
  method?: string;
  url?: string;
  ip?: string;
}

// Without the query string, which contains names and e-mail addresses, and tokens of faulty clients.
function describeRequest(request: LoggedRequest) {
  return { id: request.id, method: request.method, path: request.url?.split('?', 1)[0], ip: request.ip };
}

function describeReply(reply: { statusCode?: number }) {
  return { statusCode: reply.statusCode };
}
