import { FileText } from 'lucide-react';
import { defineArea } from '../../app/area/define-area.ts';

export const reportsArea = defineArea({
  name: 'reports',
  navigation: [
    {
      group: 'Data',
      path: '/reports',
      name: 'Reports',
      icon: FileText,
      key: 'r',
      needs: 'listReportTemplates',
      notBuilt: {
        purpose:
          'Run template reports over selected entries, follow their progress and download the documents.',
        operations: [
          'GET /api/rest/v4/templatereports',
          'POST /api/rest/v4/templatereports/{templateId}/runs',
          'GET /api/rest/v4/templatereports/runs/{runId}',
        ],
      },
    },
  ],
  invalidations: {
    createReportTemplate: ['listReportTemplates'],
    replaceReportTemplate: ['listReportTemplates', 'getReportTemplate'],
    deleteReportTemplate: ['listReportTemplates', 'getReportTemplate'],
    checkReportTemplate: [],
    checkReportFile: [],
    previewReport: [],
    startReportRun: ['listReportRuns', 'listReportTemplates', 'listJobs'],
    cancelReportRun: ['listReportRuns', 'getReportRun', 'listJobs', 'getJob'],
  },
});
