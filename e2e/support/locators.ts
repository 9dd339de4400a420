/** Locators of the pages of groups, user imports and licenses. */
import type { Locator, Page } from '@playwright/test';

export interface Group {
  id: number;
  name: string;
  description: string | null;
  capabilities: string[];
  userCount: number;
}

export const groupsGrid = (page: Page): Locator => page.getByRole('grid', { name: 'Groups' });
export const membersGrid = (page: Page): Locator => page.getByRole('grid', { name: 'Members' });
export const groupHeading = (page: Page, name: string): Locator =>
  page.getByRole('heading', { level: 1, name });

export const fileRowsGrid = (page: Page): Locator => page.getByRole('grid', { name: 'Rows of the file' });
/** Rows of an import on the page of its job. */
export const importedRowsGrid = (page: Page): Locator => page.getByRole('grid', { name: 'People' });
export const outcomeOption = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('radio', { name });
export const startImportButton = (page: Page): Locator => page.getByRole('button', { name: /^Import \d/ });
/** State of the job on its page once it has ended. */
export const endedJobBadge = (page: Page): Locator =>
  page.getByRole('main').getByText(/^(Finished|Stopped)(, [\d,]+ failed)?$/);

/** Number of the tile with this label. */
export const findTile = (page: Page, label: string): Locator =>
  page
    .getByRole('main')
    .getByRole('term')
    .filter({ hasText: new RegExp(`^${RegExp.escape(label)}$`) })
    .locator('xpath=following-sibling::dd/strong');
