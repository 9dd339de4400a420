import type { QueryClient } from '@tanstack/react-query';
import { TEMPORARY } from '../../../../contract/rules/invitations.ts';
import { formatCsv } from '../../../../contract/rules/tables/csv.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { invalidateAfter } from '../../../api/invalidation.ts';
import { sessionQuery } from '../../../api/session-query.ts';
import { getCurrentIdentity, requireIdentity } from '../../../api/session-state.ts';
import { upsertJob } from '../../../app/jobs/jobs.ts';
import type { Job } from '../../../app/jobs/jobs.ts';
import { saveFile } from '../../../files/download.ts';
import { createBatchRun } from '../../../lib/batch-run.ts';
import type { BatchRun } from '../../../lib/batch-run.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { executeRequest } from './execute-request.ts';
import type { RequestResult } from './execute-request.ts';
import { OPERATION_BY_ACTION } from './requests.ts';
import type { InvitationRequest, RequestAction } from './requests.ts';

/** Requests in progress or completed, as shown by the page and the job center. */
export interface InvitationRun {
  id: string;
  title: string;
  state: Job['state'];
  requests: readonly InvitationRequest[];
  results: ReadonlyMap<InvitationRequest, RequestResult>;
  /** Reason why it stopped or waits. */
  error: string | undefined;
  stop: () => void;
  resume: () => void;
  /** Sends failed requests again. */
  retryFailed: () => void;
  saveReport: () => void;
}

const CONCURRENCY = 4;
// Frequent enough to follow, rare enough not to slow down the page.
const REPORT_INTERVAL_MS = 100;

/** The run was stopped while waiting; the request has no result yet. */
class StoppedError extends Error {}

interface RunOptions {
  title: string;
  requests: readonly InvitationRequest[];
  client: QueryClient;
  /** Called with every update, for pages that show the run. */
  onUpdate?: (run: InvitationRun) => void;
}

/** Sends requests in the browser as a job that can be stopped, resumed and retried. */
export function startInvitationRun({ title, requests, client, onUpdate }: RunOptions): void {
  const id = crypto.randomUUID();
  const identity = getCurrentIdentity();
  const results = new Map<InvitationRequest, RequestResult>();
  const possiblyStored = new Set<InvitationRequest>();
  let current: BatchRun<InvitationRequest> | undefined;
  let stopWaiting: (() => void) | undefined;
  let lastReportAt = 0;
  let limitRefusals = 0;
  let limitError: string | undefined;

  function stop(): void {
    current?.stop();
    stopWaiting?.();
  }

  function report(state: Job['state'], error?: string): void {
    lastReportAt = performance.now();
    const save = () => saveFile('invitations-report.csv', buildReport(requests, results));
    // A new object, so that subscribers see the grown results.
    const run: InvitationRun = {
      id,
      title,
      state,
      requests,
      results,
      error,
      stop,
      resume,
      retryFailed,
      saveReport: save,
    };
    onUpdate?.(run);
    upsertJob(toJob(run));
  }

  function wait(seconds: number): Promise<void> {
    report('running', `Rate limit reached; continuing in ${pluralize(seconds, 'second', 'seconds')}`);
    return new Promise((resolve, reject) => {
      const earlier = stopWaiting;
      const timer = setTimeout(resolve, seconds * 1000);
      stopWaiting = () => {
        clearTimeout(timer);
        earlier?.();
        reject(new StoppedError());
      };
    });
  }

  async function execute(order: InvitationRequest): Promise<void> {
    requireIdentity(identity);
    const capabilities = client.getQueryData(sessionQuery.queryKey)?.capabilities ?? [];
    try {
      const result = await executeRequest(order, {
        capabilities,
        mayBeStored: possiblyStored.has(order),
        async wait(seconds) {
          await wait(seconds);
          // Acting may have ended in the meantime; the invitation must not be sent in the user's own name.
          requireIdentity(identity);
        },
      });
      results.set(order, result);
      limitRefusals = result.isRateLimited ? limitRefusals + 1 : 0;
      // Consecutive refusals mean a limit of the user or site: the other requests would be refused too.
      if (limitRefusals >= CONCURRENCY) limitError = result.message;
    } catch (thrown) {
      requireIdentity(identity);
      if (thrown instanceof ServiceError) possiblyStored.add(order);
      throw thrown;
    }
  }

  async function go(): Promise<void> {
    let trouble: unknown;
    limitRefusals = 0;
    limitError = undefined;
    stopWaiting = undefined;
    const run = createBatchRun(
      requests.filter((order) => !results.has(order)),
      {
        concurrency: CONCURRENCY,
        action: execute,
        onStep() {
          const { error } = run.getOutcomes().at(-1) ?? {};
          if (error !== undefined && !(error instanceof StoppedError)) trouble ??= error;
          if (trouble !== undefined || limitError !== undefined) stop();
          if (performance.now() - lastReportAt > REPORT_INTERVAL_MS) report('running');
        },
      },
    );
    current = run;
    report('running');
    await run.run();
    const failed = [...results.values()].some(({ result }) => result === 'failed');
    const end = failed ? 'failed' : 'done';
    const left = results.size < requests.length;
    // Lists are reloaded before the job reports completion.
    await Promise.allSettled(
      [...new Set(requests.map(({ action }) => OPERATION_BY_ACTION[action]))].map((operation) =>
        invalidateAfter(client, operation),
      ),
    );
    const why = trouble === undefined ? limitError : toServiceError(trouble).message;
    report(left ? 'stopped' : end, left ? why : undefined);
  }

  function resume(): void {
    void go();
  }

  function retryFailed(): void {
    for (const [order, { result }] of results) if (result === 'failed') results.delete(order);
    resume();
  }

  resume();
}

