import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState, useCallback, useEffect } from 'react';
import type { QueryClient } from '@tanstack/react-query';
import { NO_LICENSE } from '../../../contract/rules/licenses.ts';
import { toServiceError } from '../../api/errors.ts';
import { provenBefore } from '../../api/proven-before.ts';
import { useSession } from '../../api/session.ts';
import { useDirectory } from '../../directory/directory.ts';
import { count } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import { TypedName, typedReason } from '../../ui/dialog/TypedName.tsx';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { toast } from '../../ui/feedback/toast.ts';
import type { BulkAction, BulkRequest } from './actions.ts';
import { DryRunView } from './DryRunView.tsx';
import { isOneWay, people, titleOf } from './words.ts';
import type { Session } from '../../api/generated/types.gen.ts';
import { agree } from './agreed.ts';
import { createJob } from './job.ts';
import { keepJob } from './keep.ts';
import type { BulkJob } from './keep.ts';
import { takeJob } from '../../app/jobs/lock.ts';
import type { Change } from './person.ts';
import type { ServiceError } from '../../api/errors.ts';
import { announce } from '../../ui/feedback/live.ts';
import { dryRun } from './dry-run.ts';
import type { DryRun } from './dry-run.ts';
import './bulk-dialog.css';

interface BulkDialogProps {
  request: BulkRequest;
  onClose: () => void;
}

/** The dry run of a change of many people, and the one button that begins it. */
export default function BulkDialog({ request, onClose }: BulkDialogProps) {
  const { action, userIds } = request;
  const client = useQueryClient();
  const session = useSession();
  const { groups } = useDirectory();
  const names = useMemo(() => new Map(groups.map(({ id, name }) => [id, name])), [groups]);
  const { read, result, error, retry } = useDryRun(request);
  const [leaveOut, setLeaveOut] = useState(false);
  const [typed, setTyped] = useState('');
  const [pending, setPending] = useState(false);

  const changes = useMemo(
    () =>
      leaveOut && result
        ? result.changes.filter(({ person }) => !result.conflicts.has(person.id))
        : (result?.changes ?? []),
    [leaveOut, result],
  );
  const title = titleOf(action, result ? changes.length : userIds.length, names, session.site.name);
  const wanted = asksForName(action, changes.length) ? session.site.name : undefined;
  const reason = result ? whyNot(result.lacks, changes.length, wanted, typed) : 'The people are being read';

  const begin = async () => {
    setPending(true);
    try {
      // Asked for once, before the first of many calls would ask.
      if (!isOneWay(action) || (await provenBefore())) {
        await beginJob(client, session, { request, title, changes, names });
        onClose();
      }
    } catch (thrown) {
      toast({ title: 'Nothing was begun', description: toServiceError(thrown).message, tone: 'bad' });
    }
    setPending(false);
  };
  // What begins in this moment is no longer turned away.
  const close = () => {
    if (!pending) onClose();
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
            disabledReason={error ? 'The people could not be read' : reason}
            onClick={() => void begin()}
          >
            {title}
          </Button>
        </>
      }
    >
      <div className="bulk-dialog">
        {error && (
          <ErrorState title="Nothing could be planned" onRetry={retry} requestId={error.requestId}>
            {error.message}
          </ErrorState>
        )}
        {!error && !result && <Reading read={read} of={userIds.length} />}
        {result && <DryRunView {...{ action, result, changes, names, leaveOut }} onLeaveOut={setLeaveOut} />}
        {result && wanted !== undefined && changes.length > 0 && (
          <TypedName wanted={wanted} typed={typed} onType={setTyped} />
        )}
      </div>
    </Dialog>
  );
}

function Reading({ read, of }: { read: number; of: number }) {
  return (
    <div className="bulk-reading">
      <p className="num">{read === 0 ? `Reading ${people(of)}` : `${count(read)} of ${people(of)} read`}</p>
      <progress value={read} max={of} aria-label="Reading people" />
    </div>
  );
}

const isDangerous = (action: BulkAction): boolean =>
  action.kind === 'deactivate' || isOneWay(action) || takesLicense(action);
const takesLicense = (action: BulkAction): boolean =>
  action.kind === 'license' && action.licenseTypeId === NO_LICENSE;

/** What ends people's work here and has no way back at once is typed, as for a single person. */
const asksForName = (action: BulkAction, number: number): boolean =>
  isOneWay(action) || (takesLicense(action) && number > 1);

function whyNot(
  lacks: string | undefined,
  number: number,
  wanted: string | undefined,
  typed: string,
): string | undefined {
  if (lacks !== undefined) return lacks;
  if (number === 0) return 'Nobody would be changed';
  return typedReason(wanted, typed);
}

interface Begun {
  request: BulkRequest;
  title: string;
  changes: readonly Change[];
  names: ReadonlyMap<number, string>;
}

/** Begins what was agreed to. It is kept first, so that a reload in the first moment loses nothing. */
async function beginJob(
  client: QueryClient,
  session: Session,
  { request, title, changes, names }: Begun,
): Promise<void> {
  const job: BulkJob = { ...agree(session, title), action: request.action, changes, names };
  await takeJob(job.id);
  // Where the browser keeps nothing (a private window, a full disk), the job ends with its page.
  await keepJob(job).catch(() => undefined);
  void createJob(client, job).go();
  request.onBegin?.();
}

/** How far the reading is, and what comes of it. */
interface Review {
  read: number;
  result: DryRun | undefined;
  error: ServiceError | undefined;
  retry: () => void;
}

const BEGIN = { read: 0, result: undefined, error: undefined };

/** Reads and plans while the dialog is open; closing it ends that. */
function useDryRun(request: BulkRequest): Review {
  const client = useQueryClient();
  const session = useSession();
  const { size = 0 } = useDirectory();
  const [state, setState] = useState<Omit<Review, 'retry'>>(BEGIN);
  const [attempt, setAttempt] = useState(0);
  // A reading that can be given up is outside React; what it tells comes in as it goes.
  useEffect(() => {
    const reading = new AbortController();
    const { signal } = reading;
    const tell = (next: Partial<Omit<Review, 'retry'>>) => {
      if (!signal.aborted) setState((before) => ({ ...before, ...next }));
    };
    const around = { client, session, size, signal };
    const read = async () => {
      try {
        const result = await dryRun(request, around, (done) => tell({ read: done }));
        tell({ result });
        if (!signal.aborted) announce(`${people(result.changes.length)} would be changed`);
      } catch (thrown) {
        tell({ error: toServiceError(thrown) });
      }
    };
    void read();
    return () => reading.abort();
    // The directory goes on while the dialog is open; the dry run is of one moment.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [request, attempt]);

  const retry = useCallback(() => {
    setState(BEGIN);
    setAttempt((before) => before + 1);
  }, []);
  return { ...state, retry };
}
