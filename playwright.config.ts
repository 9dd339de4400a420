import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';
import type { InstallationOptions } from './e2e/support/test.ts';
import { findChromium } from './scripts/testing/browsers.ts';

const BROWSER_FLAGS = [
  '--disable-gpu',
  '--disable-background-networking',
  '--no-first-run',
  '--disable-component-update',
  // Pages of tests end before code that is optimized for speed would pay for its compilation, a tenth of Chromium's processor time.
  '--js-flags=--no-turbofan --no-maglev',
];
// Chromium's sandbox does not start as root.
const SANDBOX_FLAGS = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/**
 * Tests that also run on PostgreSQL because they depend on the database: concurrent transactions, sessions, mail, the
 * first start. All browser tests run on the embedded database, and all service tests on both.
 */
const POSTGRES_TESTS = [
  'access/session',
  'app/first-start',
  'bulk/conflict',
  'bulk/plan',
  'proxies/acting-journey',
  'users/create',
].map((name) => `e2e/${name}.test.ts`);
const missing = POSTGRES_TESTS.filter((file) => !existsSync(`${import.meta.dirname}/${file}`));
if (missing.length > 0) throw new Error(`There is no ${missing.join(', ')}`);
const runsAll = process.env['STEWARD_E2E_DATABASE'] !== 'postgres';

export default defineConfig<InstallationOptions>({
  testDir: 'e2e',
  testMatch: runsAll ? '*.test.ts' : POSTGRES_TESTS.map((file) => `**/${file}`),
  globalSetup: './scripts/testing/playwright-setup.ts',
  outputDir: 'test-results/e2e',
  // Each worker has its own browser and starts a service with a database for each file. Pages also wait, for the service and for
  // each other, so that a third worker uses what two leave of two cores.
  workers: 3,
  // On two busy cores a page can be starved. A second failure is a defect, and the summary of `npm test` names every
  // test that needed a retry.
  retries: process.env['CI'] ? 1 : 0,
  forbidOnly: true,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  use: {
    browserName: 'chromium',
    launchOptions: {
      executablePath: process.env['STEWARD_CHROMIUM'] ?? findChromium(),
      args: [...BROWSER_FLAGS, '--disable-sync', '--disable-quic', ...SANDBOX_FLAGS],
    },
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    actionTimeout: 20_000,
    // Tracing every test takes a fifth of the time; with retries, only the retry is traced.
    trace: process.env['CI'] ? 'on-first-retry' : 'retain-on-failure',
    // Animations delay actions and falsify contrast checks.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
  },
});
