/** The page of an import of users. */
import type { Locator, Page } from '@playwright/test';

export const rows = (page: Page): Locator => page.getByRole('grid', { name: 'Rows of the file' });
export const imported = (page: Page): Locator => page.getByRole('grid', { name: 'Imported rows' });
export const outcome = (page: Page, name: string | RegExp): Locator => page.getByRole('radio', { name });
export const start = (page: Page): Locator => page.getByRole('button', { name: /^Import \d/ });
export const ended = (page: Page): Locator => page.getByRole('button', { name: 'Import another file' });
