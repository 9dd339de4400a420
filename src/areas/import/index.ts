export type { ImportDescription } from './model/description.ts';
export { createPlannedRows, loadConfirmedPlans } from './model/planned-rows.ts';
export { saveProblems } from './model/save-problems.ts';
export { uploadPlan } from './model/upload-plan.ts';
export type { ImportItem } from './model/upload-plan.ts';
export { openWorkerClient } from './model/worker-client.ts';
