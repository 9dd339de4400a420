/** A service whose first site has a type with very many entries, and a program that asks it. */
import { execFile } from 'node:child_process';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ada } from '../../e2e/support/people.ts';
import { startService, type Service } from '../../e2e/support/service.ts';
import { measureMs } from '../bench.ts';
import { chooseDatabase } from '../database.ts';

/** What is measured where `--entries` says nothing; the embedded database is measured with a tenth at most. */
export const ENTRIES = 1_000_000;
export const MOST_EMBEDDED = 100_000;

/** The sample's first site. */
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

export interface Place {
  service: Service;
  entries: number;
  typeId: number;
  /** How long the load took. */
  loadMs: number;
  field: (apiName: string) => Field;
  /** The apiNames of all fields. */
  fields: readonly string[];
  /** The body of a good answer; anything else is thrown. */
  ask(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<string>;
  /** The answer to a query of rows. */
  rows(asked: object): Promise<string>;
  remove(): Promise<void>;
}

export const paths = {
  rows: (typeId: number) => `${DATA}/rows/query/${typeId}`,
  write: (typeId: number) => `${DATA}/${typeId}`,
  history: (typeId: number, since: Date) =>
    `${DATA}/${typeId}/entries/history?modifiedSince=${since.toISOString()}`,
  historical: `${DATA}/getHistoricalData`,
};

/** How many requests of a program are under way at once. */
export const CONNECTIONS = 4;

/** Requests over connections that stay open: fetch costs more than some of what is measured. */
export function requests({ url }: { url: string }, token: string): Place['ask'] {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return async (method, path, body) => {
    const sent = request(url + path, { method, headers, agent });
    sent.end(body && JSON.stringify(body));
    const response = await new Promise<IncomingMessage>((done, reject) => {
      sent.once('error', reject).once('response', done);
    });
    const read = await text(response);
    const status = response.statusCode;
    if (status !== 200) throw new Error(`${status} of ${method} ${path}: ${read.slice(0, 500)}`);
    return read;
  };
}

async function tokenOf(service: Service): Promise<string> {
  const printed = await service.admin('api-key', ada.email, '--scopes', 'data', '--site', SITE);
  const key = z.object({ client_id: z.coerce.string(), client_secret: z.string() }).parse(printed);
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'data', ...key });
  const answer = await fetch(`${service.url}/api/rest/v1/oauth/token`, { method: 'POST', body });
  return z.object({ access_token: z.string() }).parse(await answer.json()).access_token;
}

/** Fills the first site by the command of the host: on the embedded database while no service has it. */
async function load(service: Service, entries: number, changes: number): Promise<number> {
  const isEmbedded = service.storageEnv['DATABASE_URL'] === undefined;
  if (isEmbedded) await service.stop();
  const args = ['--site', SITE, '--entries', String(entries), '--changes', String(changes)];
  const env = { ...process.env, ...service.storageEnv };
  const took = await measureMs(() =>
    promisify(execFile)(process.execPath, ['service/cli/load.ts', ...args], { env }),
  );
  if (isEmbedded) await service.start();
  return took;
}

export async function newPlace(
  kind: 'embedded' | 'postgres',
  { entries, changes }: { entries: number; changes: number },
): Promise<Place> {
  await chooseDatabase(kind);
  const service = await startService({ sample: true, administrator: ada });
  try {
    const loadMs = await load(service, entries, changes);
    const ask = requests(service, await tokenOf(service));
    const type = z.object({ id: z.number() }).parse(JSON.parse(await ask('GET', `${SCHEMA}/Prospect`)));
    const fields = Fields.parse(JSON.parse(await ask('GET', `${SCHEMA}/Prospect/fields`)));
    const rows: Place['rows'] = (asked) => ask('POST', paths.rows(type.id), asked);
    const field: Place['field'] = (apiName) => {
      const found = fields.find((each) => each.apiName === apiName);
      if (!found) throw new Error(`Prospect has no field ${apiName}`);
      return found;
    };
    return {
      service,
      entries,
      typeId: type.id,
      loadMs,
      field,
      fields: fields.map(({ apiName }) => apiName),
      ask,
      rows,
      remove: () => service.remove(),
    };
  } catch (error) {
    await service.remove();
    throw error;
  }
}
