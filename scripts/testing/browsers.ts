import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
/** Finds or installs the browsers of the browser tests. */
import { chromium } from '@playwright/test';
import { installDebianPackage } from './debian.ts';

/** The headless shell comes first: the same engine without the parts of a desktop application, which take a third of its CPU time. */
const CHROMIUM_NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
];
const CHROMIUM_APPLICATIONS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const FIREFOX_NAMES = ['firefox-esr', 'firefox'];
const FIREFOX_APPLICATIONS = ['/Applications/Firefox.app/Contents/MacOS/firefox'];

/** Runs the program, because some systems ship a stub that only prints how to install the browser. */
function canRun(path: string, option: string): boolean {
  return existsSync(path) && spawnSync(path, [option], { stdio: 'ignore' }).status === 0;
}

/** Path of the first program that is installed and runs, or undefined. */
function findProgram(
  names: readonly string[],
  paths: readonly string[],
  option = '--version',
): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const installed = names.flatMap((name) => [...folders, '/usr/bin'].map((folder) => join(folder, name)));
  return [...installed, ...paths].find((path) => canRun(path, option));
}

/** The path of an installed Chromium, or undefined. */
export const findChromium = (): string | undefined =>
  findProgram(CHROMIUM_NAMES, [...CHROMIUM_APPLICATIONS, chromium.executablePath()]);

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

/** The path of an installed Firefox, or undefined. */
export const findFirefox = (): string | undefined =>
  process.env['STEWARD_FIREFOX'] ?? findProgram(FIREFOX_NAMES, FIREFOX_APPLICATIONS);

/** The path of a Firefox as its makers publish it; installs Debian's if there is none. Undefined where none can be had. */
export function ensureFirefox(): string | undefined {
  return findFirefox() ?? (installDebianPackage('firefox-esr') ? findFirefox() : undefined);
}

/** Programs of an installed WebKit. */
export interface WebKitPrograms {
  driver: string;
  browser: string;
}

/** Places of WebKitGTK's browser for tests, which is no program for people and in no folder of `PATH`. */
const WEBKIT_LIBRARIES = ['/usr/lib', '/usr/libexec', '/usr/lib64'];
const WEBKIT_VERSIONS = ['webkitgtk-6.0', 'webkit2gtk-4.1', 'webkit2gtk-4.0'];

/** The driver and the browser of an installed WebKitGTK, or undefined. */
export function findWebKit(): WebKitPrograms | undefined {
  const driver = findProgram(['WebKitWebDriver'], [], '--help');
  // Debian has a folder for each architecture.
  const folders = WEBKIT_LIBRARIES.filter((folder) => existsSync(folder)).flatMap((folder) => [
    folder,
    ...readdirSync(folder)
      .filter((name) => name.endsWith('-linux-gnu'))
      .map((name) => join(folder, name)),
  ]);
  const browser = WEBKIT_VERSIONS.flatMap((version) =>
    folders.map((folder) => join(folder, version, 'MiniBrowser')),
  ).find((path) => existsSync(path));
  return driver !== undefined && browser !== undefined ? { driver, browser } : undefined;
}

/** The programs of a WebKit; installs Debian's if there is none. Undefined where none can be had. */
export function ensureWebKit(): WebKitPrograms | undefined {
  return findWebKit() ?? (installDebianPackage('webkit2gtk-driver') ? findWebKit() : undefined);
}

const findXvfb = (): string | undefined => findProgram(['Xvfb'], [], '-help');

/** The path of a display without a screen, which WebKitGTK needs where there is none; installs Debian's. */
export function ensureXvfb(): string | undefined {
  return findXvfb() ?? (installDebianPackage('xvfb') ? findXvfb() : undefined);
}

/** Name and version of a Firefox: "Firefox 153.7.0esr". */
export function readFirefoxVersion(path: string): string {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return stdout.trim().replace(/^Mozilla /, '');
}
