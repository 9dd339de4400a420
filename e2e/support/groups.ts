/** The pages of groups. */
import type { Locator, Page } from '@playwright/test';

export interface Group {
  id: number;
  name: string;
  description: string | null;
  capabilities: string[];
  userCount: number;
}

export const list = (page: Page): Locator => page.getByRole('grid', { name: 'Groups' });
export const members = (page: Page): Locator => page.getByRole('grid', { name: 'Members' });
export const heading = (page: Page, name: string): Locator => page.getByRole('heading', { level: 1, name });
