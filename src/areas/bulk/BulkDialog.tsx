import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState, useCallback, useEffect } from 'react';
import { NO_LICENSE } from '../../../contract/rules/people/licenses.ts';
import { ensureProof } from '../../api/ensure-proof.ts';
import { toServiceError } from '../../api/errors.ts';
import type { ServiceError } from '../../api/errors.ts';
import { useSession } from '../../api/session.ts';
import { MAX_JOB_ITEMS } from '../../app/jobs/upload-items.ts';
import { toastFailedWrite } from '../../app/state/failed-write.ts';
import { useDirectory } from '../../directory/directory.ts';
import { Button } from '../../ui/button/Button.tsx';
import { ConfirmationField, getConfirmationReason } from '../../ui/dialog/ConfirmationField.tsx';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import { usePanelGuard } from '../../ui/dialog/unsaved-work.ts';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { announce } from '../../ui/layout/LiveRegion.tsx';
import { getScheduleProblem, NOW, showStartedJob, StartField, toStartOptions } from '../jobs/index.ts';
import type { Schedule } from '../jobs/index.ts';
import type { BulkAction, BulkRequest } from './bulk-request.ts';
import { ReadingProgress } from './dry-run-parts.tsx';
import { runDryRun } from './dry-run.ts';
import type { DryRun } from './dry-run.ts';
import { DryRunView } from './DryRunView.tsx';
import { startBulkJob } from './start-job.ts';
import { isOneWay, formatPeople, formatTitle } from './texts.ts';

interface BulkDialogProps {
  request: BulkRequest;
  onClose: () => void;
}

/** Dry run of a bulk change, with the button that starts the job. */
export default function BulkDialog({ request, onClose }: BulkDialogProps) {
  const { action, userIds } = request;
  const client = useQueryClient();
  const session = useSession();
  const { groups } = useDirectory();
  const groupNames = useMemo(() => new Map(groups.map(({ id, name }) => [id, name])), [groups]);
  const { read, result, error, retry } = useDryRun(request);
  const [skipConflicts, setSkipConflicts] = useState(false);
  const [typed, setTyped] = useState('');
  const [pending, setPending] = useState(false);
  const [schedule, setSchedule] = useState<Schedule>(NOW);
  /** Share of a large plan that has been sent, 0 to 1. */
  const [sent, setSent] = useState<number>();

  const changes = useMemo(
    () =>
      skipConflicts && result
        ? result.changes.filter(({ person }) => !result.conflicts.has(person.id))
        : (result?.changes ?? []),
    [skipConflicts, result],
  );
  const title = formatTitle(action, result ? changes.length : userIds.length, groupNames, session.site.name);
  const confirmationName = requiresTypedName(action, changes.length) ? session.site.name : undefined;
  const disabledReason = result
    ? (getDisabledReason(result.blockedReason, changes.length, confirmationName, typed) ??
      getScheduleProblem(schedule))
    : 'People are still loading';

  const start = async () => {
    setPending(true);
    try {
      // The proof of identity is requested before the changes are sent, so that cancelling it keeps the dialog.
      if (!isOneWay(action) || (await ensureProof())) {
        const job = await startBulkJob(action, changes, session.user.id, {
          start: toStartOptions(schedule),
          onProgress: setSent,
        });
        request.onStart?.();
        onClose();
        showStartedJob(client, job);
      }
    } catch (thrown) {
      toastFailedWrite('The change', 'started', thrown);
    }
    setPending(false);
    setSent(undefined);
  };
  const { cancel } = usePanelGuard(pending || typed !== '' || schedule.kind !== 'now', onClose);
  // The dialog stays open while the job starts.
  const close = () => {
    if (!pending) void cancel();
  };

  return (
    <Dialog
      title={result ? `${title}?` : title}
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant={isDangerous(action) ? 'danger' : 'primary'}
            pending={pending}
            disabledReason={error ? 'The people could not be loaded' : disabledReason}
            onClick={() => void start()}
          >
            {title}
          </Button>
        </>
      }
    >
      <div className="bulk-dialog">
        {error && (
          <ErrorState title="The dry run failed" onRetry={retry} requestId={error.requestId}>
            {error.message}
          </ErrorState>
        )}
        {!error && !result && (
          <ReadingProgress
            readCount={read}
            total={userIds.length}
            items={formatPeople(userIds.length)}
            label="Reading people"
          />
        )}
        {result && (
          <DryRunView
            {...{ action, result, changes, names: groupNames, skipConflicts }}
            onSkipConflicts={setSkipConflicts}
          />
        )}
        {result && changes.length > 0 && (
          <StartField
            value={schedule}
            hint="People who are changed by someone else before then are changed as well. You can cancel the job until it starts."
            onChange={setSchedule}
          />
        )}
        {sent !== undefined && (
          <progress className="bulk-sent" value={sent} aria-label="Sending the changes" />
        )}
        {result && confirmationName !== undefined && changes.length > 0 && (
          <ConfirmationField expectedText={confirmationName} value={typed} onChange={setTyped} />
        )}
      </div>
    </Dialog>
  );
}

const isDangerous = (action: BulkAction): boolean =>
  action.kind === 'deactivate' || isOneWay(action) || removesLicense(action);
const removesLicense = (action: BulkAction): boolean =>
  action.kind === 'license' && action.licenseTypeId === NO_LICENSE;

/** One-way changes and removing licenses from several people require typing the site's name. */
const requiresTypedName = (action: BulkAction, number: number): boolean =>
  isOneWay(action) || (removesLicense(action) && number > 1);

function getDisabledReason(
  blockedReason: string | undefined,
  number: number,
  confirmationName: string | undefined,
  typed: string,
): string | undefined {
  if (blockedReason !== undefined) return blockedReason;
  if (number === 0) return 'No changes to make';
  if (number > MAX_JOB_ITEMS) return `Select at most ${formatPeople(MAX_JOB_ITEMS)} at a time`;
  return getConfirmationReason(confirmationName, typed);
}

/** Progress and result of the dry run. */
interface DryRunState {
  read: number;
  result: DryRun | undefined;
  error: ServiceError | undefined;
  retry: () => void;
}

const INITIAL_STATE = { read: 0, result: undefined, error: undefined };

/** Runs the dry run while the dialog is open; closing the dialog aborts it. */
function useDryRun(request: BulkRequest): DryRunState {
  const client = useQueryClient();
  const session = useSession();
  const { size = 0 } = useDirectory();
  const [state, setState] = useState<Omit<DryRunState, 'retry'>>(INITIAL_STATE);
  const [attempt, setAttempt] = useState(0);
  // An effect, because the dry run is an abortable process outside React that reports its progress.
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const update = (next: Partial<Omit<DryRunState, 'retry'>>) => {
      if (!signal.aborted) setState((before) => ({ ...before, ...next }));
    };
    const context = { client, session, siteUserCount: size, signal };
    const read = async () => {
      try {
        const result = await runDryRun(request, context, (done) => update({ read: done }));
        update({ result });
        if (!signal.aborted) announce(`${formatPeople(result.changes.length)} would be changed`);
      } catch (thrown) {
        update({ error: toServiceError(thrown) });
      }
    };
    void read();
    return () => controller.abort();
    // Only these dependencies: the directory changes while the dialog is open, but a dry run is of one moment.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [request, attempt]);

  const retry = useCallback(() => {
    setState(INITIAL_STATE);
    setAttempt((before) => before + 1);
  }, []);
  return { ...state, retry };
}