/** Number of requests by result. */
export function countResults({ requests, results }: Pick<InvitationRun, 'requests' | 'results'>) {
  const failed = [...results.values()].filter(({ result }) => result === 'failed').length;
  return { failed, done: results.size - failed, left: requests.length - results.size };
}

function toJob(run: InvitationRun): Job {
  const { id, title, state, requests, results, error } = run;
  const { failed } = countResults(run);
  const report = { label: 'Report', onSelect: run.saveReport };
  const actions: Record<Job['state'], Job['actions']> = {
    running: [{ label: 'Stop', onSelect: run.stop }],
    stopped: [{ label: 'Continue', onSelect: run.resume }, report],
    failed: [{ label: 'Try again', onSelect: run.retryFailed }, report],
    done: [report],
  };
  const sum = `${formatNumber(results.size)} of ${formatNumber(requests.length)}${failed > 0 ? `, ${formatNumber(failed)} failed` : ''}`;
  return {
    id,
    title,
    state,
    progress: results.size / requests.length,
    result: error === undefined ? sum : `${sum}: ${error}`,
    actions: actions[state],
  };
}

const REPORT_HEADER = ['E-mail', 'Sent', 'Type', 'Days', 'Result', 'Details', 'Request id'];

export const ACTION_LABELS: Record<RequestAction, string> = {
  invite: 'Invite',
  add: 'Add without confirmation',
  resend: 'Send again',
  revoke: 'Revoke',
  extend: 'Extend',
};

/** CSV report with one line per address. */
export function buildReport(
  orders: readonly InvitationRequest[],
  results: ReadonlyMap<InvitationRequest, RequestResult>,
): string {
  const rows = orders.map((order) => {
    const { result, message = '', requestId = '' } = results.get(order) ?? {};
    const text = result === undefined ? 'Pending' : { done: 'Done', failed: 'Failed' }[result];
    return [order.email, ACTION_LABELS[order.action], ...formatTerms(order), text, message, requestId];
  });
  return formatCsv([REPORT_HEADER, ...rows]);
}

function formatTerms(order: InvitationRequest): [type: string, days: number | string] {
  if (order.action === 'extend') return ['', order.days];
  if (order.action !== 'invite') return ['', ''];
  const { type, days } = order.terms;
  return type === TEMPORARY ? ['Temporary', days ?? ''] : ['Permanent', ''];
}
