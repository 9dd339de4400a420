/** Counts what a person does in a page, so that a task fails when it takes more steps than it may. */
import { expect, type Page } from '@playwright/test';

export interface StepCount {
  /** Steps counted so far, in order. */
  readonly steps: readonly string[];
  /** Fails if more was done; the message lists the steps. */
  expectAtMost: (max: number) => void;
}

/**
 * Counts from now on, in all documents of the page: clicks (presses of the pointer), keys that act (Enter, Space, Escape, keys with Ctrl
 * or Cmd, and single letters outside of text fields), pastes, chosen files, and filled fields, each once until
 * another step follows. Moving the focus or the pointer, and waiting, are no steps.
 */
export async function countSteps(page: Page): Promise<StepCount> {
  const steps: string[] = [];
  await page.exposeFunction('countStep', (step: string) => void steps.push(step));
  await page.addInitScript(watchSteps);
  await page.evaluate(watchSteps);
  return {
    steps,
    expectAtMost: (max) =>
      expect(steps.length, `at most ${max} steps, but: ${steps.join(' · ')}`).toBeLessThanOrEqual(max),
  };
}

/** Runs in the page. */
function watchSteps(): void {
  let filled: EventTarget | null = null;
  const report: unknown = Reflect.get(window, 'countStep');
  const add = (step: string) => {
    filled = null;
    if (typeof report === 'function') Reflect.apply(report, undefined, [step]);
  };
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- the page gets this function without its module
  const name = (target: EventTarget | null): string =>
    target instanceof HTMLElement
      ? (target.getAttribute('aria-label') ?? target.textContent).trim().slice(0, 30)
      : '';
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- the page gets this function without its module
  const isText = (target: EventTarget | null): boolean =>
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('textarea, input:not([type=checkbox], [type=radio], [type=file])'));
  const isActing = ({ key, ctrlKey, metaKey, target }: KeyboardEvent): boolean =>
    key === 'Enter' ||
    key === 'Escape' ||
    // Ctrl+V is counted as a paste.
    ((ctrlKey || metaKey) && key.length === 1 && key.toLowerCase() !== 'v') ||
    (key.length === 1 && !ctrlKey && !metaKey && !isText(target));
  const options = { capture: true };
  document.addEventListener('mousedown', ({ target }) => add(`click ${name(target)}`), options);
  document.addEventListener('paste', () => add('paste'), options);
  document.addEventListener(
    'keydown',
    (event) => {
      // React Aria repeats keys of a search field on the item that they concern.
      if (event.isTrusted && isActing(event)) add(`key ${event.key}`);
    },
    options,
  );
  document.addEventListener(
    'input',
    ({ target }) => {
      const isFile = target instanceof HTMLInputElement && target.type === 'file';
      if ((!isText(target) && !isFile) || target === filled) return;
      add(
        isFile
          ? 'file'
          : `fill ${target instanceof HTMLElement ? (target.getAttribute('name') ?? target.id) : ''}`,
      );
      filled = target;
    },
    options,
  );
}
