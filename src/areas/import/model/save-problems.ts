import type { Remote } from 'comlink';
import { saveFile } from '../../../files/download.ts';
import type { PlanStore } from '../../../files/import-plan/plan-store.ts';
import type { FieldLabels } from '../../../files/import-plan/plan.ts';

/** Saves a CSV of rows that cannot be imported, with their problems. */
export async function saveProblems(
  client: Remote<PlanStore>,
  fileName: string,
  labels: FieldLabels,
): Promise<void> {
  saveFile(`${fileName.replace(/\.[^.]*$/, '')}-problems.csv`, await client.formatProblems(labels));
}
