import { defineArea } from '../../kernel/area/area.ts';
import {
  jsonColumns,
  plainColumns,
  textColumns,
  timeColumns,
  userColumns,
} from '../../kernel/backup-sheets.ts';
import { recipientHandlers, REPORT_MAIL_EXAMPLES } from './deliver.ts';
import { reportJob } from './report-job.ts';
import { createReportRetentionTask } from './retention.ts';
import { runHandlers } from './runs.ts';
import { createReportScheduleTask, scheduleHandlers } from './schedules.ts';
import { templateHandlers } from './templates.ts';

export const reportsArea = defineArea({
  name: 'reports',
  handlers: { ...templateHandlers, ...runHandlers, ...recipientHandlers, ...scheduleHandlers },
  jobKinds: [reportJob],
  tasks: (context) => [createReportRetentionTask(context), createReportScheduleTask(context)],
  mailExamples: REPORT_MAIL_EXAMPLES,
  tables: {
    report_template: { backup: { sheet: 'reportTemplates' } },
    report_template_version: {
      backup: { sheet: 'reportTemplateVersions' },
      retention: 'until the template is deleted, files of the last 20 versions',
    },
    report_schedule: {
      backup: { leftOut: 'sends reports in the name of its owner: set up again after a restore' },
    },
    report_result: {
      backup: { leftOut: 'log of the installation' },
      retention: '1 year, values for comparisons 30 days or 100 reports',
    },
  },
  sheets: {
    reportTemplates: {
      name: 'settings/report-templates.csv',
      kind: 'settings',
      from: 'report_template',
      keys: ['template_id'],
      isByEntryType: true,
      isOptional: true,
      columns: [
        ...plainColumns('template_id'),
        ...textColumns('name', 'description'),
        ...plainColumns('type_id', 'version', 'edition'),
        ...timeColumns('created_at', 'modified_at'),
        ...userColumns('modified_by'),
      ],
    },
    reportTemplateVersions: {
      name: 'settings/report-template-versions.csv',
      kind: 'settings',
      from: 'report_template_version',
      keys: ['template_id', 'version'],
      largeColumns: ['content', 'texts'],
      isByEntryType: true,
      isOptional: true,
      columns: [
        ...plainColumns('template_id', 'version', 'type_id', 'format'),
        ...textColumns('file_name'),
        ...plainColumns('size', 'byte_count'),
        { name: 'sha256', format: 'hex' },
        { name: 'content', format: 'hex' },
        ...jsonColumns('texts'),
        ...timeColumns('created_at'),
        ...userColumns('created_by'),
      ],
    },
  },
  auditActions: {
    'report-template': [
      'report-template.create',
      'report-template.delete',
      'report-template.update',
      'report.preview',
    ],
    'report-schedule': [
      'report-schedule.create',
      'report-schedule.delete',
      'report-schedule.stop',
      'report-schedule.update',
    ],
    job: ['report.deliver', 'report.download'],
    site: ['report.expire'],
  },
});
