import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parse } from 'secure-json-parse';
import { ApiError } from '../api-error.ts';
import type { Operation } from './contract.ts';

/** Limits of every JSON body, checked on the bytes before parsing (JSON.parse accepts any depth). */
const MAX_DEPTH = 32;
const MAX_KEYS = 10_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACKETS = new Set([0x7b, 0x5b]);
const CLOSING_BRACKETS = new Set([0x7d, 0x5d]);
const COLON = 0x3a;

/** @throws ApiError 400 when the body nests too deep, 413 when it has too many properties */
function checkBounds(bytes: Buffer, maxKeys: number): void {
  let depth = 0;
  let keyCount = 0;
  let isInString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (isInString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (OPENING_BRACKETS.has(byte)) {
      depth += 1;
      if (depth > MAX_DEPTH) throw new ApiError(400, `The body is nested more than ${MAX_DEPTH} levels deep`);
    } else if (CLOSING_BRACKETS.has(byte)) depth -= 1;
    else if (byte === COLON) {
      keyCount += 1;
      if (keyCount > maxKeys) throw new ApiError(413, `The body has more than ${maxKeys} properties`);
    }
  }
}

/**
 * Parses a JSON body within the limits. The parser rejects `__proto__` and `constructor` keys.
 * @throws ApiError 400 for invalid JSON or UTF-8 and for excessive depth, 413 for too many properties
 */
export function parseJson(request: FastifyRequest, bytes: Buffer): unknown {
  // Operations with a larger body limit may have proportionally more properties.
  checkBounds(bytes, Math.max(MAX_KEYS, Math.floor(request.routeOptions.bodyLimit / 100)));
  // Decoding invalid UTF-8 would store other characters than were sent (spec 4.4: texts are stored exactly).
  if (!isUtf8(bytes)) throw new ApiError(400, 'The body is not encoded in UTF-8');
  try {
    return parse(bytes.toString('utf8'), { protoAction: 'error', constructorAction: 'error' });
  } catch (error) {
    throw Object.assign(error as Error, { statusCode: 400 });
  }
}

/**
 * Accepts only the four media types of spec 4.1 rule 1. None of them can be sent by an HTML form, so every cross-site write needs a
 * preflight request.
 */
export function registerJsonParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  for (const type of ['application/json', 'text/json', /^application\/[\w.+*-]+\+json(;|$)/]) {
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (request, body, done) => {
      const bytes = body as Buffer;
      if (request.routeOptions.config.operation?.isForm)
        return done(new ApiError(415, 'Send a form: application/x-www-form-urlencoded'));
      if (bytes.length === 0) return done(null, undefined);
      try {
        return done(null, parseJson(request, bytes));
      } catch (error) {
        return done(error as Error);
      }
    });
  }
  app.addHook('onRequest', async (request) => {
    if (request.headers['content-encoding'])
      throw new ApiError(415, 'Compressed request bodies are not accepted');
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

const OFFERED_MEDIA_TYPES = ['application/json', 'text/json', 'text/plain'] as const;

/**
 * The media type of a response: `application/json` unless `Accept` prefers one of the other two (spec 4.1 rule 2). If `Accept`
 * includes none of them, the response is JSON nevertheless, not a 406.
 */
export function negotiateMediaType(accept: string | undefined): string {
  let best: { type: string; quality: number } = { type: 'application/json', quality: 0 };
  for (const part of (accept ?? '').toLowerCase().split(',')) {
    const [range = '', ...params] = part.split(';').map((text) => text.trim());
    const quality = Number(params.find((param) => param.startsWith('q='))?.slice(2) ?? 1);
    const type = OFFERED_MEDIA_TYPES.find(
      (offered) => range === offered || range === '*/*' || range === `${offered.split('/')[0]}/*`,
    );
    if (type && quality > best.quality) best = { type, quality };
  }
  return `${best.type}; charset=utf-8`;
}
