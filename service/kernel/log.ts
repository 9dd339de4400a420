import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

export type Log = Logger;

/**
 * The service's log: one JSON object a line with `time`, `level` and `message`. Fastify takes it as
 * `loggerInstance`. The second parameter is for those who read the lines themselves (tests).
 */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    messageKey: 'message',
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError, req: describeRequest, res: describeReply },
    hooks: { streamWrite: escapeLine },
  };
  return destination ? pino(options, destination) : pino(options);
}

// JSON leaves these raw inside strings, yet terminals and log readers act on them: DEL and C1 controls (an ANSI
// escape without ESC), the Unicode line ends, and the marks that reverse the direction of text.
// oxlint-disable-next-line no-control-regex
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
 * What an error says in the log. Only named properties: a database error also carries the statement's values, which
 * are personal data. The stack only where the fault is ours (no status, or 5xx; a refusal of our own has `status`, one of Fastify `statusCode`).
 */
function describeError(error: unknown): ErrorRecord {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { code, constraint, status, statusCode = status }: KnownError = error;
  const ours = typeof statusCode !== 'number' || statusCode >= 500;
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    ...(typeof constraint === 'string' && { constraint }),
    ...(ours && error.stack !== undefined && { stack: shorten(error.stack) }),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}

// The embedded database's errors bring a 20 KB line of minified source in their stack.
function shorten(stack: string): string {
  const lines = stack.split('\n').map((line) => (line.length > 400 ? `${line.slice(0, 400)}…` : line));
  return lines.slice(0, 30).join('\n');
}

interface LoggedRequest {
  id?: string;
  method?: string;
  url?: string;
  ip?: string;
}

// The query is left out: it holds names and e-mail addresses, and a mistaken client may put a token there.
function describeRequest(request: LoggedRequest) {
  return { id: request.id, method: request.method, path: request.url?.split('?', 1)[0], ip: request.ip };
}

function describeReply(reply: { statusCode?: number }) {
  return { statusCode: reply.statusCode };
}
