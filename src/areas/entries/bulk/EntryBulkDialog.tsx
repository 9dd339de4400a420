import { useQueryClient } from '@tanstack/react-query';
import { useState, useCallback, useEffect } from 'react';
import type { QueryClient } from '@tanstack/react-query';
import { useAllowed, useSession } from '../../../api/session.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { useSchema } from '../model/schema.ts';
import { DryRunView } from './DryRunView.tsx';
import { EditFields, isComplete } from './EditFields.tsx';
import type { EditLine } from './EditFields.tsx';
import type { BulkEdit } from './plan.ts';
import { MOST_ENTRIES, sizeOf, dryRun } from './read.ts';
import type { BulkRequest, DryRun } from './read.ts';
import type { Session } from '../../../api/generated/types.gen.ts';
import { agree } from '../../bulk/agreed.ts';
import { takeJob } from '../../../app/jobs/lock.ts';
import { readSchema } from '../model/read-schema.ts';
import { createEntryJob } from './job.ts';
import { keepEntryJob } from './keep.ts';
import type { EntryJob } from './keep.ts';
import { toServiceError } from '../../../api/errors.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { announce } from '../../../ui/feedback/live.ts';
import type { Schema } from '../model/schema.ts';
import '../../bulk/bulk-dialog.css';
import '../filter/find.css';
import './entry-bulk.css';

interface EntryBulkDialogProps {
  request: BulkRequest;
  onClose: () => void;
}

const NO_LINES: readonly EditLine[] = [];
// Of more than that nobody has looked at each.
const MANY = 1000;

/** What many entries are to hold, then what would come of it, then the one button that begins it. */
export default function EntryBulkDialog({ request, onClose }: EntryBulkDialogProps) {
  const client = useQueryClient();
  const session = useSession();
  const schema = useSchema();
  const { reason: mayNot } = useAllowed('updateEntries');
  const [lines, setLines] = useState(NO_LINES);
  const [edit, setEdit] = useState<BulkEdit | undefined>(request.edit);
  const [typed, setTyped] = useState('');
  const [pending, setPending] = useState(false);
  const { read, result, error, restart } = useDryRun(request, edit, schema);
  const type = schema.typeById.get(request.typeId);
  const fields = schema.fieldsOf(request.typeId);
  const size = sizeOf(request);
  const words = (n: number) => counted(n, type?.singularName ?? 'entry', type?.pluralName ?? 'entries');
  const undoes = request.edit !== undefined;
  const number = edit && result ? result.changes.length : size;
  const title = undoes ? `Undo the change of ${words(number || size)}` : `Edit ${words(number || size)}`;
  const clears = edit?.kind === 'same' && edit.edits.some(({ value }) => value === undefined);
  const asked = result && (number > MANY || (clears && number > 1)) ? String(number) : undefined;

  const review = () => {
    restart();
    setTyped('');
    setEdit({
      kind: 'same',
      edits: lines.map(({ fieldId, clears: off, value }) => ({ fieldId, value: off ? undefined : value })),
    });
  };
  const begin = async () => {
    if (!result || !type) return;
    setPending(true);
    const { changes, refused } = result;
    await beginEntryJob(client, session, {
      title,
      typeId: type.id,
      typeName: type.apiName,
      changes,
      refused,
    });
    onClose();
  };
  // What begins in this moment is no longer turned away.
  const close = () => {
    if (!pending) onClose();
  };
  const whyNotReview = reviewFault(lines, size) ?? mayNot;
  const whyNot = mayNot ?? beginFault(result !== undefined, number, asked, typed);
  return (
    <Dialog
      title={edit && result && number > 0 ? `${title}?` : title}
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          {edit && !undoes && (
            <Button
              disabledReason={pending ? 'It is beginning' : undefined}
              onClick={() => setEdit(undefined)}
            >
              Back
            </Button>
          )}
          {edit ? (
            <Button
              variant={clears ? 'danger' : 'primary'}
              pending={pending}
              disabledReason={error ? 'The entries could not be read' : whyNot}
              onClick={() => void begin()}
            >
              {undoes ? `Undo ${words(number)}` : `Change ${words(number)}`}
            </Button>
          ) : (
            <Button variant="primary" disabledReason={whyNotReview} onClick={review}>
              Review
            </Button>
          )}
        </>
      }
    >
      <div className="bulk-dialog">
        {!edit && (
          <>
            <p>
              All of them get the same values; nothing is changed before you have seen what would come of it.
            </p>
            {size > MOST_ENTRIES && (
              <Banner tone="warn" title={`At most ${count(MOST_ENTRIES)} entries are changed at once`}>
                Narrow the filter: what they hold is kept here for the way back.
              </Banner>
            )}
            <EditFields {...{ fields, schema, lines }} onChange={setLines} />
          </>
        )}
        {edit && error && (
          <ErrorState title="Nothing could be planned" onRetry={restart} requestId={error.requestId}>
            {error.message}
          </ErrorState>
        )}
        {edit && !error && !result && <Reading read={read} of={size} />}
        {edit && result && <DryRunView {...{ result, fields }} />}
        {asked !== undefined && (
          <label className="field">
            <span className="field-label">Type {asked}, the number of entries, to go on</span>
            <input
              className="input num bed-number"
              inputMode="numeric"
              value={typed}
              autoComplete="off"
              onChange={({ target }) => setTyped(target.value)}
            />
          </label>
        )}
      </div>
    </Dialog>
  );
}

