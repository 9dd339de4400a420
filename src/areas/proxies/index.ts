export { useAssignments } from './model/use-assignments.ts';
export { AssignmentLists, AssignmentsError } from './panels/AssignmentLists.tsx';
export { AssignPanel } from './panels/AssignPanel.tsx';
export { formatReportName } from './reports/report-columns.tsx';
export { useReports } from './reports/reports-query.ts';
