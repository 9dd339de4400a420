import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parse } from 'secure-json-parse';
import type { Operation } from './contract.ts';
import { ApiError } from './errors.ts';

/** Bounds of every JSON body, counted on the bytes before anything is built from them (JSON.parse takes any depth). */
const MAX_DEPTH = 32;
const MAX_KEYS = 10_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENERS = new Set([0x7b, 0x5b]);
const CLOSERS = new Set([0x7d, 0x5d]);
const COLON = 0x3a;

/** Refuses a body that nests or names more than the bounds allow. */
function bound(bytes: Buffer, maxKeys: number): void {
  let depth = 0;
  let keys = 0;
  let inText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (inText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inText = false;
    } else if (byte === QUOTE) inText = true;
    else if (OPENERS.has(byte)) {
      depth += 1;
      if (depth > MAX_DEPTH) throw new ApiError(400, `The body nests deeper than ${MAX_DEPTH} levels`);
    } else if (CLOSERS.has(byte)) depth -= 1;
    else if (byte === COLON) {
      keys += 1;
      if (keys > maxKeys) throw new ApiError(413, `The body has more than ${maxKeys} properties`);
    }
  }
}

/**
 * Reads a JSON text within the bounds. `__proto__` and `constructor` keys are refused by the parser.
 * @throws 400 for what is no JSON in UTF-8, 413 or 400 beyond the bounds
 */
export function readJson(request: FastifyRequest, bytes: Buffer): unknown {
  // Larger bodies are allowed only where the contract says so; their number of keys grows with them.
  bound(bytes, Math.max(MAX_KEYS, Math.floor(request.routeOptions.bodyLimit / 100)));
  // What is read otherwise would be stored with other letters than were sent (spec 4.4: texts exactly).
  if (!isUtf8(bytes)) throw new ApiError(400, 'The body is not in UTF-8');
  try {
    return parse(bytes.toString('utf8'), { protoAction: 'error', constructorAction: 'error' });
  } catch (error) {
    throw Object.assign(error as Error, { statusCode: 400 });
  }
}

/**
 * Accepts the four media types of spec 4.1 rule 1 and nothing else, so that every cross-site write needs a preflight
 * (none of them is a type that a form can send).
 */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  for (const type of ['application/json', 'text/json', /^application\/[\w.+*-]+\+json(;|$)/]) {
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (request, body, done) => {
      const bytes = body as Buffer;
      if (request.routeOptions.config.operation?.form)
        return done(new ApiError(415, 'Send a form: application/x-www-form-urlencoded'));
      if (bytes.length === 0) return done(null, undefined);
      try {
        return done(null, readJson(request, bytes));
      } catch (error) {
        return done(error as Error);
      }
    });
  }
  app.addHook('onRequest', async (request) => {
    if (request.headers['content-encoding'])
      throw new ApiError(415, 'A compressed request body is not accepted');
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
  }
}
