/** The job that generates a report. */
import { conflict } from '../../kernel/api-error.ts';
import { ACTIVITY_TYPE, insertActivity } from '../../kernel/audit/activity.store.ts';
import { defineFileJobKind } from '../../kernel/jobs/job-kind.ts';
import { formatQueryDetail, shortenTitle } from '../../kernel/jobs/job-texts.ts';
import { formatNumber } from '../../kernel/numbers.ts';
import { deliverReport } from './deliver.ts';
import { withTemplate } from './documents/renderer.ts';
import { buildMemberName, buildReportName } from './file-names.ts';
import { generateReport, REPORT_LIMITS } from './generate.ts';
import type { ReportParameters } from './report-parameters.ts';
import { countReaders, findRun, insertResult } from './runs.store.ts';
import { findVersionFile } from './templates.store.ts';
import { createDocumentZip } from './zip-writer.ts';

/** exportDataType of Template Report (shapes 2). */
const TEMPLATE_REPORT = 4;

const OFFICE_TYPE = 'application/vnd.openxmlformats-officedocument';
/** Media types by file name extension. */
export const MEDIA_TYPES = {
  docx: `${OFFICE_TYPE}.wordprocessingml.document`,
  xlsx: `${OFFICE_TYPE}.spreadsheetml.sheet`,
  pdf: 'application/pdf',
  zip: 'application/zip',
} as const;

/** What the activity report says of a report. */
export const toExportDetail = (
  {
    templateId,
    templateName,
    version,
    entryTypeId,
    typeName,
    fields,
    format,
    document,
    filterText,
    query,
    asOf,
  }: ReportParameters,
  entryIds: readonly number[] | undefined,
): Record<string, unknown> => ({
  template: templateName,
  templateId,
  version,
  type: typeName,
  entryTypeId,
  filter: filterText ?? null,
  query: query === undefined ? null : formatQueryDetail(query),
  entries: entryIds?.slice(0, 100) ?? null,
  asOf: asOf ?? null,
  fields,
  format: document === 'zip' ? 'zip' : format,
});

export const reportJob = defineFileJobKind<ReportParameters>({
  kind: 'report',
  operation: 'startReportRun',
  capabilities: ['Read Data'],
  describe(_context, { templateName, format, selected, filterText }) {
    const what =
      selected === null
        ? (filterText ?? 'all entries')
        : `${formatNumber(selected)} ${selected === 1 ? 'entry' : 'entries'}`;
    return shortenTitle(`Generate the report ${templateName} as ${format.toUpperCase()}: ${what}`);
  },
  async produce(batch) {
    const { db, caller, blobs, parameters, jobId, officeProgram, signal } = batch;
    const { siteId } = caller;
    const { templateId, version, format, document, timeZone } = parameters;
    const file = await findVersionFile(db, siteId, templateId, version);
    if (!file?.bytes) throw conflict('The template of this report was deleted');
    const entryIds = await batch.readSelection();
    const isPdf = format === 'pdf';
    const zip = document === 'zip' ? createDocumentZip((chunk) => batch.write(chunk)) : undefined;
    const report = await generateReport(
      {
        db,
        caller,
        blobs,
        officeProgram,
        signal,
        open: withTemplate,
        reportProgress: (progress) => batch.reportProgress(progress),
      },
      {
        template: { ...file, bytes: file.bytes, name: parameters.templateName, version },
        entryTypeId: parameters.entryTypeId,
        selection: {
          entryIds,
          query: parameters.query,
          orderBy: parameters.orderBy,
          asOf: parameters.asOf,
        },
        isPdf,
        document,
        timeZone,
      },
      async ({ bytes, entry }) => {
        if (zip && entry) await zip.add(buildMemberName(entry, format), bytes);
        else await batch.write(bytes);
      },
    );
    await zip?.end();
    const extension = document === 'zip' ? 'zip' : format;
    const count = report.entryCount;
    const summary = `${formatNumber(count)} ${count === 1 ? 'entry' : 'entries'} of ${parameters.typeName}`;
    return {
      name: buildReportName(
        { template: parameters.templateName, entry: report.onlyEntry },
        { at: report.at, timeZone },
        extension,
      ),
      mediaType: MEDIA_TYPES[extension],
      rows: count,
      subject: 'report',
      detail: toExportDetail(parameters, entryIds),
      keptDays: REPORT_LIMITS.keptDays,
      summary,
      async save(tx, record) {
        await insertResult(
          tx,
          { siteId, jobId },
          {
            entryCount: count,
            dataDate: report.at,
            dataHash: report.dataHash,
            readerCount: await countReaders(tx, siteId),
            packedValues: report.packedValues,
          },
        );
        await deliverReport(tx, record, {
          siteId,
          jobId,
          at: report.at,
          templateName: parameters.templateName,
          content: summary,
          keptDays: REPORT_LIMITS.keptDays,
          recipients: parameters.recipients ?? [],
          publicUrl: batch.publicUrl,
        });
      },
    };
  },
  async recordDownload(tx, { siteId, jobId, userId, ip, source, session }) {
    const run = await findRun(tx, siteId, jobId);
    if (!run) throw new Error(`Job ${jobId} generated no report`);
    await insertActivity(tx, {
      siteId,
      userId,
      kind: ACTIVITY_TYPE.exported,
      ip,
      source,
      session,
      exportDataType: TEMPLATE_REPORT,
      exportDetail: {
        subject: 'report',
        rows: run.entryCount ?? 0,
        ...toExportDetail(run.parameters, run.selectedIds ?? undefined),
      },
    });
  },
});
