/** A service whose first site has an entry type with many entries, and an authorized client of its API. */
import { execFile } from 'node:child_process';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ada } from '../../e2e/support/data/people.ts';
import { startService, type Service } from '../../e2e/support/service.ts';
import { measureMs } from '../bench.ts';
import { chooseDatabase } from '../database.ts';

/** Default number of entries without the option `--entries`, and the highest number for the embedded database. */
export const ENTRIES = 1_000_000;
export const MAX_EMBEDDED_ENTRIES = 100_000;

/** Short name of the first site of the sample. */
const SITE = 'northlight';
const DATA = '/api/rest/v4/data/entrydata';
const SCHEMA = '/api/rest/v4/schema/entrytypes';

const Fields = z.array(
  z.object({
    id: z.number(),
    apiName: z.string(),
    choiceValues: z.array(z.object({ id: z.number(), name: z.string() })),
  }),
);
type Field = z.infer<typeof Fields>[number];

export interface EntryService {
  service: Service;
  entries: number;
  typeId: number;
  /** Duration of loading the entries. */
  loadMs: number;
  /** @throws {Error} If the type has no such field. */
  getField: (apiName: string) => Field;
  /** API names of all fields. */
  fieldNames: readonly string[];
  /** Calls the bearer API; returns the body. @throws {Error} For any status other than 200. */
  call(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<string>;
  /** Queries rows of the type; returns the body. */
  queryRows(query: object): Promise<string>;
  remove(): Promise<void>;
}

export const paths = {
  rows: (typeId: number) => `${DATA}/rows/query/${typeId}`,
  write: (typeId: number) => `${DATA}/${typeId}`,
  history: (typeId: number, since: Date) =>
    `${DATA}/${typeId}/entries/history?modifiedSince=${since.toISOString()}`,
  historical: `${DATA}/getHistoricalData`,
};

/** Highest number of parallel requests. */
export const CONNECTIONS = 4;

/** Creates a caller that uses keep-alive connections of `node:http`, because `fetch` costs more than some of the measured calls. */
export function createCaller({ url }: { url: string }, token: string): EntryService['call'] {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return async (method, path, body) => {
    const outgoing = request(url + path, { method, headers, agent });
    outgoing.end(body && JSON.stringify(body));
    const response = await new Promise<IncomingMessage>((done, reject) => {
      outgoing.once('error', reject).once('response', done);
    });
    const responseText = await text(response);
    const status = response.statusCode;
    if (status !== 200) throw new Error(`${status} of ${method} ${path}: ${responseText.slice(0, 500)}`);
    return responseText;
  };
}

/** Creates an API key for the administrator on a site; returns an access token with the scope `data`. */
export async function createAccessToken(service: Service, site = SITE): Promise<string> {
  const printed = await service.admin('api-key', ada.email, '--replace', '--scopes', 'data', '--site', site);
  const key = z.object({ client_id: z.coerce.string(), client_secret: z.string() }).parse(printed);
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'data', ...key });
  const answer = await fetch(`${service.url}/api/rest/v1/oauth/token`, { method: 'POST', body });
  return z.object({ access_token: z.string() }).parse(await answer.json()).access_token;
}

/**
 * Fills the first site with the load command; returns the duration in milliseconds. The embedded database has one user at a time, so
 * the service is stopped during the load.
 */
async function loadEntries(service: Service, entries: number, changes: number): Promise<number> {
  const isEmbedded = service.storageEnv['DATABASE_URL'] === undefined;
  if (isEmbedded) await service.stop();
  const args = ['--site', SITE, '--entries', String(entries), '--changes', String(changes)];
  const env = { ...process.env, ...service.storageEnv };
  const durationMs = await measureMs(() =>
    promisify(execFile)(process.execPath, ['service/cli/steward.ts', 'load', ...args], { env }),
  );
  if (isEmbedded) await service.start();
  return durationMs;
}

/** Starts a service on the database and loads the entries with `changes` changes each. */
export async function startEntryService(
  kind: 'embedded' | 'postgres',
  { entries, changes, env }: { entries: number; changes: number; env?: Record<string, string> },
): Promise<EntryService> {
  await chooseDatabase(kind);
  const service = await startService({ sample: true, administrator: ada, ...(env && { env }) });
  try {
    const loadMs = await loadEntries(service, entries, changes);
    const call = createCaller(service, await createAccessToken(service));
    const type = z.object({ id: z.number() }).parse(JSON.parse(await call('GET', `${SCHEMA}/Prospect`)));
    const fields = Fields.parse(JSON.parse(await call('GET', `${SCHEMA}/Prospect/fields`)));
    const queryRows: EntryService['queryRows'] = (query) => call('POST', paths.rows(type.id), query);
    const getField: EntryService['getField'] = (apiName) => {
      const field = fields.find((each) => each.apiName === apiName);
      if (!field) throw new Error(`Prospect has no field ${apiName}`);
      return field;
    };
    return {
      service,
      entries,
      typeId: type.id,
      loadMs,
      getField,
      fieldNames: fields.map(({ apiName }) => apiName),
      call,
      queryRows,
      remove: () => service.remove(),
    };
  } catch (error) {
    await service.remove();
    throw error;
  }
}
