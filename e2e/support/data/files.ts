/** Downloads and uploads. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';

interface DownloadedFile {
  name: string;
  bytes: Buffer;
}

/** Returns the file that the page downloads during `act`, as bytes. */
export async function downloadBytes(page: Page, act: () => Promise<unknown>): Promise<DownloadedFile> {
  const download = page.waitForEvent('download');
  await act();
  const file = await download;
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

/** Chooses a file in the file field of a page. */
export async function chooseFile(page: Page, name: string, content: string | Buffer): Promise<void> {
  await page
    .getByLabel('choose a file')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
}
