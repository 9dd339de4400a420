import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium } from '@playwright/test';
import type { Service } from '../../e2e/support/service.ts';
import { ensureChromium } from '../../scripts/chromium.ts';
import { GRID_ROW, watch } from './watch.ts';

/** The browser that measures, once there is something to look at. */
export async function openBrowser(): Promise<Browser> {
  if (!existsSync('dist/index.html')) throw new Error('Build the console first: npm run build');
  const root = process.getuid?.() === 0;
  const args = root ? ['--no-sandbox', '--disable-gpu'] : ['--disable-gpu'];
  return chromium.launch({ executablePath: ensureChromium(), args });
}

/** A browser that has never seen the service; its pages note when they paint a row first and what takes long. */
export async function newVisitor(
  browser: Browser,
  { url }: Pick<Service, 'url'>,
  row = GRID_ROW,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
  });
  await context.addInitScript(watch, row);
  return context;
}
