import { defineConfig } from '@playwright/test';
import type { InstallationOptions } from './e2e/support/test.ts';
import { findChromium } from './scripts/chromium.ts';

const quiet = [
  '--disable-gpu',
  '--disable-background-networking',
  '--no-first-run',
  '--disable-component-update',
];
// Chromium's sandbox does not start as root.
const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/**
 * What depends on the database beneath: transactions that meet, sessions, mail, the first start. The console
 * itself cannot tell the databases apart, and every test of the service runs on both; so all browser tests run on the
 * embedded one, and on PostgreSQL these.
 */
const ON_POSTGRES = [
  'acting-journey',
  'bulk-conflict',
  'bulk-plan',
  'first-start',
  'session',
  'users-create',
].map((name) => `${name}.test.ts`);
const everything = process.env['STEWARD_E2E_DATABASE'] !== 'postgres';

export default defineConfig<InstallationOptions>({
  testDir: 'e2e',
  testMatch: everything ? '*.test.ts' : ON_POSTGRES,
  outputDir: 'test-results/e2e',
  // A worker has a browser of its own, and a service and a database for every file: two cores carry two of these.
  workers: 2,
  // Two cores shared by two browsers, services and databases can starve a page; a second failure is a defect,
  // and a test that needed its second try is named in the summary of `npm test`.
  retries: process.env['CI'] ? 1 : 0,
  forbidOnly: true,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  use: {
    browserName: 'chromium',
    launchOptions: {
      executablePath: process.env['STEWARD_CHROMIUM'] ?? findChromium(),
      args: [...quiet, '--disable-sync', '--disable-quic', ...sandbox],
    },
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    actionTimeout: 20_000,
    // Tracing every test costs a fifth of the time; where there is a second try, that one is traced.
    trace: process.env['CI'] ? 'on-first-retry' : 'retain-on-failure',
    // What moves is waited for, and colours are judged at rest: less motion is less of both.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
  },
});
