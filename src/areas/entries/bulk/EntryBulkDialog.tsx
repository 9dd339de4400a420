import { useQueryClient } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useState, useCallback, useEffect, useMemo } from 'react';
import type { Job } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { startEntryUpdates } from '../../../api/generated/sdk/jobs.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { fitsIntoRequest, startInParts } from '../../../app/jobs/upload-items.ts';
import { formatFailedWrite } from '../../../app/state/failed-write.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { usePanelGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { Select } from '../../../ui/form/select/Select.tsx';
import { announce } from '../../../ui/layout/LiveRegion.tsx';
import { ReadingProgress } from '../../bulk/index.ts';
import { getScheduleProblem, NOW, showStartedJob, StartField, toStartOptions } from '../../jobs/index.ts';
import type { Schedule } from '../../jobs/index.ts';
import type { InvalidInput } from '../editing/change-set.ts';
import { Editor } from '../editing/editor/Editor.tsx';
import { getLockedReason } from '../editing/value-rules.ts';
import { useSchema } from '../model/schema.ts';
import type { Schema, Field } from '../model/schema.ts';
import { toItems } from '../model/values.ts';
import { MAX_ENTRIES, getEntryCount, runDryRun } from './dry-run.ts';
import type { BulkRequest, DryRun } from './dry-run.ts';
import { DryRunView } from './DryRunView.tsx';
import { buildJobRequest } from './plan.ts';
import type { BulkEdit, FieldEdit } from './plan.ts';
import '../filter/filter.css';
import './entry-bulk.css';

interface EntryBulkDialogProps {
  request: BulkRequest;
  onClose: () => void;
}

const NO_LINES: readonly EditLine[] = [];
// Above this number the count has to be typed.
const CONFIRM_COUNT_FROM = 1000;

