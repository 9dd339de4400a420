/** Results of the checks that the quality page shows, written only while `npm run quality` runs. */
import { appendFileSync } from 'node:fs';

/** Result of one check of a page or a journey. */
export type QualityResult =
  | {
      kind: 'page';
      /** Path of the page; ids that a test creates are named by their parameter. */
      path: string;
      /** True if axe, where it runs, found no violation in light, dark and at 390 px, and nothing is cut off. */
      isAccessible: boolean;
      /** Sum of the layout shifts without input (web-vitals definition, without session windows), the higher one of both widths. */
      layoutShift?: number;
      /** Milliseconds from following a link until the heading and the content are there. */
      readyMs?: number;
    }
  | { kind: 'keyboard' | 'journey'; name: string; passed: boolean };

/** File that collects the results, one JSON object per line. */
const file = process.env['STEWARD_QUALITY_FILE'];

/** Appends a result; without `npm run quality`, nothing is written. */
export function recordResult(result: QualityResult): void {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(result)}\n`);
}
