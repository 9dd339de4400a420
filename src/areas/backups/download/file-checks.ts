import { proxy, wrap } from 'comlink';
import { toServiceError } from '../../../api/errors.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { formatProgressPercent } from '../../../lib/percentages.ts';
import { rejectOnWorkerError, startWorker } from '../../../lib/start-worker.ts';
import { createStore, useStore } from '../../../ui/store.ts';
import type { CheckAnswer, CheckFailure, CheckReport } from './check-backup.ts';
// The bundler creates this module.
// oxlint-disable-next-line import/default
import workerUrl from './worker.ts?worker&url';
import type { DownloadWorker } from './worker.ts';

/** State of the check of one file. */
export type FileCheck =
  | { phase: 'running'; share: number }
  | { phase: 'done'; report: CheckReport }
  /** The file could not be checked, which is no statement about its members. */
  | ({ phase: 'failed' } & CheckFailure);

const checks = createStore<ReadonlyMap<string, FileCheck>>(new Map());
const workers = new Map<string, Worker>();

/** Checks of files of this tab by file name; they continue across pages and end with the tab. */
export const useFileChecks = (): ReadonlyMap<string, FileCheck> => useStore(checks);

/** Number of members that do not match the manifest. */
export const countFailures = ({ members }: CheckReport): number =>
  members.filter(({ result }) => result !== 'matches').length;

/** Whether a member does not match the manifest. */
export const hasFailed = (check: FileCheck): boolean =>
  check.phase === 'done' && countFailures(check.report) > 0;

/** Result of a check in one sentence. */
export function formatCheck(check: FileCheck): string {
  if (check.phase === 'running') return `Checking the members: ${formatProgressPercent(check.share)}.`;
  if (check.phase === 'failed') return `The members could not be checked. ${check.problem}`;
  const { members } = check.report;
  const failures = countFailures(check.report);
  return failures === 0
    ? `${members.length === 1 ? 'Its member matches' : `All ${pluralize(members.length, 'member', 'members')} match`} the manifest.`
    : `${failures} of ${pluralize(members.length, 'member', 'members')} ${failures === 1 ? 'does' : 'do'} not match the manifest.`;
}

/** Ends a check that is running, and forgets its result. */
export function removeFileCheck(fileName: string): void {
  workers.get(fileName)?.terminate();
  workers.delete(fileName);
  const others = new Map(checks.get());
  others.delete(fileName);
  checks.set(others);
}

/** Checks a file in a worker. A check of a file of the same name is replaced. */
export async function startFileCheck(
  file: Blob,
  { fileName, knownHash, onChange }: CheckOptions,
): Promise<void> {
  removeFileCheck(fileName);
  const worker = startWorker(workerUrl);
  workers.set(fileName, worker);
  const update = (check: FileCheck) => {
    if (workers.get(fileName) !== worker) return;
    checks.set(new Map(checks.get()).set(fileName, check));
    onChange?.(check);
  };
  update({ phase: 'running', share: 0 });
  try {
    const remote = wrap<DownloadWorker>(worker);
    const onProgress = proxy((share: number) => update({ phase: 'running', share: Math.min(1, share) }));
    const answer = await rejectOnWorkerError(worker)<CheckAnswer>(
      Promise.resolve(remote.check(file, knownHash, onProgress)),
    );
    update('problem' in answer ? { phase: 'failed', ...answer } : { phase: 'done', report: answer });
  } catch (thrown) {
    update({ phase: 'failed', problem: toServiceError(thrown).message, isReadable: false });
  } finally {
    worker.terminate();
    // Progress comes by a port of its own, and may arrive after the answer.
    if (workers.get(fileName) === worker) workers.delete(fileName);
  }
}

interface CheckOptions {
  fileName: string;
  /** SHA-256 of the file if it is known already. */
  knownHash?: string | undefined;
  onChange?: (check: FileCheck) => void;
}
