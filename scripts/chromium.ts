import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
/** Finds or installs the Chromium for the browser tests. */
import { chromium } from '@playwright/test';
import { installDebianPackage } from './debian.ts';

/** The headless shell comes first: the same engine without the parts of a desktop application, which take a third of its CPU time. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
];
const APPLICATIONS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Runs the program, because some systems ship a stub that only prints how to install the browser. */
function canRun(path: string): boolean {
  return existsSync(path) && spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0;
}

/** The path of an installed Chromium, or undefined. */
export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const installed = NAMES.flatMap((name) => [...folders, '/usr/bin'].map((folder) => join(folder, name)));
  return [...installed, ...APPLICATIONS, chromium.executablePath()].find(canRun);
}

/**
 * The path of a Chromium; installs one if there is none.
 * @throws Error that says what to install
 */
export function ensureChromium(): string {
  const attempts = [
    () => true,
    () => installDebianPackage('chromium-headless-shell'),
    () => installDebianPackage('chromium'),
    () =>
      spawnSync(process.execPath, ['node_modules/@playwright/test/cli.js', 'install', 'chromium'], {
        stdio: 'inherit',
      }).status === 0,
  ];
  for (const attempt of attempts) {
    const path = attempt() ? findChromium() : undefined;
    if (path) return path;
  }
  throw new Error(
    'The browser tests need Chromium: install Chromium or Google Chrome, or run "npx playwright install --with-deps chromium".',
  );
}
