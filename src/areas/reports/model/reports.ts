import type { ReportFormat, ReportRun, ReportTemplate } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { downloadReport, downloadReportTemplate } from '../../../api/generated/sdk/reports.gen.ts';
import { saveFile } from '../../../files/download.ts';
import type { FieldOption } from '../../../ui/form/OptionList.tsx';
import type { Tone } from '../../../ui/layout/Badge.tsx';
import { toast } from '../../../ui/toast.ts';
import { queryRows } from '../../entries/index.ts';
import type { Schema } from '../../entries/index.ts';

export const TEMPLATE_TYPES = '.docx,.xlsx';

/** Words for formats of files. */
export const FORMAT_LABELS: Record<ReportFormat, string> = { docx: 'Word', xlsx: 'Excel', pdf: 'PDF' };

export const RUN_LABELS: Record<ReportRun['status'], { label: string; tone: Tone }> = {
  Queued: { label: 'Queued', tone: 'neutral' },
  Running: { label: 'Running', tone: 'info' },
  Ready: { label: 'Ready', tone: 'ok' },
  Failed: { label: 'Failed', tone: 'bad' },
};

export const isRunning = ({ status }: Pick<ReportRun, 'status'>): boolean =>
  status === 'Queued' || status === 'Running';

/** Broken templates first, then by name. */
export const sortTemplates = (templates: readonly ReportTemplate[]): ReportTemplate[] =>
  templates.toSorted(
    (a, b) => Number(b.status === 'Broken') - Number(a.status === 'Broken') || a.name.localeCompare(b.name),
  );

/**
 * Options of a call that sends a multipart form: the generated type of the body is the JSON of its part `model`, and the
 * part `file` follows.
 */
export function asForm<Body>(model: Body, file: File) {
  const form = new FormData();
  form.append('model', JSON.stringify(model));
  form.append('file', file, file.name);
  return {
    body: model,
    bodySerializer: () => form,
    // The browser sets it, with the boundary of the parts.
    headers: { 'Content-Type': null },
  };
}

/** Shows why something did not work. */
export function showFailure(title: string, thrown: unknown): void {
  const { message, fields } = toServiceError(thrown);
  const description = fields.length > 0 ? fields.map((field) => field.message).join('. ') : message;
  toast({ title, description, tone: 'bad' });
}

/** The document of a report. @throws ServiceError, for example if its file was removed */
export async function loadReport(runId: number): Promise<Blob> {
  const { data } = await downloadReport({ path: { runId }, parseAs: 'blob' });
  return data;
}

/** Saves the document of a report; a failure is shown as a message. */
export async function saveReport({ runId, fileName, templateName }: ReportRun): Promise<void> {
  try {
    saveFile(fileName ?? templateName, await loadReport(runId));
  } catch (thrown) {
    showFailure('The report could not be downloaded', thrown);
  }
}

/** Saves the file of a template, by default of its current version. */
export async function saveTemplate(templateId: number, fileName: string, version?: number): Promise<void> {
  try {
    const query = version === undefined ? {} : { version };
    const { data } = await downloadReportTemplate({ path: { templateId }, query, parseAs: 'blob' });
    saveFile(fileName, data);
  } catch (thrown) {
    showFailure('The template could not be downloaded', thrown);
  }
}

const MAX_OPTIONS = 50;

/** Finds entries of a type whose name contains the text. */
export async function findEntries(
  schema: Schema,
  typeId: number,
  text: string,
  signal: AbortSignal,
): Promise<readonly FieldOption[]> {
  const key = schema.getFields(typeId).find(({ isKey }) => isKey);
  if (!key) return [];
  const query = text === '' ? {} : { [key.apiName]: { $contains: text } };
  const { rows } = await queryRows(typeId, { query, fields: [key.apiName], limit: MAX_OPTIONS }, signal);
  return rows.map(({ EntryId, [key.apiName]: name }) => ({
    value: EntryId,
    label: typeof name === 'string' && name !== '' ? name : `Entry ${EntryId}`,
  }));
}
