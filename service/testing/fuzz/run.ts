/** Sends generated requests, checks every response, and reports what was found. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliDecompressSync } from 'node:zlib';
import * as fc from 'fast-check';
import { createRandom } from '../../cli/load/random.ts';
import type { Contract, Operation } from '../../kernel/http/contract.ts';
import { MCP } from '../agents.ts';
import { MAX_TURN_MS, watchTurns } from '../measures/turns.ts';
import { buildRequest, createRequests, findKindOfId, type RequestPlan } from './requests.ts';
import { findKind } from './schema-values.ts';
import { FUZZ_ADDRESS } from './states.ts';
import { FOREIGN_MARKER } from './values.ts';
import type { FuzzWorld } from './world.ts';

/** A broken promise, with the smallest request that was found to break it. */
interface Finding {
  signature: string;
  request: string;
  detail: string;
}

export interface FuzzReport {
  seed: number;
  requests: number;
  /** Number of responses by status. */
  statuses: ReadonlyMap<number, number>;
  findings: readonly Finding[];
  operations: number;
  /** Operations without a 2xx, with the most frequent refusals of each. */
  unanswered: readonly string[];
  /** Share of the requests of administrators that were refused with 401. */
  refusedShare: number;
  /** Longest computation without a pause in the thread that answers requests, in milliseconds of its processor time. */
  longestTurnMs: number;
  longestTurnOperation: string;
  /** Garbage collection in a computation that was longer than allowed with it. */
  longestCollectionMs: number;
  /** Computations that were longer than allowed, without a collection, and not when the same request was repeated. */
  slowOnce: readonly string[];
}

/** A request that was sent, with what came of it. */
interface SentRequest {
  request: ReturnType<typeof buildRequest>;
  /** The request for a report. */
  text: string;
  reply: Awaited<ReturnType<FuzzWorld['app']['inject']>>;
  records: readonly LogLine[];
  turnMs: number;
}

/** A run reports its progress after so many requests. */
const PROGRESS_REQUESTS = 5_000;
/** Requests of a sequence, of different operations; fast-check leaves out those that a finding does not need. */
const SEQUENCE_LENGTH = 12;
/** Sequences of the same operations, with different input, before the operations are shuffled again. */
const MAX_RUNS = 6;
/** Sequences between two runs of jobs and tasks, which wait seconds for destinations that nobody serves. */
const BACKGROUND_INTERVAL = 60;
/** Requests that shrinking one finding may take. */
const MAX_SHRINK_REQUESTS = 600;
const LEAKED_INTERNALS = /\bselect\b.+\bfrom\b|\binsert into\b|node_modules|\.ts:\d+|at \w+ \(|SQLSTATE/i;

interface LogLine {
  line: string;
  record: Readonly<Record<string, unknown>>;
}

/** Collects the lines of a log. */
export class LogCollector {
  /** Lines by the id of their request; empty for the lines of jobs and tasks. */
  readonly records = new Map<string, LogLine[]>();

  write(line: string): void {
    const record = JSON.parse(line) as Record<string, unknown>;
    const requestId = typeof record['requestId'] === 'string' ? record['requestId'] : '';
    const lines = this.records.get(requestId) ?? [];
    this.records.set(requestId, lines);
    lines.push({ line, record });
  }
}

/** Operations whose link or credentials say which site is meant. */
const OPERATIONS_OF_ANY_SITE = new Set([
  'inspectLink',
  'inspectInvitation',
  'acceptInvitation',
  'signIn',
  'signInWithPasskey',
]);

/** Properties of a response that later requests use as ids. */
function harvest(body: unknown, operation: Operation, world: FuzzWorld): void {
  const kindOfId = findKindOfId(operation.url);
  const walk = (value: unknown, depth: number): void => {
    if (depth > 3 || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value.slice(0, 3)) walk(item, depth + 1);
      return;
    }
    for (const [name, child] of Object.entries(value)) {
      if (typeof child === 'object') walk(child, depth + 1);
      else if (name === 'id' && kindOfId && depth < 2) world.values.add(kindOfId, child);
      else if (name === 'url' && typeof child === 'string' && child.includes('/downloads/'))
        world.values.add('downloadToken', child.split('/').at(-1));
      else if (name === 'url' && typeof child === 'string' && child.includes('/files/'))
        world.values.add('fileToken', child.split('/').at(-1));
      else if (name === 'runId' && operation.url.includes('/ri/')) world.values.add('importRunId', child);
      else if (name === 'fileName' && !operation.url.includes('/backups')) continue;
      else if (child !== null && findKind(name) === name) world.values.add(name, child);
    }
  };
  walk(body, 0);
}

