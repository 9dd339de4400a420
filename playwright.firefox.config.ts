/** Firefox as its makers publish it, over WebDriver BiDi: all pages and the main journeys (`npm run test:firefox`). */
import { defineConfig } from '@playwright/test';
import { adaptMessages, FIREFOX_PREFERENCES } from './e2e/support/browsers/firefox.ts';
import { createBrowserPattern } from './e2e/support/browsers/journeys.ts';
import type { InstallationOptions } from './e2e/support/test.ts';
import base from './playwright.config.ts';
import { findFirefox } from './scripts/testing/browsers.ts';

adaptMessages();
const executablePath = findFirefox();

export default defineConfig<InstallationOptions>({
  ...base,
  testMatch: '*.test.ts',
  grep: createBrowserPattern(),
  outputDir: 'test-results/firefox',
  // A Firefox has several processes.
  workers: 2,
  // Each key and click is a message to Firefox that waits for the next frame.
  timeout: 240_000,
  use: {
    ...base.use,
    browserName: 'firefox',
    channel: 'moz-firefox',
    launchOptions: {
      ...(executablePath !== undefined && { executablePath }),
      firefoxUserPrefs: FIREFOX_PREFERENCES,
    },
    screenshot: 'off',
  },
});
