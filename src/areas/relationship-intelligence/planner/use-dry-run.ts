import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type {
  EmailImportItem,
  ImportCounts,
  ImportResult,
  ImportWarningCode,
  MeetingImportItem,
} from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import type { ServiceError } from '../../../api/errors.ts';
import {
  getImportBudget,
  importEmails,
  importMeetings,
} from '../../../api/generated/sdk/relationship-intelligence.gen.ts';
import { invalidateAfter } from '../../../api/invalidation.ts';
import type { ItemKind } from '../formats/items.ts';
import type { PlannerClient } from './use-planner.ts';

/** Effect that the requests sent so far would have. */
export interface DryRun {
  done: number;
  total: number;
  counts: ImportCounts;
  warnings: ReadonlyMap<ImportWarningCode, number>;
  /** Users for whom nothing would be stored. */
  refusedUsers: readonly number[];
  /** Seconds until the shared limit allows the next request, while it waits. */
  waitSeconds?: number | undefined;
  error?: ServiceError | undefined;
  isRunning: boolean;
}

const NO_COUNTS: ImportCounts = { received: 0, added: 0, alreadyProcessed: 0, skipped: 0 };
const COUNTS = ['received', 'added', 'alreadyProcessed', 'skipped'] as const;
const NOT_ENABLED = 2;
const TOO_MANY_REQUESTS = 429;
/** Time after which the budget is read again while another import runs. */
const BUSY_SECONDS = 2;

function addResults(run: DryRun, results: readonly ImportResult[]): DryRun {
  const counts = { ...run.counts };
  const warnings = new Map(run.warnings);
  const refusedUsers = [...run.refusedUsers];
  for (const { userId, status, operationStats, warnings: list } of results) {
    for (const key of COUNTS) counts[key] += operationStats[key];
    if (status === NOT_ENABLED && !refusedUsers.includes(userId)) refusedUsers.push(userId);
    // A warning with a count stands for all of its code beyond those that are listed.
    for (const { code, count = 1 } of list) warnings.set(code, (warnings.get(code) ?? 0) + count);
  }
  return { ...run, counts, warnings, refusedUsers, done: run.done + 1, waitSeconds: undefined };
}

/** The worker has serialized the body; serializing it again would block the page. */
const sendSerialized = async (
  { kind, body }: { kind: ItemKind; body: Blob },
  signal: AbortSignal,
): Promise<ImportResult[]> => {
  const options = { query: { dryRun: true }, bodySerializer: null, signal };
  const { data } =
    kind === 'emails'
      ? await importEmails({ ...options, body: body as unknown as EmailImportItem[] })
      : await importMeetings({ ...options, body: body as unknown as MeetingImportItem[] });
  return data;
};

/** Sends a request; undefined if the site takes none now because a program was faster. */
async function sendUnlessBusy(
  ...request: Parameters<typeof sendSerialized>
): Promise<ImportResult[] | undefined> {
  try {
    return await sendSerialized(...request);
  } catch (thrown) {
    if (toServiceError(thrown).status === TOO_MANY_REQUESTS) return undefined;
    throw thrown;
  }
}

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Sends the planned requests from this page, at the pace that the site's limit allows, so that the service counts without storing. */
export function useDryRun() {
  const client = useQueryClient();
  const [run, setRun] = useState<DryRun>();
  const controller = useRef<AbortController>(undefined);
  const stop = useCallback(() => controller.current?.abort(), []);
  // Requests of a plan that is left would use up the limit that all imports share.
  useEffect(() => stop, [stop]);

  const start = async ({ planner, alive }: PlannerClient, total: number): Promise<void> => {
    stop();
    const { signal } = (controller.current = new AbortController());
    let current: DryRun = {
      done: 0,
      total,
      counts: NO_COUNTS,
      warnings: new Map(),
      refusedUsers: [],
      isRunning: true,
    };
    const show = (next: DryRun) => {
      current = next;
      if (!signal.aborted) setRun(next);
    };
    show(current);
    let planned = 0;
    let bodies: readonly Blob[] = [];
    let kind: ItemKind = 'emails';
    try {
      while (current.done < current.total && !signal.aborted) {
        const { data: budget } = await getImportBudget({ signal });
        const waitSeconds = budget.isImporting
          ? BUSY_SECONDS
          : budget.used >= budget.limit
            ? budget.resetSeconds + 1
            : 0;
        if (waitSeconds > 0) {
          show({ ...current, waitSeconds });
          await wait(waitSeconds * 1000, signal);
          continue;
        }
        if (bodies.length === 0) {
          const request = await alive(planner.writeRequest(planned));
          if (!request) break;
          planned += 1;
          ({ kind, bodies } = request);
          current = { ...current, total: current.total + bodies.length - 1 };
        }
        const [body, ...rest] = bodies;
        if (!body) break;
        const results = await sendUnlessBusy({ kind, body }, signal);
        if (!results) {
          show({ ...current, waitSeconds: BUSY_SECONDS });
          await wait(BUSY_SECONDS * 1000, signal);
          continue;
        }
        bodies = rest;
        show(addResults(current, results));
      }
      show({ ...current, isRunning: false });
    } catch (thrown) {
      const error = toServiceError(thrown);
      show({ ...current, isRunning: false, error });
    }
    await invalidateAfter(client, 'importEmails');
  };

  return {
    run,
    start,
    reset: () => {
      stop();
      setRun(undefined);
    },
  };
}
