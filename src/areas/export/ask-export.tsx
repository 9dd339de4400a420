import { wrap } from 'comlink';
import { MAX_CELL_TEXT_LENGTH } from '../../../contract/rules/tables/cells.ts';
import { buildFileName } from '../../../contract/rules/tables/file-name.ts';
import { MAX_SHEET_ROWS } from '../../../contract/rules/tables/workbook-parts.ts';
import { toServiceError } from '../../api/errors.ts';
import { requireIdentity } from '../../api/session-state.ts';
import { saveExport } from '../../app/exports/export-store.ts';
import type { ExportRecord } from '../../app/exports/export-store.ts';
import { saveExportAgain, recordAndSave } from '../../app/exports/hand-over.ts';
import { upsertJob } from '../../app/jobs/jobs.ts';
import { getDirectorySession } from '../../directory/directory-session.ts';
import type { FileFormat } from '../../files/file-writer.ts';
import type { FileWriterWorker } from '../../files/file-writer.worker.ts';
// The bundler makes this module.
// oxlint-disable-next-line import/default
import workerUrl from '../../files/file-writer.worker.ts?worker&url';
import { formatNumber } from '../../lib/numbers.ts';
import { startWorker, rejectOnWorkerError } from '../../lib/start-worker.ts';
import { confirm } from '../../ui/dialog/confirm.ts';
import { toast } from '../../ui/toast.ts';
import type { ExportSource, TableExport } from './source.ts';
import './export.css';

const FORMAT_OPTIONS: readonly { format: FileFormat; label: string; hint: string }[] = [
  { format: 'csv', label: 'CSV', hint: 'Plain text, readable by any program.' },
  {
    format: 'xlsx',
    label: 'XLSX',
    hint: `A workbook with dates and numbers, and a sheet that names the filter. Texts longer than ${formatNumber(MAX_CELL_TEXT_LENGTH)} characters are left out.`,
  },
  { format: 'json', label: 'JSON', hint: 'A list of objects, for programs.' },
];

interface ExportChoice {
  format: FileFormat;
  /** Whether to export the extended table. */
  isExtended: boolean;
  /** Index of the chosen variant. */
  variant: number;
}

/** Asks for the format and options, then runs the export. */
export async function askExport(source: ExportSource): Promise<void> {
  const rows = source.formatCount(source.total);
  const choice: ExportChoice = { format: 'csv', isExtended: false, variant: 0 };
  const isConfirmed = await confirm({
    title: `Export ${rows}?`,
    body: <ExportChoices choice={choice} source={source} />,
    action: `Export ${rows}`,
  });
  if (!isConfirmed) return;
  const chosenSource = source.variants?.options[choice.variant]?.source ?? source;
  const finalSource = (choice.isExtended && chosenSource.extended?.source) || chosenSource;
  if ('portions' in finalSource) await runExport(finalSource, choice.format);
  else
    await finalSource.start(choice.format).catch((thrown: unknown) => {
      const description = toServiceError(thrown).message;
      toast({ title: 'The export was not started', description, tone: 'bad' });
    });
}

interface ExportChoicesProps {
  /** Mutated by the inputs; read when the dialog is confirmed. */
  choice: ExportChoice;
  source: ExportSource;
}

