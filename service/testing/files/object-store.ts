/** An S3-compatible store (the package fauxqs) behind a proxy that fails in the ways in which stores and networks fail. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startFauxqs } from 'fauxqs';
import type { S3Settings } from '../../kernel/config.ts';
import { Secret } from '../../kernel/secret.ts';

const BUCKET = 'steward-files';

/** What the proxy does with requests that it does not pass on. */
type Fault =
  /** Answers nothing until the fault ends, and then closes the connection. */
  | 'hang'
  /** Answers with an error of the store. */
  | { status: number; code: string };

interface FaultRule {
  /** Which requests fail; by default all. */
  matches?: (request: { method: string; url: string }) => boolean;
  fault: Fault;
  /** After that many the others pass; by default all fail. */
  times?: number;
}

export interface TestObjectStore {
  settings: S3Settings;
  /** Settings of a process that uses the store, as environment. */
  env: Readonly<Record<string, string>>;
  /** Lets requests fail from now on; undefined: none. Resolves when the first one has failed. */
  fail(rule: FaultRule | undefined): Promise<void>;
  /** Accepts no connection until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Starts an empty store with a bucket. */
export async function startObjectStore(prefix = 'test/files'): Promise<TestObjectStore> {
  const store = await startFauxqs({ port: 0, logger: false, init: { buckets: [BUCKET] } });
  const hanging = new Set<ServerResponse>();
  let rule: FaultRule | undefined;
  let failures = 0;
  let noticeFailure: (() => void) | undefined;

  const proxy = createServer((incoming, outgoing) => {
    const { method = '', url = '' } = incoming;
    const isFailing =
      rule !== undefined && failures < (rule.times ?? Infinity) && (rule.matches?.({ method, url }) ?? true);
    if (!rule || !isFailing) {
      pass(incoming, outgoing, store.port);
      return;
    }
    failures += 1;
    noticeFailure?.();
    if (rule.fault === 'hang') {
      hanging.add(outgoing);
      return;
    }
    const { status, code } = rule.fault;
    incoming.resume().on('end', () => {
      outgoing.writeHead(status, { 'content-type': 'application/xml' });
      outgoing.end(method === 'HEAD' ? '' : `<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
    });
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', () => resolve()));
  const stop = () =>
    new Promise<void>((resolve) => {
      proxy.close(() => resolve());
      proxy.closeAllConnections();
    });

  await listen(0);
  const { port } = proxy.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    settings: {
      endpoint,
      region: 'us-east-1',
      bucket: BUCKET,
      prefix,
      accessKeyId: 'steward',
      secretAccessKey: new Secret('secret'),
      usesPathStyle: true,
    },
    env: {
      BLOB_STORE: 's3',
      S3_ENDPOINT: endpoint,
      S3_BUCKET: BUCKET,
      S3_PREFIX: prefix,
      S3_ACCESS_KEY_ID: 'steward',
      S3_SECRET_ACCESS_KEY: 'secret',
    },
    fail(next) {
      rule = next;
      failures = 0;
      for (const response of hanging) response.destroy();
      hanging.clear();
      return new Promise((resolve) => (noticeFailure = resolve));
    },
    stop,
    start: () => listen(port),
    async close() {
      await stop();
      await store.stop();
    },
  };
}

/** Passes a request on to the store, and its answer back. */
function pass(incoming: IncomingMessage, outgoing: ServerResponse, port: number): void {
  const { method, url, headers } = incoming;
  const passed = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  passed.on('error', () => outgoing.destroy());
  outgoing.on('close', () => passed.destroy());
  incoming.pipe(passed);
}
