/** Hash of the sources of the console: tells whether a build, or the results of its checks, belong to them. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Sources of the bundle, without the results of the checks, which are made from the bundle. */
export const CONSOLE_SOURCES = [
  'index.html',
  'vite.config.ts',
  'scripts/{chunks,documents,pdf-files}.ts',
  'package-lock.json',
  'src/**/*',
  'public/**/*',
  'docs/*.md',
  'docs/help/*.md',
  'contract/**/*.{ts,json}',
];

/** Hash of the names and contents of files, tests left out. */
export function hashFiles(patterns: readonly string[], cwd = process.cwd()): string {
  const hash = createHash('sha256');
  const files = patterns
    .flatMap((pattern) => globSync(pattern, { cwd, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  for (const file of files)
    hash.update(relative(cwd, file)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}
