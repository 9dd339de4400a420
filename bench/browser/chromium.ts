import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium } from '@playwright/test';
import type { Service } from '../../e2e/support/service.ts';
import { ensureChromium } from '../../scripts/testing/browsers.ts';
import { GRID_ROW, observePaints } from './paint.ts';

/** Launches Chromium for measurements. @throws {Error} If the console has not been built. */
export async function openBrowser(): Promise<Browser> {
  if (!existsSync('dist/index.html')) throw new Error('Build the console first: npm run build');
  const root = process.getuid?.() === 0;
  const args = root ? ['--no-sandbox', '--disable-gpu'] : ['--disable-gpu'];
  return chromium.launch({ executablePath: ensureChromium(), args });
}

/**
 * Creates a browser context with an empty cache. Its pages record when a row matching the selector is first painted, and their long
 * tasks (see `observePaints`).
 */
export async function newBrowserContext(
  browser: Browser,
  { url }: Pick<Service, 'url'>,
  row = GRID_ROW,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
  });
  await context.addInitScript(observePaints, row);
  return context;
}
