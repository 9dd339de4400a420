/** Checks the size of the built console against its budget: gzipped bytes of pages, and the number of files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';

const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    /** Name of the chunk (scripts/chunks.ts). */
    name: z.string().optional(),
    isEntry: z.boolean().default(false),
    imports: z.array(z.string()).default([]),
    css: z.array(z.string()).default([]),
  }),
);
type Manifest = z.infer<typeof Manifest>;

export interface BudgetItem {
  name: string;
  actual: number;
  /** The build fails above it. */
  limit: number;
  unit: 'KiB' | 'files';
}

/** Keys of the chunks that a chunk needs, itself included. */
function withImports(manifest: Manifest, keys: readonly string[], seen = new Set<string>()): Set<string> {
  for (const key of keys) {
    if (seen.has(key)) continue;
    seen.add(key);
    withImports(manifest, manifest[key]?.imports ?? [], seen);
  }
  return seen;
}

/**
 * Measures the built console in `dist`.
 * @throws Error where there is no build, or a chunk of the budget is missing in it
 */
export function measureBundle(dist = 'dist'): BudgetItem[] {
  const path = join(dist, '.vite/manifest.json');
  if (!existsSync(path)) throw new Error('There is no build to measure: run "npm run build" first');
  const manifest = Manifest.parse(JSON.parse(readFileSync(path, 'utf8')));
  const entries = Object.keys(manifest).filter((key) => manifest[key]?.isEntry);
  const page = (...names: string[]) => {
    const keys = Object.keys(manifest).filter((key) => names.includes(manifest[key]?.name ?? ''));
    const missing = names.find((name) => !keys.some((key) => manifest[key]?.name === name));
    if (missing !== undefined) throw new Error(`The build has no chunk "${missing}"`);
    return withImports(manifest, [...entries, ...keys]);
  };
  const kibibytes = (keys: ReadonlySet<string>, pick: (chunk: Manifest[string]) => readonly string[]) => {
    const files = new Set([...keys].flatMap((key) => (manifest[key] ? pick(manifest[key]) : [])));
    const bytes = [...files].map((file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length);
    return bytes.reduce((sum, one) => sum + one, 0) / 1024;
  };
  const scripts = (keys: ReadonlySet<string>) => kibibytes(keys, ({ file }) => [file]);
  const usersList = page('core', 'users');
  const unit = 'KiB';
  return [
    { name: 'JavaScript, first load', actual: scripts(withImports(manifest, entries)), limit: 140, unit },
    { name: 'JavaScript, users list', actual: scripts(usersList), limit: 210, unit },
    { name: 'JavaScript, entries grid', actual: scripts(page('core', 'entries')), limit: 266, unit },
    { name: 'JavaScript, sign-in', actual: scripts(page('sign-in')), limit: 321, unit },
    { name: 'CSS, users list', actual: kibibytes(usersList, ({ css }) => css), limit: 15, unit },
    // Without the packed copies (.br, .gz) that lie beside the files. The folder of pdf.js, whose files only some
    // documents need, counts as one.
    {
      name: 'Files in dist/assets',
      actual: readdirSync(join(dist, 'assets')).filter((file) => !/\.(br|gz)$/.test(file)).length,
      limit: 84,
      unit: 'files',
    },
  ];
}

if (import.meta.main) {
  const items = measureBundle();
  for (const { name, actual, limit, unit } of items) {
    const figure = unit === 'files' ? String(actual) : actual.toFixed(1);
    const verdict = actual > limit ? 'OVER THE LIMIT' : 'within the limit';
    console.log(`${name.padEnd(28)}${figure.padStart(7)} ${unit.padEnd(5)}  limit ${limit}  ${verdict}`);
  }
  if (items.some(({ actual, limit }) => actual > limit)) process.exitCode = 1;
}
