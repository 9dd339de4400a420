/** Load over keep-alive connections of `node:http`. Like a client of a real program it takes its share of the cores. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request as sendRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { percentile } from '../../bench.ts';

export interface LoadRequest {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

/** @throws Error for a status other than 200 */
async function send(url: string, agent: Agent, { method, path, headers, body }: LoadRequest): Promise<void> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const outgoing = sendRequest(url + path, { method, headers: { ...headers, ...type }, agent });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const responseText = await text(response);
  if (response.statusCode !== 200)
    throw new Error(`${response.statusCode} of ${method} ${path}: ${responseText.slice(0, 300)}`);
}

export interface Load {
  requests: number;
  /** Requests per second. */
  rate: number;
  /** Percentile of the duration in milliseconds. */
  getLatency: (part: number) => number;
}

/** Sends requests for a time, with `callers` in parallel, distributed over the servers. */
export async function measureLoad(
  urls: readonly string[],
  createRequest: () => LoadRequest,
  { callers, seconds }: { callers: number; seconds: number },
): Promise<Load> {
  const agent = new Agent({ keepAlive: true });
  const latencies: number[] = [];
  const started = performance.now();
  const runCaller = async (index: number) => {
    const url = urls[index % urls.length] ?? '';
    while (performance.now() - started < seconds * 1000) {
      const sent = performance.now();
      await send(url, agent, createRequest());
      latencies.push(performance.now() - sent);
    }
  };
  try {
    await Promise.all(Array.from({ length: callers }, (_, index) => runCaller(index)));
  } finally {
    agent.destroy();
  }
  const rate = (latencies.length * 1000) / (performance.now() - started);
  return { requests: latencies.length, rate, getLatency: (part) => percentile(latencies, part) };
}
