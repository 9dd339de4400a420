/** WebKit, which Playwright does not drive here: its runner starts the service and runs the walk (`npm run test:webkit`). */
import { defineConfig } from '@playwright/test';
import type { InstallationOptions } from './e2e/support/test.ts';
import base from './playwright.config.ts';

export default defineConfig<InstallationOptions>({
  ...base,
  testMatch: '*.webkit.ts',
  outputDir: 'test-results/webkit',
  // The driver has one session, and the browser several processes.
  workers: 1,
});
