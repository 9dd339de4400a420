import type { Locator, Page } from '@playwright/test';
import { longTasks } from '../browser/watch.ts';
import { settledRows, untilPainted } from './in-page.ts';

/** As somebody at a help desk types them, letter by letter. */
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

interface Stroke {
  letter: string;
  /** Rows with the header; undefined where the letter changes nothing that could be waited for. */
  rows: number | undefined;
}

/** Types once without a clock, to learn what each letter will show. */
async function rehearse(page: Page, box: Locator, text: string): Promise<Stroke[]> {
  const strokes: Stroke[] = [];
  let before = await page.evaluate(settledRows);
  for (const letter of text) {
    // A person has two hands but types one letter at a time.
    await box.press(letter === ' ' ? 'Space' : letter);
    const rows = await page.evaluate(settledRows);
    strokes.push({ letter, rows: rows === before || rows === 0 ? undefined : rows });
    before = rows;
  }
  return strokes;
}

async function type(page: Page, box: Locator, strokes: readonly Stroke[]): Promise<number[]> {
  const times: number[] = [];
  for (const { letter, rows } of strokes) {
    const key = letter === ' ' ? 'Space' : letter;
    if (rows === undefined) {
      await box.press(key);
      await page.evaluate(settledRows);
    } else {
      const painted = page.evaluate(untilPainted, rows);
      await page.evaluate(() => undefined);
      await box.press(key);
      times.push(await painted);
    }
  }
  return times;
}

/** Milliseconds from each keystroke in the search to the painted rows, sorted. */
export async function keystrokes(page: Page): Promise<number[]> {
  const box = page.getByRole('searchbox', { name: 'Search users' });
  const times: number[] = [];
  for (const text of SEARCHES) {
    await box.fill('');
    const strokes = await rehearse(page, box, text);
    await box.fill('');
    await page.evaluate(settledRows);
    times.push(...(await type(page, box, strokes)));
  }
  await box.fill('');
  await page.evaluate(settledRows);
  return times.toSorted((a, b) => a - b);
}

/** Durations of the long tasks while the list scrolls, in milliseconds. */
export async function scrollTasks(page: Page): Promise<number[]> {
  await page.getByRole('grid', { name: 'Users' }).hover({ position: { x: 300, y: 200 } });
  return longTasks(page, async () => {
    for (let turn = 0; turn < 80; turn += 1) {
      await page.mouse.wheel(0, turn % 10 === 9 ? 60_000 : 700);
      // The pause between two notches of a wheel turned by hand.
      await page.waitForTimeout(30);
    }
  });
}
