import { FileText } from 'lucide-react';
import { defineArea } from '../../app/area/define-area.ts';

export const reportsArea = defineArea({
  name: 'reports',
  palette: () => import('./palette.ts'),
  navigation: [
    {
      group: 'Data',
      path: '/reports',
      name: 'Reports',
      icon: FileText,
      key: 'r',
      needs: 'listReportTemplates',
    },
  ],
  invalidations: {
    createReportTemplate: ['listReportTemplates'],
    replaceReportTemplate: ['listReportTemplates', 'getReportTemplate'],
    deleteReportTemplate: ['listReportTemplates'],
    checkReportTemplate: [],
    checkReportFile: [],
    previewReport: [],
    startReportRun: ['listReportRuns', 'listReportTemplates', 'listJobs'],
    createReportSchedule: ['listReportSchedules'],
    updateReportSchedule: ['listReportSchedules'],
    deleteReportSchedule: ['listReportSchedules'],
    cancelReportRun: ['listReportRuns', 'getReportRun', 'listJobs', 'getJob'],
  },
});
