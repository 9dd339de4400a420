import type { Locator, Page } from '@playwright/test';
import { measureLongTasks } from '../../browser/paint.ts';
import { waitForStableRowCount, measureTimeToPaint } from './in-page.ts';

/** Searches as typed at a help desk, one letter at a time. */
const SEARCHES = [
  'amelia gran',
  'blackwell',
  'quentin o',
  'drummond',
  'garcia',
  'nguyen',
  'mercer v',
  '1234',
];

interface Keystroke {
  letter: string;
  /** Row count after the letter, including the header; undefined if the letter does not change it or finds nothing. */
  rows: number | undefined;
}

/** Types the text once without measuring; returns the row count after each letter. */
async function recordRowCounts(page: Page, box: Locator, text: string): Promise<Keystroke[]> {
  const strokes: Keystroke[] = [];
  let before = await page.evaluate(waitForStableRowCount);
  for (const letter of text) {
    await box.press(letter === ' ' ? 'Space' : letter);
    const rows = await page.evaluate(waitForStableRowCount);
    strokes.push({ letter, rows: rows === before || rows === 0 ? undefined : rows });
    before = rows;
  }
  return strokes;
}

/** Types the letters; returns the milliseconds to the painted rows of each letter that changes the row count. */
async function typeAndMeasure(page: Page, box: Locator, strokes: readonly Keystroke[]): Promise<number[]> {
  const times: number[] = [];
  for (const { letter, rows } of strokes) {
    const key = letter === ' ' ? 'Space' : letter;
    if (rows === undefined) {
      await box.press(key);
      await page.evaluate(waitForStableRowCount);
    } else {
      const painted = page.evaluate(measureTimeToPaint, rows);
      await page.evaluate(() => undefined);
      await box.press(key);
      times.push(await painted);
    }
  }
  return times;
}

/** Milliseconds from each keystroke in the search field to the painted rows, sorted. */
export async function measureKeystrokes(page: Page): Promise<number[]> {
  const box = page.getByRole('searchbox', { name: 'Search users' });
  const times: number[] = [];
  for (const text of SEARCHES) {
    await box.fill('');
    const strokes = await recordRowCounts(page, box, text);
    await box.fill('');
    await page.evaluate(waitForStableRowCount);
    times.push(...(await typeAndMeasure(page, box, strokes)));
  }
  await box.fill('');
  await page.evaluate(waitForStableRowCount);
  return times.toSorted((a, b) => a - b);
}

/** Durations of the long tasks while the list scrolls, in milliseconds. */
export async function measureScrollTasks(page: Page): Promise<number[]> {
  await page.getByRole('grid', { name: 'Users' }).hover({ position: { x: 300, y: 200 } });
  return measureLongTasks(page, async () => {
    for (let turn = 0; turn < 80; turn += 1) {
      await page.mouse.wheel(0, turn % 10 === 9 ? 60_000 : 700);
      // The pause between two notches of a wheel turned by hand.
      await page.waitForTimeout(30);
    }
  });
}
