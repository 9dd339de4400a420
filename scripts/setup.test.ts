/** `npm start` on an installation without development packages: no npm, no build (scripts/setup.mjs). */
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-setup-'));
  for (const folder of ['scripts', 'bin', 'dist', 'node_modules/server', 'node_modules/builder'])
    mkdirSync(join(root, folder), { recursive: true });
  copyFileSync(new URL('setup.mjs', import.meta.url), join(root, 'scripts/setup.mjs'));
  writeFileSync(
    join(root, 'scripts/build.ts'),
    `require('node:fs').writeFileSync('${join(root, 'built')}', '')`,
  );
  writeFileSync(join(root, 'bin/npm'), `#!/bin/sh\ntouch '${join(root, 'npm-was-run')}'\nexit 1\n`);
  chmodSync(join(root, 'bin/npm'), 0o755);
  writePackages('package-lock.json', { server: {}, builder: { dev: true } });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const writePackages = (path: string, packages: Record<string, { dev?: boolean; version?: string }>): void =>
  writeFileSync(
    join(root, path),
    JSON.stringify({
      packages: Object.fromEntries(
        Object.entries(packages).map(([name, fields]) => [
          `node_modules/${name}`,
          { version: '1.0.0', integrity: 'sha512-a', ...fields },
        ]),
      ),
    }),
  );

/** Runs the script with an npm that only notes that it was run. */
function setUp(
  ...args: string[]
): Promise<{ code: number; stderr: string; ranNpm: boolean; built: boolean }> {
  const env = {
    ...process.env,
    PATH: `${join(root, 'bin')}:${process.env['PATH']}`,
    npm_execpath: undefined,
  };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(root, 'scripts/setup.mjs'), ...args],
      { env },
      (error, _stdout, stderr) =>
        resolve({
          code: error ? Number(error.code) : 0,
          stderr,
          ranNpm: existsSync(join(root, 'npm-was-run')),
          built: existsSync(join(root, 'built')),
        }),
    );
  });
}

test('starts an installation without development packages as it is', async () => {
  writePackages('node_modules/.package-lock.json', { server: {} });
  writeFileSync(join(root, 'dist/index.html'), '');
  expect(await setUp('--build')).toEqual({ code: 0, stderr: '', ranNpm: false, built: false });
});

test('without a built console it says what to do, and touches nothing', async () => {
  writePackages('node_modules/.package-lock.json', { server: {} });
  const outcome = await setUp('--build');
  expect(outcome).toMatchObject({ code: 1, ranNpm: false });
  expect(outcome.stderr).toContain('Copy the folder dist');
  expect(existsSync(join(root, 'node_modules/server'))).toBe(true);
});

test('with all packages it builds; with an outdated one, or for tests, it installs', async () => {
  writePackages('node_modules/.package-lock.json', { server: {}, builder: { dev: true } });
  expect(await setUp('--build')).toMatchObject({ code: 0, ranNpm: false, built: true });
  writePackages('node_modules/.package-lock.json', { server: {}, builder: { dev: true, version: '0.9.0' } });
  expect(await setUp('--build')).toMatchObject({ code: 1, ranNpm: true });
  rmSync(join(root, 'npm-was-run'));
  writePackages('node_modules/.package-lock.json', { server: {} });
  expect(await setUp()).toMatchObject({ ranNpm: true });
});
