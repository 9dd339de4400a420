/** HTTP requests in tests, with responses in a form that is easy to compare. */
import type { FastifyInstance, InjectOptions } from 'fastify';
import type { ApiKeySecret, TokenResponse } from '../../contract/generated/types.gen.ts';

const MANAGEMENT = '/api/rest/v1/management';

export interface Reply<Body> {
  status: number;
  /** The parsed body; undefined if there is none. */
  body: Body;
  text: string;
  headers: Readonly<Record<string, string | string[] | number | undefined>>;
}

type RequestOptions = Pick<InjectOptions, 'headers' | 'remoteAddress' | 'query'>;

type SendRequest = <Body = unknown>(
  path: string,
  payload?: unknown,
  options?: RequestOptions,
) => Promise<Reply<Body>>;
type GetRequest = <Body = unknown>(path: string, options?: RequestOptions) => Promise<Reply<Body>>;

export interface ApiClient {
  get: GetRequest;
  post: SendRequest;
  put: SendRequest;
  del: SendRequest;
}

/** Error body (shapes 1). */
export interface ErrorBody {
  message: string;
  requestId: string;
  errors?: { path: string; message: string }[];
}

/** Operations whose responses to GET do not end; tests of all operations send HEAD, which opens no stream. */
const STREAM_PATH = /\/(management\/jobs\/events|publication\/positions)$/;

/** Sends one request. */
export async function send<Body = unknown>(
  app: FastifyInstance,
  request: InjectOptions & { url: string },
): Promise<Reply<Body>> {
  const isStream = request.method === 'GET' && STREAM_PATH.test(request.url);
  const reply = await app.inject(isStream ? { ...request, method: 'HEAD' } : request);
  const isJson = String(reply.headers['content-type']).includes('json');
  const body = (isJson && reply.payload !== '' ? JSON.parse(reply.payload) : undefined) as Body;
  return { status: reply.statusCode, body, text: reply.payload, headers: reply.headers };
}

/** A form with a model and files, as operations with files read it. */
export interface FormRequest {
  method?: 'POST' | 'PUT';
  url: string;
  token: string;
  model: object;
  /** Files by the name of their part. */
  files: readonly { part: string; name: string; content: Buffer }[];
  headers?: Readonly<Record<string, string>>;
}

/** Sends a form as multipart/form-data. */
export async function sendForm<Body = unknown>(
  app: FastifyInstance,
  { method = 'POST', url, token, model, files, headers = {} }: FormRequest,
): Promise<Reply<Body>> {
  const form = new FormData();
  form.append('model', JSON.stringify(model));
  for (const { part, name, content } of files) form.append(part, new Blob([new Uint8Array(content)]), name);
  const body = new Response(form);
  return send<Body>(app, {
    method,
    url,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': body.headers.get('content-type') ?? '',
      ...headers,
    },
    payload: Buffer.from(await body.arrayBuffer()),
  });
}

/** Requests an access token with an API key. */
export const requestToken = (app: FastifyInstance, key: Pick<ApiKeySecret, 'clientId' | 'clientSecret'>) =>
  send<TokenResponse>(app, {
    method: 'POST',
    url: '/api/rest/v1/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `grant_type=client_credentials&client_id=${key.clientId}&client_secret=${key.clientSecret}`,
  });

/** An API client with fixed headers. Paths without a leading `/` are relative to the management API. */
export function createApiClient(
  app: FastifyInstance,
  prefix: string,
  headers: Readonly<Record<string, string>>,
): ApiClient {
  const request =
    (method: 'GET' | 'POST' | 'PUT' | 'DELETE') =>
    <Body>(path: string, payload: unknown, options: RequestOptions = {}): Promise<Reply<Body>> =>
      send(app, {
        ...options,
        method,
        url: path.startsWith('/') ? prefix + path : `${prefix}${MANAGEMENT}/${path}`,
        headers: {
          ...headers,
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
