/** The contents of a release: files of the project, and files of packages that the service needs at run time. */
import { globSync } from 'node:fs';
import { basename } from 'node:path';

const FILES = [
  'bin/*',
  'contract/**/*.{ts,json,html}',
  'deploy/**/*',
  'dist/**/*',
  'docs/**/*.{md,mjs,png}',
  'scripts/setup.mjs',
  'service/**/*.{ts,js,json,br}',
  '{README,CHANGELOG,SECURITY}.md',
  'package.json',
  'package-lock.json',
];

const isForDevelopment = (path: string): boolean =>
  /\.test\.ts$|\.fixture\.ts$|^service\/testing\/|^contract\/areas\/|tsconfig/.test(path);

/** Files of the project, relative to its folder. */
export const listProjectFiles = (root: string): string[] =>
  FILES.flatMap((pattern) => globSync(pattern, { cwd: root, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) =>
      `${entry.parentPath.slice(root.length).replace(/^\//, '')}/${entry.name}`.replace(/^\//, ''),
    )
    .filter((path) => !isForDevelopment(path))
    .toSorted();

/** Extensions of PGlite that the service loads (service/kernel/db/pglite/pglite-worker.ts). */
const EXTENSIONS = ['btree_gin.tar.gz', 'pg_trgm.tar.gz'];
const SWAGGER_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'package.json', 'LICENSE', 'NOTICE'];

/**
 * A file of a package that the service never reads: types, source maps, texts, sources, and parts of large packages that it does not
 * use. `path` is relative to node_modules. Licenses stay.
 */
export function isUnneeded(path: string): boolean {
  const name = basename(path);
  if (/^(licen[cs]e|notice|copying)/i.test(name)) return false;
  const node = /^node-linux-(?:x64|arm64)\/(.*)$/.exec(path)?.[1];
  if (node !== undefined) return node !== 'bin/node' && node !== 'package.json';
  if (path.startsWith('swagger-ui-dist/')) return !SWAGGER_FILES.includes(name);
  if (path.startsWith('@electric-sql/pglite/dist/') && name.endsWith('.tar.gz'))
    return !EXTENSIONS.includes(name);
  if (/^@electric-sql\/pglite\/dist\/(?:node-postgres|vector|live)\//.test(path)) return true;
  if (/\.(?:map|md|markdown|flow|tsbuildinfo)$|\.(?:d\.[cm]?ts)$/.test(name)) return true;
  // Sources in TypeScript: no package may be loaded from them.
  if (/\.[cm]?tsx?$/.test(name)) return true;
  return /(?:^|\/)(?:test|tests|__tests__|examples?|benchmarks?|\.github|\.vscode)\//.test(path);
}
