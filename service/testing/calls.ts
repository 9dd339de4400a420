/** Requests of a test, through either door, with an answer that is easy to hold against what is expected. */
import type { FastifyInstance, InjectOptions } from 'fastify';
import type { ApiKeySecret, TokenResponse } from '../../contract/generated/types.gen.ts';

const MANAGEMENT = '/api/rest/v1/management';

export interface Reply<Body> {
  status: number;
  /** The parsed body; undefined where there is none. */
  body: Body;
  text: string;
  headers: Readonly<Record<string, string | string[] | number | undefined>>;
}

type Options = Pick<InjectOptions, 'headers' | 'remoteAddress' | 'query'>;

type Send = <Body = unknown>(path: string, payload?: unknown, options?: Options) => Promise<Reply<Body>>;
type Fetch = <Body = unknown>(path: string, options?: Options) => Promise<Reply<Body>>;

export interface Calls {
  get: Fetch;
  post: Send;
  put: Send;
  del: Send;
}

/** A body of one error, as shapes 1 has it. */
export interface Refusal {
  message: string;
  requestId: string;
  errors?: { path: string; message: string }[];
}

/** One request as it stands; paths without `/` in front are below the management prefix. */
export async function send<Body = unknown>(
  app: FastifyInstance,
  request: InjectOptions & { url: string },
): Promise<Reply<Body>> {
  const reply = await app.inject(request);
  const isJson = String(reply.headers['content-type']).includes('json');
  const body = (isJson && reply.payload !== '' ? JSON.parse(reply.payload) : undefined) as Body;
  return { status: reply.statusCode, body, text: reply.payload, headers: reply.headers };
}

/** A program asks for an access token with its key. */
export const askToken = (app: FastifyInstance, key: Pick<ApiKeySecret, 'clientId' | 'clientSecret'>) =>
  send<TokenResponse>(app, {
    method: 'POST',
    url: '/api/rest/v1/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `grant_type=client_credentials&client_id=${key.clientId}&client_secret=${key.clientSecret}`,
  });

/** The four verbs with the same headers each time, below a prefix. */
export function callsWith(app: FastifyInstance, door: string, own: Readonly<Record<string, string>>): Calls {
  const request =
    (method: 'GET' | 'POST' | 'PUT' | 'DELETE') =>
    <Body>(path: string, payload: unknown, options: Options = {}): Promise<Reply<Body>> =>
      send(app, {
        ...options,
        method,
        url: path.startsWith('/') ? door + path : `${door}${MANAGEMENT}/${path}`,
        headers: {
          ...own,
          ...(payload !== undefined && { 'content-type': 'application/json' }),
          ...options.headers,
        },
        ...(payload !== undefined && {
          payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
        }),
      });
  const get = request('GET');
  return {
    get: (path, options) => get(path, undefined, options),
    post: request('POST'),
    put: request('PUT'),
    del: request('DELETE'),
  };
}
