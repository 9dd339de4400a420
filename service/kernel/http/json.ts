import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../api-error.ts';
import type { BodyReader } from './bodies/body-reader.ts';
import type { CheckedBody } from './bodies/read-body.ts';
import { hasBody } from './bodies/refused-bodies.ts';
import type { Operation } from './contract.ts';

const JSON_TYPES = ['application/json', 'text/json', /^application\/[\w.+*-]+\+json(;|$)/] as const;

/**
 * Accepts only the four media types of spec 4.1 rule 1. None of them can be sent by an HTML form, so every cross-site write needs a
 * preflight request. The body of a request becomes a `CheckedBody`, undefined if it is empty.
 */
export function registerJsonParsers(app: FastifyInstance, bodyReader: BodyReader): void {
  app.removeAllContentTypeParsers();
  for (const type of JSON_TYPES) {
    app.addContentTypeParser(type, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
      const { operation } = request.routeOptions.config;
      if (operation?.isForm) throw new ApiError(415, 'Send a form: application/x-www-form-urlencoded');
      if (operation === undefined || body.length === 0) return undefined;
      if (operation.hasRawBody) return { value: undefined, errors: [], bytes: body } satisfies CheckedBody;
      return bodyReader.read(operation, body);
    });
  }
  app.addHook('onRequest', (request, _reply, done) => {
    const encoding = request.headers['content-encoding'];
    if (!encoding || !hasBody(request)) return done();
    const { operation } = request.routeOptions.config;
    if (operation?.hasStreamedBody && /^(x-)?gzip$/i.test(encoding)) return done();
    return done(new ApiError(415, 'Compressed request bodies are not accepted'));
  });
}

/** Accepts the same media types and leaves the body to the handler (`Call.bodyStream`). Other bodies are refused. */
export function registerStreamParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  for (const type of JSON_TYPES)
    app.addContentTypeParser(
      type,
      async (_request: FastifyRequest, stream: Readable) =>
        ({
          value: undefined,
          errors: [],
          stream,
        }) satisfies CheckedBody,
    );
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

const JSON_TYPE = 'application/json; charset=utf-8';
const OFFERED_MEDIA_TYPES = ['application/json', 'text/json', 'text/plain'] as const;

/**
 * The media type of a response: `application/json` unless `Accept` prefers one of the other two (spec 4.1 rule 2). If `Accept`
 * includes none of them, the response is JSON nevertheless, not a 406.
 */
export function negotiateMediaType(accept: string | undefined): string {
  return accept === undefined || accept === '*/*' || accept === 'application/json'
    ? JSON_TYPE
    : chooseMediaType(accept);
}

function chooseMediaType(accept: string): string {
  let best: { type: string; quality: number } = { type: 'application/json', quality: 0 };
  for (const part of accept.toLowerCase().split(',')) {
    const [range = '', ...params] = part.split(';').map((text) => text.trim());
    const quality = Number(params.find((param) => param.startsWith('q='))?.slice(2) ?? 1);
    const type = OFFERED_MEDIA_TYPES.find(
      (offered) => range === offered || range === '*/*' || range === `${offered.split('/')[0]}/*`,
    );
    if (type && quality > best.quality) best = { type, quality };
  }
  return `${best.type}; charset=utf-8`;
}
