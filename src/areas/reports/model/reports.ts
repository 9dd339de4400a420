import { queryOptions } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import type {
  ReportFormat,
  ReportRun,
  ReportTemplate,
  Session,
} from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { withEtag } from '../../../api/etag.ts';
import {
  getReportOptionsOptions,
  getReportTemplateQueryKey,
  listReportPlaceholdersOptions,
  listReportRecipientsOptions,
  listReportTemplatesOptions,
} from '../../../api/generated/queries/reports.gen.ts';
import {
  checkReportTemplate,
  downloadReport,
  downloadReportTemplate,
  getReportTemplate,
} from '../../../api/generated/sdk/reports.gen.ts';
import { getPermission } from '../../../api/session.ts';
import { saveFile } from '../../../files/download.ts';
import type { FieldOption } from '../../../ui/form/select/OptionList.tsx';
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

/** Loads a template and its entity tag. */
export const templateQuery = (templateId: number) =>
  queryOptions({
    queryKey: [{ ...getReportTemplateQueryKey({ path: { templateId } })[0], tagged: true }],
    queryFn: async ({ signal }) => withEtag(await getReportTemplate({ path: { templateId }, signal })),
  });

/** Checks a version of a template against the current schema. */
export const templateCheckQuery = (templateId: number, version: number) =>
  queryOptions({
    queryKey: [{ check: 'template', templateId, version }],
    queryFn: async ({ signal }) => (await checkReportTemplate({ path: { templateId }, signal })).data,
  });

/**
 * Loads what the page of a template shows, so that its cards have their height from the start. Failures are left to the page.
 */
export async function prefetchTemplatePage(client: QueryClient, templateId: number): Promise<void> {
  const options = client.prefetchQuery(getReportOptionsOptions());
  const { queryKey } = templateQuery(templateId);
  await client.prefetchQuery(templateQuery(templateId));
  const template = client.getQueryData(queryKey)?.data;
  if (template) {
    const { version, entryTypeId } = template;
    await Promise.all([
      // The schema may have changed since the last check.
      client.prefetchQuery({ ...templateCheckQuery(templateId, version), staleTime: 0 }),
      client.prefetchQuery(listReportPlaceholdersOptions({ query: { entryTypeId } })),
    ]);
  }
  await options;
}

/** Loads the options of the form that generates a report, so that it has its height from the start. */
export async function prefetchGenerateForm(client: QueryClient, session: Session): Promise<void> {
  if (!getPermission(session, 'startReportRun').allowed) return;
  await Promise.all([
    client.prefetchQuery(listReportTemplatesOptions()),
    client.prefetchQuery(getReportOptionsOptions()),
    client.prefetchQuery(listReportRecipientsOptions()),
  ]);
}

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
