import { defineArea } from '../../kernel/area/area.ts';

export const reportsArea = defineArea({
  name: 'reports',
  notBuilt: ['listReportTemplates', 'startReportRun', 'listReportRuns', 'getReportRun', 'downloadReport'],
});
