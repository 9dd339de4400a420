/** Results of the checks that the quality page of a release shows (`npm run quality`). */
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const Results = z.object({
  measuredAt: z.string(),
  sources: z.string(),
  pages: z.array(z.object({ path: z.string(), isAccessible: z.boolean() })),
  keyboard: z.array(z.object({ name: z.string(), passed: z.boolean() })),
});

/** Says what the quality page of a release lacks; undefined if it shows results of these sources, all passed. */
export function explainQualityResults(file: string, sources: string): string | undefined {
  if (!existsSync(file)) return `The quality page of this release has no results: ${file} is missing.`;
  const { data } = Results.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!data) return `The quality page of this release has no results: ${file} has another form.`;
  if (data.sources !== sources)
    return `The quality page of this release shows results of an earlier console, measured at ${data.measuredAt}.`;
  const failed = [
    ...data.pages.filter(({ isAccessible }) => !isAccessible).map(({ path }) => path),
    ...data.keyboard.filter(({ passed }) => !passed).map(({ name }) => name),
  ];
  return failed.length === 0
    ? undefined
    : `The quality page of this release shows failed checks: ${failed.join(', ')}.`;
}