/** Sends about this many requests. The same seed generates the same sequences. */
export async function fuzz(
  world: FuzzWorld,
  contract: Contract,
  { requests, seed, log }: { requests: number; seed: number; log: LogCollector },
): Promise<FuzzReport> {
  const turns = watchTurns();
  const operations = new Map(contract.operations.map((operation) => [operation.id, operation]));
  const declared = new Map(
    Object.values(contract.document.paths).flatMap((item) =>
      Object.values(item).flatMap((spec): [string, string[]][] => {
        const { operationId, responses } = Object(spec) as { operationId?: string; responses?: object };
        return operationId === undefined ? [] : [[operationId, Object.keys(responses ?? {})]];
      }),
    ),
  );
  const statuses = new Map<number, number>();
  const answered = new Set<string>();
  const refusals = new Map<string, Map<string, number>>();
  const findings = new Map<string, Finding>();
  const slowOnce: string[] = [];
  let [sent, byAdministrators, refused, longestTurnMs, longestCollectionMs] = [0, 0, 0, 0, 0];
  let longestTurnOperation = '';
  /** The finding that is being shrunk, and how many requests this has taken. */
  let shrinking: { signature: string; requests: number } | undefined;

  const countRefusal = (id: string, message: string) => {
    const counts = refusals.get(id) ?? new Map<string, number>();
    refusals.set(id, counts);
    const text = message.replaceAll(/\d+/g, 'N').slice(0, 120);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  };

  const report = (signature: string, request: string, detail: string) => {
    if (findings.has(signature) && shrinking?.signature !== signature) return;
    if (shrinking && shrinking.signature !== signature) return;
    if (shrinking && shrinking.requests > MAX_SHRINK_REQUESTS) return;
    findings.set(signature, { signature, request, detail });
    shrinking ??= { signature, requests: 0 };
    throw new Error(signature);
  };

  async function send(plan: RequestPlan): Promise<void> {
    const request = turns.exclude(() => buildRequest(plan, world));
    const text = turns.exclude(() => describe(plan, request));
    if (shrinking) shrinking.requests += 1;
    else {
      sent += 1;
      // A long run that is interrupted leaves these figures.
      if (sent % PROGRESS_REQUESTS === 0)
        console.log(
          [
            `fuzz: ${sent} of ${requests} requests, ${findings.size} findings, longest turn ${Math.round(longestTurnMs)} ms (seed ${seed})`,
            ...[...findings.values()].map((finding) => `${finding.signature}: ${finding.request}`),
          ].join('\n'),
        );
    }
    const measured = async () => {
      turns.start();
      const reply = await world.app.inject({ ...request, remoteAddress: FUZZ_ADDRESS });
      const { cpuMs, collectionMs } = await turns.stop();
      longestCollectionMs = Math.max(longestCollectionMs, collectionMs);
      return { reply, turnMs: cpuMs - collectionMs };
    };
    const { reply, turnMs: firstTurnMs } = await measured();
    let turnMs = firstTurnMs;
    if (firstTurnMs > MAX_TURN_MS) {
      // Code that is compiled at its first use costs once. A repetition with another outcome does other work and excuses nothing.
      const again = await measured();
      const isSame = again.reply.statusCode === reply.statusCode;
      if (isSame && again.turnMs <= MAX_TURN_MS) {
        turnMs = again.turnMs;
        slowOnce.push(`${firstTurnMs.toFixed(0)} ms (${plan.operation.id})`);
      }
    }
    const requestId = String(reply.headers['x-request-id'] ?? '');
    // The record of a request is written after its response.
    for (let turn = 0; turn < 20 && !log.records.has(requestId); turn += 1) await nextTurn();
    const records = log.records.get(requestId) ?? [];
    log.records.delete(requestId);
    turns.exclude(() => check(plan, { request, text, reply, records, turnMs }));
  }

  /** Checks a response, and harvests it for later requests. */
  function check(plan: RequestPlan, { request, text, reply, records, turnMs }: SentRequest): void {
    const requestId = String(reply.headers['x-request-id'] ?? '');
    unscannedLines.push(...records);
    const { statusCode: status, headers } = reply;
    const isPacked = headers['content-encoding'] === 'br';
    const payload = isPacked ? brotliDecompressSync(reply.rawPayload).toString('utf8') : reply.payload;
    const route = records.find(({ record }) => record['message'] === 'request')?.record['route'];
    const operation = operations.get(route === MCP ? 'callAgentServer' : String(route));
    if (!shrinking) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (!shrinking && ['administrator', 'platform'].includes(plan.caller)) {
      byAdministrators += 1;
      if (status === 401) refused += 1;
    }
    if (turnMs > longestTurnMs) [longestTurnMs, longestTurnOperation] = [turnMs, plan.operation.id];

    const name = operation?.id ?? `no route (${plan.operation.id})`;
    const failure = records.find(({ record }) => record['level'] === 'error');
    if (status >= 500) report(`${name}: ${status}`, text, failure?.line ?? payload);
    if (turnMs > MAX_TURN_MS)
      report(`${name}: ${MAX_TURN_MS} ms without a pause`, text, `${turnMs} ms beside garbage collection`);
    const isJson = String(headers['content-type']).includes('json');
    const body: unknown = isJson && payload !== '' && request.method !== 'HEAD' ? parse(payload) : undefined;
    if (status < 300) world.secrets.harvest(body, [headers['set-cookie'] ?? []].flat());
    for (const { line } of records)
      if (world.secrets.find(line) !== undefined) report(`${name}: a secret in the log`, text, line);
    if (requestId === '') report(`${name}: no request id`, text, payload);
    const isForeign =
      ['foreign', 'platform', 'disposable'].includes(plan.caller) || OPERATIONS_OF_ANY_SITE.has(name);
    if (!isForeign && payload.includes(FOREIGN_MARKER) && !text.includes(FOREIGN_MARKER))
      report(`${name}: data of the other site`, text, payload);
    if (isJson && payload !== '' && body === undefined && request.method !== 'HEAD')
      report(`${name}: the body is not JSON`, text, payload.slice(0, 500));
    if (status >= 400 && LEAKED_INTERNALS.test(String(Object(body)['message'] ?? '')))
      report(`${name}: internals in a message`, text, payload);
    if (!operation) {
      if (status < 400) report(`${name}: ${status}`, text, payload.slice(0, 500));
      return;
    }
    const isUsualCaller = !['anonymous', 'invalid', 'reader', 'foreign'].includes(plan.caller);
    if (status >= 400 && (isUsualCaller || operation.access === 'public') && !plan.mutation)
      countRefusal(operation.id, `${status} ${String(Object(body)['message'] ?? '')}`);
    if (!declared.get(operation.id)?.includes(String(status)))
      report(`${name}: ${status} is not in the contract`, text, payload.slice(0, 500));
    if (body !== undefined && operation.access !== 'agent') {
      const errors = operation.validateResponse(status, body);
      if (errors.length > 0)
        report(
          `${name}: the body of ${status} violates the contract`,
          text,
          JSON.stringify(errors.slice(0, 3)),
        );
    }
    if (status < 300) {
      answered.add(operation.id);
      harvest(body, operation, world);
    }
  }

  async function sendAll(plans: readonly RequestPlan[], isConcurrent: boolean): Promise<void> {
    if (!isConcurrent) {
      for (const plan of plans) await send(plan);
      return;
    }
    const outcomes = await Promise.allSettled(plans.map(send));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  /** Lines of requests since the last background work; a mail that a request caused shows its link later. */
  const unscannedLines: LogLine[] = [];
  let sequences = 0;
  const runSequence = async (plans: readonly RequestPlan[], isConcurrent: boolean) => {
    if (shrinking && shrinking.requests > MAX_SHRINK_REQUESTS) return;
    sequences += 1;
    if (sequences % 2 === 0) await repair();
    if (sequences % BACKGROUND_INTERVAL === 0) await checkBackgroundWork();
    await sendAll(plans, isConcurrent);
  };
  /** A repair that fails is a fault of the test, or of the service; the run goes on. */
  async function repair(): Promise<void> {
    try {
      await world.repair();
    } catch (error) {
      const signature = `repair: ${String(error)}`;
      const detail = error instanceof Error ? (error.stack ?? '') : '';
      findings.set(signature, { signature, request: '', detail });
    }
  }
  async function checkBackgroundWork(): Promise<void> {
    const failures = await world.runBackgroundWork();
    const errors = (log.records.get('') ?? []).filter(({ record }) => record['level'] === 'error');
    // Mails that have been written since contain links.
    await repair();
    const lines = [...unscannedLines.splice(0), ...[...log.records.values()].flat()];
    log.records.clear();
    for (const { line, record } of lines)
      if (world.secrets.find(line) !== undefined) {
        const signature = `a secret in the log: ${String(record['message'])}`;
        findings.set(signature, { signature, request: '', detail: line });
      }
    for (const failure of failures) report(`task ${failure.split(':', 1)[0]}`, '', failure);
    for (const { line, record } of errors) report(`log: ${String(record['message'])}`, '', line);
  }
  const generators = createRequests(contract);
  const random = createRandom(seed);
  const numRuns = Math.max(1, Math.min(MAX_RUNS, Math.floor(requests / generators.length)));
  const isComplete = () => sent >= requests;
  while (!isComplete()) {
    const shuffled = generators
      .map((generator) => ({ generator, rank: random.between(0, 1_000_000) }))
      .toSorted((a, b) => a.rank - b.rank);
    for (let first = 0; first < shuffled.length; first += SEQUENCE_LENGTH) {
      const steps = shuffled.slice(first, first + SEQUENCE_LENGTH);
      const sequence = fc.tuple(...steps.map(({ generator }) => fc.option(generator, { freq: 40 })));
      const property = fc.asyncProperty(
        sequence,
        fc.constantFrom(true, false, false, false),
        (plans, isConcurrent) =>
          runSequence(
            plans.filter((plan) => plan !== null),
            isConcurrent,
          ),
      );
      await fc.check(property, { seed: seed + sent, numRuns });
      shrinking = undefined;
    }
  }
  // What it finds is among the findings.
  await checkBackgroundWork().catch(() => {});
  turns.end();
  return {
    seed,
    requests: sent,
    statuses,
    findings: [...findings.values()],
    operations: operations.size,
    unanswered: [...operations.keys()]
      .filter((id) => !answered.has(id))
      .map((id) => `${id}: ${findMostFrequent(refusals.get(id))}`),
    refusedShare: refused / Math.max(byAdministrators, 1),
    longestTurnMs,
    longestTurnOperation,
    longestCollectionMs,
    slowOnce,
  };
}

const findMostFrequent = (counts: ReadonlyMap<string, number> = new Map()): string =>
  [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([text, count]) => `${count} × ${text}`)
    .join(', ') || 'no request';

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A request as one text, without credentials. */
function describe(plan: RequestPlan, { method, url, payload }: ReturnType<typeof buildRequest>): string {
  const body =
    payload === undefined
      ? ''
      : ` ${(Buffer.isBuffer(payload) ? payload.toString() : JSON.stringify(payload)).slice(0, 2_000)}`;
  const headers = Object.keys(plan.headers).length > 0 ? ` ${JSON.stringify(plan.headers)}` : '';
  return `${plan.caller}: ${String(method)} ${url}${headers}${body}`;
}

/** The figures of a run in one line. */
export function formatReport(report: FuzzReport): string {
  const statuses = [...report.statuses]
    .toSorted(([a], [b]) => a - b)
    .map(([status, count]) => `${status}: ${count}`);
  return [
    `seed ${report.seed}`,
    `${report.requests} requests`,
    `${report.findings.length} findings`,
    `${report.operations - report.unanswered.length} of ${report.operations} operations with a 2xx`,
    `longest turn ${report.longestTurnMs.toFixed(0)} ms (${report.longestTurnOperation}), ${report.longestCollectionMs.toFixed(0)} ms of garbage collection taken off`,
    `not repeated: ${report.slowOnce.join(', ') || 'none'}`,
    `${(report.refusedShare * 100).toFixed(1)} % of the administrators' requests refused with 401`,
    `responses ${statuses.join(', ')}`,
  ].join('; ');
}
