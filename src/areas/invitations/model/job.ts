import type { QueryClient } from '@tanstack/react-query';
import { markStale } from '../../../api/effects.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { sessionQuery } from '../../../api/session-query.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { createRun } from '../../../lib/run.ts';
import type { Run } from '../../../lib/run.ts';
import { saveFile } from '../../../files/save-file.ts';
import { reportJob } from '../../../app/jobs/jobs.ts';
import type { Job } from '../../../app/jobs/jobs.ts';
import { OPERATIONS } from './order.ts';
import type { Order } from './order.ts';
import { perform } from './perform.ts';
import type { Result } from './perform.ts';
import { reportOf } from './report.ts';

/** Orders on their way or at their end, as a page and the tray follow them. */
export interface InvitationRun {
  id: string;
  title: string;
  state: Job['state'];
  orders: readonly Order[];
  results: ReadonlyMap<Order, Result>;
  /** Why it has stopped by itself, or what it waits for. */
  trouble: string | undefined;
  stop: () => void;
  goOn: () => void;
  /** Sends those again that failed. */
  again: () => void;
  save: () => void;
}

const AT_ONCE = 4;
// Often enough to be followed, seldom enough not to be felt.
const SHOW_EVERY = 100;

/** Whoever stopped the run did so while it waited: nothing came of the order yet. */
class Stopped extends Error {}

interface Start {
  title: string;
  orders: readonly Order[];
  client: QueryClient;
  /** Called at each step, for a page that shows more than the tray does. */
  onShow?: (run: InvitationRun) => void;
}

/** Sends each order once, some at a time, as a job in the tray that can be stopped, continued and tried again. */
export function startRun({ title, orders, client, onShow }: Start): void {
  const id = crypto.randomUUID();
  const results = new Map<Order, Result>();
  const unsure = new Set<Order>();
  let current: Run<Order> | undefined;
  let stopWaiting: (() => void) | undefined;
  let shown = 0;
  let refusals = 0;
  let tooMany: string | undefined;

  function stop(): void {
    current?.stop();
    stopWaiting?.();
  }

  function show(state: Job['state'], trouble?: string): void {
    shown = performance.now();
    const save = () => saveFile('invitations-report.csv', reportOf(orders, results));
    // A new object tells those who follow that the results have grown.
    const run: InvitationRun = { id, title, state, orders, results, trouble, stop, goOn, again, save };
    onShow?.(run);
    reportJob(tell(run));
  }

  function wait(seconds: number): Promise<void> {
    show(
      'running',
      `The service takes no more for the moment; going on in ${counted(seconds, 'second', 'seconds')}`,
    );
    return new Promise((resolve, reject) => {
      const earlier = stopWaiting;
      const timer = setTimeout(resolve, seconds * 1000);
      stopWaiting = () => {
        clearTimeout(timer);
        earlier?.();
        reject(new Stopped());
      };
    });
  }

  async function act(order: Order): Promise<void> {
    const held = client.getQueryData(sessionQuery.queryKey)?.capabilities ?? [];
    try {
      const result = await perform(order, { held, unsure: unsure.has(order), wait });
      results.set(order, result);
      refusals = result.tooOften ? refusals + 1 : 0;
      // Not one person was invited too often, but too many were: the others need not be refused one by one.
      if (refusals >= AT_ONCE) tooMany = result.words;
    } catch (thrown) {
      if (thrown instanceof ServiceError) unsure.add(order);
      throw thrown;
    }
  }

  async function go(): Promise<void> {
    let trouble: unknown;
    refusals = 0;
    tooMany = undefined;
    stopWaiting = undefined;
    const run = createRun(
      orders.filter((order) => !results.has(order)),
      {
        atOnce: AT_ONCE,
        act,
        onStep() {
          const { error } = run.outcomes().at(-1) ?? {};
          if (error !== undefined && !(error instanceof Stopped)) trouble ??= error;
          if (trouble !== undefined || tooMany !== undefined) stop();
          if (performance.now() - shown > SHOW_EVERY) show('running');
        },
      },
    );
    current = run;
    show('running');
    await run.go();
    const failed = [...results.values()].some(({ result }) => result === 'failed');
    const end = failed ? 'failed' : 'done';
    const left = results.size < orders.length;
    // What is stale is read again before the job says that it is done: the list then shows what it did.
    await Promise.allSettled(
      [...new Set(orders.map(({ does }) => OPERATIONS[does]))].map((operation) =>
        markStale(client, operation),
      ),
    );
    const why = trouble === undefined ? tooMany : toServiceError(trouble).message;
    show(left ? 'stopped' : end, left ? why : undefined);
  }

  function goOn(): void {
    void go();
  }

  function again(): void {
    for (const [order, { result }] of results) if (result === 'failed') results.delete(order);
    goOn();
  }

  goOn();
}

/** How many orders have each result. */
export function tally({ orders, results }: Pick<InvitationRun, 'orders' | 'results'>) {
  const failed = [...results.values()].filter(({ result }) => result === 'failed').length;
  return { failed, done: results.size - failed, left: orders.length - results.size };
}

function tell(run: InvitationRun): Job {
  const { id, title, state, orders, results, trouble } = run;
  const { failed } = tally(run);
  const report = { label: 'Report', onSelect: run.save };
  const actions: Record<Job['state'], Job['actions']> = {
    running: [{ label: 'Stop', onSelect: run.stop }],
    stopped: [{ label: 'Continue', onSelect: run.goOn }, report],
    failed: [{ label: 'Try again', onSelect: run.again }, report],
    done: [report],
  };
  const sum = `${count(results.size)} of ${count(orders.length)}${failed > 0 ? `, ${count(failed)} failed` : ''}`;
  return {
    id,
    title,
    state,
    progress: results.size / orders.length,
    result: trouble === undefined ? sum : `${sum}: ${trouble}`,
    actions: actions[state],
  };
}