function ExportChoices({ choice, source }: ExportChoicesProps) {
  const { filter, note, csvHint, total, extended, variants } = source;
  const sheets = Math.ceil(total / (MAX_SHEET_ROWS - 1));
  return (
    <div className="export-choices">
      {filter !== undefined && <p>{filter}</p>}
      {note !== undefined && <p className="field-hint">{note}</p>}
      <fieldset>
        <legend className="field-label">Format</legend>
        {FORMAT_OPTIONS.map(({ format, label, hint }) => (
          <label key={format} className="export-choice">
            <input
              type="radio"
              name="format"
              defaultChecked={format === choice.format}
              onChange={() => Object.assign(choice, { format })}
            />
            <span>
              {label} <small>{format === 'csv' ? (csvHint ?? hint) : hint}</small>
            </span>
          </label>
        ))}
        {sheets > 1 && (
          <p className="field-hint">
            A sheet holds {formatNumber(MAX_SHEET_ROWS - 1)} rows: a workbook would have{' '}
            {formatNumber(sheets)} of them. CSV and JSON are one table.
          </p>
        )}
      </fieldset>
      {variants && (
        <label className="export-variant">
          <span className="field-label">{variants.label}</span>
          <select
            className="input"
            defaultValue={choice.variant}
            onChange={({ target }) => Object.assign(choice, { variant: Number(target.value) })}
          >
            {variants.options.map(({ label }, at) => (
              <option key={label} value={at}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      {extended && (
        <label className="export-choice">
          <input
            type="checkbox"
            className="checkbox"
            onChange={({ target }) => Object.assign(choice, { isExtended: target.checked })}
          />
          <span>
            {extended.label} <small>{extended.hint}</small>
          </span>
        </label>
      )}
    </div>
  );
}

/** Exports of this size run as jobs. */
const JOB_THRESHOLD_ROWS = 5000;

const CHOSEN_TEXT = 'Selected individually';

const ignoreError = () => undefined;

/** Writes and saves the file: immediately if it is small, otherwise as a job that can be paused and stopped. */
async function runExport(source: TableExport, format: FileFormat): Promise<void> {
  const { total, formatCount, subject, filter, search } = source;
  const id = crypto.randomUUID();
  const { identity } = await getDirectorySession();
  const startedAt = Date.now();
  const title = `Export ${formatCount(total)} as ${format.toUpperCase()}`;
  const isJob = total >= JOB_THRESHOLD_ROWS || source.isSlow === true;
  const abortController = new AbortController();
  let isStopRequested = false;
  const stop = () => {
    isStopRequested = true;
    abortController.abort();
  };
  const pause = createPause();
  const name = buildFileName(subject, filter, format);
  const report = (done: number) => {
    requireIdentity(identity);
    if (!isJob) return;
    const isPaused = pause.isPaused();
    const turn = () => {
      pause.toggle();
      try {
        report(done);
      } catch (thrown) {
        // Acting has ended: the job ends with this reason.
        abortController.abort(thrown);
      }
    };
    const actions = [
      { label: isPaused ? 'Continue' : 'Pause', onSelect: turn },
      { label: 'Stop', onSelect: stop },
    ];
    const result = `${isPaused ? 'Paused at ' : ''}${formatNumber(done)} of ${formatNumber(total)}`;
    upsertJob({ id, title, state: 'running', progress: total === 0 ? 1 : done / total, result, actions });
  };
  const saveRecord = (end: Pick<ExportRecord, 'state' | 'rows' | 'why'>, file?: Blob) => {
    const record = {
      id,
      identity,
      name,
      subject,
      filterText: filter ?? CHOSEN_TEXT,
      search,
      startedAt: new Date(startedAt).toISOString(),
    };
    // Without storage the export is not listed.
    void saveExport(
      { ...record, ...end, sizeBytes: file?.size ?? 0, durationMs: Date.now() - startedAt },
      file,
    ).catch(ignoreError);
  };
  try {
    report(0);
    const { blob, written } = await writeFile(source, {
      format,
      report,
      signal: abortController.signal,
      pause,
    });
    await recordAndSave(subject, { name, rows: written }, blob);
    saveRecord({ state: 'done', rows: written }, blob);
    const left = total - written;
    const result = `${formatCount(written)} in ${name}${left > 0 ? `, ${formatNumber(left)} deleted in the meantime` : ''}`;
    const saveAgain = () =>
      void saveExportAgain({ name, subject, rows: written }, () => Promise.resolve(blob));
    const actions = [{ label: 'Save again', onSelect: saveAgain }];
    if (isJob) upsertJob({ id, title, state: 'done', result, actions });
    else toast({ title: `${formatCount(written)} exported`, description: name });
  } catch (thrown) {
    const why = toServiceError(thrown).message;
    const isStopped = isStopRequested;
    saveRecord({ state: isStopped ? 'stopped' : 'failed', rows: 0, ...(!isStopped && { why }) });
    if (!isJob) toast({ title: 'The export failed', description: why, tone: 'bad' });
    else if (isStopped) upsertJob({ id, title, state: 'stopped', result: 'No file was created' });
    else {
      const actions = [{ label: 'Try again', onSelect: () => void runExport(source, format) }];
      upsertJob({ id, title, state: 'failed', result: `No file was created: ${why}`, actions });
    }
  }
}

interface WriteOptions {
  format: FileFormat;
  report: (done: number) => void;
  signal: AbortSignal;
  pause: Pause;
}

async function writeFile(source: TableExport, { format, report, signal, pause }: WriteOptions) {
  const { columns, sheet, total, note, filter = CHOSEN_TEXT } = source;
  const worker = startWorker(workerUrl);
  try {
    const file = wrap<FileWriterWorker>(worker);
    const alive = rejectOnWorkerError(worker);
    await alive(file.begin({ format, columns, sheet, filter, note, exportedAt: new Date() }));
    let written = 0;
    for await (const rows of source.portions(signal)) {
      signal.throwIfAborted();
      await alive(file.add(rows));
      written += rows.length;
      report(Math.min(written, total));
      // What is paused waits here.
      await pause.waitWhilePaused(signal);
    }
    const blob = await alive(file.end());
    if (!blob) throw new Error('No file was begun');
    return { blob, written };
  } finally {
    worker.terminate();
  }
}

/** Pauses a loop. */
interface Pause {
  isPaused: () => boolean;
  /** Pauses or resumes. */
  toggle: () => void;
  /** Resolves when not paused. @throws the reason of the signal when it is aborted */
  waitWhilePaused: (signal: AbortSignal) => Promise<void>;
}

function createPause(): Pause {
  let gate: PromiseWithResolvers<void> | undefined;
  return {
    isPaused: () => gate !== undefined,
    toggle() {
      gate?.resolve();
      gate = gate ? undefined : Promise.withResolvers<void>();
    },
    async waitWhilePaused(signal) {
      if (gate && !signal.aborted) {
        const stop = () => gate?.resolve();
        signal.addEventListener('abort', stop);
        await gate.promise;
        signal.removeEventListener('abort', stop);
      }
      signal.throwIfAborted();
    },
  };
}
