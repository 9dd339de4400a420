/** Files that pages hand to the browser and take from people. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';

interface Saved {
  name: string;
  bytes: Buffer;
}

/** What the page saves when this is done, as it lies on the disk. */
export async function savedBy(page: Page, act: () => Promise<unknown>): Promise<Saved> {
  const download = page.waitForEvent('download');
  await act();
  const file = await download;
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

/** Chooses a file on a page that asks for one. */
export async function giveFile(page: Page, name: string, content: string | Buffer): Promise<void> {
  await page
    .getByLabel('choose a file')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
}