/** Dialog of a bulk change of entries: edit, dry run, start of the job. */
export default function EntryBulkDialog({ request, onClose }: EntryBulkDialogProps) {
  const client = useQueryClient();
  const schema = useSchema();
  const { reason: missingCapability } = usePermission('startEntryUpdates');
  const [lines, setLines] = useState(NO_LINES);
  const [edit, setEdit] = useState<BulkEdit>();
  const [typed, setTyped] = useState('');
  const { read, result, error, restart } = useDryRun(request, edit, schema);
  const type = schema.typeById.get(request.typeId);
  const fields = schema.getFields(request.typeId);
  const size = getEntryCount(request);
  const formatCount = (n: number) =>
    pluralize(n, type?.singularName ?? 'entry', type?.pluralName ?? 'entries');
  const count = edit && result ? result.changes.length : size;
  const title = `Edit ${formatCount(count || size)}`;
  const clears = edit?.some(({ value }) => value === undefined) ?? false;
  const confirmationCount =
    result && (count > CONFIRM_COUNT_FROM || (clears && count > 1)) ? String(count) : undefined;

  const review = () => {
    restart();
    setTyped('');
    setEdit(lines.map(({ fieldId, clears: off, value }) => ({ fieldId, value: off ? undefined : value })));
  };
  const job = useMemo(
    () => (edit && result ? buildJobRequest(request.typeId, edit, result.changes) : undefined),
    [request, edit, result],
  );
  const [schedule, setSchedule] = useState<Schedule>(NOW);
  /** Share of a large change that has been sent, 0 to 1. */
  const [sent, setSent] = useState<number>();
  const starting = useWrite('startEntryUpdates', {
    mutationFn: (body: JobBody) => startJob(body, setSent),
  });
  const { isPending: pending, error: startError } = starting;
  const start = async () => {
    if (!job) return;
    const started = await starting
      .mutateAsync({ ...job, ...toStartOptions(schedule) })
      .catch(() => undefined);
    setSent(undefined);
    if (!started) return;
    showStartedJob(client, started);
    onClose();
  };
  const { cancel } = usePanelGuard(pending || lines.length > 0, onClose);
  // The dialog stays open while the job starts.
  const close = () => {
    if (!pending) void cancel();
  };
  const reviewDisabledReason = getReviewDisabledReason(lines, size) ?? missingCapability;
  const startDisabledReason =
    missingCapability ??
    getStartDisabledReason({ isRead: result !== undefined, count, confirmationCount, typed }) ??
    getScheduleProblem(schedule);
  return (
    <Dialog
      title={edit && result && count > 0 ? `${title}?` : title}
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          {edit && (
            <Button
              disabledReason={pending ? 'The change is starting' : undefined}
              onClick={() => {
                starting.reset();
                setEdit(undefined);
              }}
            >
              Back
            </Button>
          )}
          {edit ? (
            <Button
              variant={clears ? 'danger' : 'primary'}
              pending={pending}
              disabledReason={error ? 'The entries could not be loaded' : startDisabledReason}
              onClick={() => void start()}
            >
              Change {formatCount(count)}
            </Button>
          ) : (
            <Button variant="primary" disabledReason={reviewDisabledReason} onClick={review}>
              Review
            </Button>
          )}
        </>
      }
    >
      <div className="bulk-dialog">
        {!edit && (
          <>
            <p>All entries get the same values. Nothing changes before you review it.</p>
            {size > MAX_ENTRIES && (
              <Banner
                tone="warn"
                title={`At most ${formatNumber(MAX_ENTRIES)} entries can be changed at once`}
              >
                Narrow the filter.
              </Banner>
            )}
            <EditFields {...{ fields, schema, lines }} onChange={setLines} />
          </>
        )}
        {edit && error && (
          <ErrorState title="The dry run failed" onRetry={restart} requestId={error.requestId}>
            {error.message}
          </ErrorState>
        )}
        {edit && !error && !result && (
          <ReadingProgress
            readCount={read}
            total={size}
            items={pluralize(size, 'entry', 'entries')}
            label="Reading entries"
          />
        )}
        {startError && (
          <ErrorState
            title={formatFailedWrite('The change', 'started', startError)}
            requestId={startError.requestId}
          >
            {startError.message}
          </ErrorState>
        )}
        {edit && result && <DryRunView {...{ result, fields }} />}
        {edit && result && count > 0 && (
          <StartField
            value={schedule}
            hint="Entries are skipped if anyone changes one of these fields before then. You can cancel the job until it starts."
            onChange={setSchedule}
          />
        )}
        {sent !== undefined && (
          <progress className="bulk-sent" value={sent} aria-label="Sending the changes" />
        )}
        {confirmationCount !== undefined && (
          <label className="field">
            <span className="field-label">Type {confirmationCount}, the number of entries, to continue</span>
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

function getReviewDisabledReason(lines: readonly EditLine[], size: number): string | undefined {
  if (size > MAX_ENTRIES) return `More than ${formatNumber(MAX_ENTRIES)} entries`;
  if (lines.length === 0) return 'Choose a field first';
  return lines.every(isComplete) ? undefined : 'A field has no value yet';
}

interface StartState {
  isRead: boolean;
  count: number;
  confirmationCount: string | undefined;
  typed: string;
}

function getStartDisabledReason({ isRead, count, confirmationCount, typed }: StartState): string | undefined {
  if (!isRead) return 'Entries are still loading';
  if (count === 0) return 'No changes to make';
  return confirmationCount !== undefined && typed.replaceAll(/\D/g, '') !== confirmationCount
    ? `Type ${confirmationCount} first`
    : undefined;
}

type JobBody = ReturnType<typeof buildJobRequest>;

/** Starts the job; its entries are sent in parts if one request cannot have them. @throws ServiceError */
async function startJob(body: JobBody, onProgress: (share: number) => void): Promise<Job> {
  const { entries, ...rest } = body;
  if (fitsIntoRequest(body, entries.length)) return (await startEntryUpdates({ body })).data;
  const start = async () => (await startEntryUpdates({ body: { ...rest, uploadsItems: true } })).data;
  return startInParts(start, entries, onProgress);
}

interface DryRunState {
  read: number;
  result: DryRun | undefined;
  error: ServiceError | undefined;
}

const INITIAL_STATE: DryRunState = { read: 0, result: undefined, error: undefined };

/** Runs the dry run of an edit; going back or closing aborts it. */
function useDryRun(request: BulkRequest, edit: BulkEdit | undefined, schema: Schema) {
  const [state, setState] = useState(INITIAL_STATE);
  const [attempt, setAttempt] = useState(0);
  // An effect, because the dry run is an abortable process outside React that reports its progress.
  useEffect(() => {
    if (!edit) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const update = (next: Partial<DryRunState>) => {
      if (!signal.aborted) setState((before) => ({ ...before, ...next }));
    };
    const read = async () => {
      try {
        const onRead = (entries: number) => update({ read: entries });
        const result = await runDryRun(request, edit, schema, { signal, onRead });
        update({ result });
        if (!signal.aborted)
          announce(`${pluralize(result.changes.length, 'entry', 'entries')} would be changed`);
      } catch (thrown) {
        update({ error: toServiceError(thrown) });
      }
    };
    void read();
    return () => controller.abort();
    // Only these dependencies: the schema may be reloaded while the dialog is open, but a dry run is of one moment.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [request, edit, attempt]);

  const restart = useCallback(() => {
    setState(INITIAL_STATE);
    setAttempt((before) => before + 1);
  }, []);
  return { ...state, restart };
}

/** Line of the form: the new value of one field. */
interface EditLine extends FieldEdit {
  clears: boolean;
  /** Input that is not a valid value. */
  invalidInput?: InvalidInput | undefined;
}

interface EditFieldsProps {
  fields: readonly Field[];
  schema: Schema;
  lines: readonly EditLine[];
  onChange: (lines: readonly EditLine[]) => void;
}

/** Fields that can be changed for many entries. */
const getEditableFields = (fields: readonly Field[]): readonly Field[] =>
  fields.filter((field) => getLockedReason(field) === undefined);

const ACTIONS = [
  { value: 'set', label: 'Set to' },
  { value: 'clear', label: 'Clear' },
] as const;

/** Whether the line needs no more input. */
const isComplete = ({ clears, value }: EditLine): boolean => clears || toItems(value).length > 0;

/** Form for the new values of fields of all entries. */
function EditFields({ fields, schema, lines, onChange }: EditFieldsProps) {
  const editableFields = getEditableFields(fields);
  const unusedFields = editableFields.filter(({ id }) => !lines.some(({ fieldId }) => fieldId === id));
  const replaceLine = (at: number, line: EditLine) => onChange(lines.with(at, line));
  const [nextField] = unusedFields;
  return (
    <div className="bed-lines">
      {lines.map((line, at) => {
        const field = editableFields.find(({ id }) => id === line.fieldId);
        if (!field) return null;
        return (
          <fieldset key={line.fieldId} className="bed-line">
            <legend className="visually-hidden">Change of {field.name}</legend>
            <Select
              className="find-select"
              label="Field"
              value={line.fieldId}
              onChange={(fieldId) => replaceLine(at, { fieldId, value: undefined, clears: false })}
              options={[field, ...unusedFields].map(({ id, name }) => ({ value: id, label: name }))}
            />
            <Select
              className="find-select"
              label="Action"
              value={line.clears ? 'clear' : 'set'}
              onChange={(action) => replaceLine(at, { ...line, clears: action === 'clear' })}
              options={ACTIONS}
            />
            <div className="bed-value">
              {!line.clears && (
                <Editor
                  {...{ field, schema }}
                  value={line.value}
                  inCell={false}
                  isChanged
                  invalidInput={line.invalidInput}
                  onCommit={(value) => replaceLine(at, { ...line, value, invalidInput: undefined })}
                  onInvalidInput={(invalidInput) =>
                    replaceLine(at, { ...line, value: undefined, invalidInput })
                  }
                  onCancel={() => undefined}
                />
              )}
            </div>
            <IconButton
              label={`Do not change ${field.name}`}
              icon={X}
              size="small"
              onClick={() => onChange(lines.toSpliced(at, 1))}
            />
          </fieldset>
        );
      })}
      {nextField && (
        <div>
          <Button
            size="small"
            variant="quiet"
            icon={Plus}
            onClick={() => onChange([...lines, { fieldId: nextField.id, value: undefined, clears: false }])}
          >
            {lines.length === 0 ? 'Choose a field' : 'Add a field'}
          </Button>
        </div>
      )}
    </div>
  );
}