function Reading({ read, of }: { read: number; of: number }) {
  return (
    <div className="bulk-reading">
      <p className="num">
        {count(read)} of {counted(of, 'entry', 'entries')} read
      </p>
      <progress value={read} max={of} aria-label="Reading entries" />
    </div>
  );
}

function reviewFault(lines: readonly EditLine[], size: number): string | undefined {
  if (size > MOST_ENTRIES) return `More than ${count(MOST_ENTRIES)} entries`;
  if (lines.length === 0) return 'Choose a field first';
  return lines.every(isComplete) ? undefined : 'A field has no value yet';
}

function beginFault(
  isRead: boolean,
  number: number,
  asked: string | undefined,
  typed: string,
): string | undefined {
  if (!isRead) return 'The entries are being read';
  if (number === 0) return 'Nothing would be changed';
  return asked !== undefined && typed.replaceAll(/\D/g, '') !== asked ? `Type ${asked} first` : undefined;
}

type Begun = Pick<EntryJob, 'title' | 'typeId' | 'typeName' | 'changes' | 'refused'>;

/** Begins what was agreed to. It is kept first, so that a reload in the first moment loses nothing. */
async function beginEntryJob(
  client: QueryClient,
  session: Session,
  { title, ...what }: Begun,
): Promise<void> {
  const job: EntryJob = { ...what, ...agree(session, title) };
  await takeJob(job.id);
  // Where the browser keeps nothing (a private window, a full disk), the job ends with its page.
  await keepEntryJob(job).catch(() => undefined);
  void createEntryJob(client, job, () => readSchema(client)).go();
}

interface Review {
  read: number;
  result: DryRun | undefined;
  error: ServiceError | undefined;
}

const BEGIN: Review = { read: 0, result: undefined, error: undefined };

/** Reads and plans while an edit is being reviewed; turning back or closing ends that. */
function useDryRun(request: BulkRequest, edit: BulkEdit | undefined, schema: Schema) {
  const [state, setState] = useState(BEGIN);
  const [attempt, setAttempt] = useState(0);
  // A reading that can be given up is outside React; what it tells comes in as it goes.
  useEffect(() => {
    if (!edit) return undefined;
    const reading = new AbortController();
    const { signal } = reading;
    const tell = (next: Partial<Review>) => {
      if (!signal.aborted) setState((before) => ({ ...before, ...next }));
    };
    const read = async () => {
      try {
        const onRead = (entries: number) => tell({ read: entries });
        const result = await dryRun(request, edit, schema, { signal, onRead });
        tell({ result });
        if (!signal.aborted)
          announce(`${counted(result.changes.length, 'entry', 'entries')} would be changed`);
      } catch (thrown) {
        tell({ error: toServiceError(thrown) });
      }
    };
    void read();
    return () => reading.abort();
    // The schema may be read anew while the dialog is open; the dry run is of one moment.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [request, edit, attempt]);

  const restart = useCallback(() => {
    setState(BEGIN);
    setAttempt((before) => before + 1);
  }, []);
  return { ...state, restart };
}
