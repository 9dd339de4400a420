import { defineArea } from '../../kernel/area/area.ts';

export const reportsArea = defineArea({
  name: 'reports',
  notBuilt: [
    'listReportTemplates',
    'createReportTemplate',
    'getReportTemplate',
    'replaceReportTemplate',
    'deleteReportTemplate',
    'downloadReportTemplate',
    'checkReportTemplate',
    'checkReportFile',
    'previewReport',
    'listReportPlaceholders',
    'getReportOptions',
    'startReportRun',
    'listReportRuns',
    'getReportRun',
    'cancelReportRun',
    'downloadReport',
    'compareReportRuns',
  ],
});
