import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Printing restyles parts of all components on purpose. */
const PRINT_SHEET = 'src/app/shell/print.css';

const sheets = globSync('src/**/*.css')
  .filter((file) => file !== PRINT_SHEET)
  .map((file) => ({ file, text: readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '') }));

/** Selectors of a style sheet, one by one, without at-rules and keyframe steps. */
const listSelectors = (text: string): string[] =>
  [...text.matchAll(/(?<=^|[{};])([^{};@]+)\{/g)]
    .flatMap(([, selectors = '']) => selectors.split(/,(?![^(]*\))/))
    .map((selector) => selector.trim())
    .filter((selector) => selector !== '' && !/^(from|to|[\d.]+%)$/.test(selector));

/**
 * The class that a selector styles on its own: `.card` of `.card` and `.card:hover`, none of `.card .title`. A selector
 * with `:has()` is bound to the content that a component puts into another.
 */
const findRootClass = (selector: string): string | undefined =>
  /^\.([\w-]+)(?::(?!has\()[\w-]+(?:\([^)]*\))?|\[[^\]]*\])*$/.exec(selector)?.[1];

test('a class is defined in one style sheet, so that two components cannot collide', () => {
  const filesByClass = new Map<string, Set<string>>();
  for (const { file, text } of sheets)
    for (const selector of listSelectors(text)) {
      const name = findRootClass(selector);
      if (name !== undefined) filesByClass.set(name, (filesByClass.get(name) ?? new Set()).add(file));
    }
  const shared = [...filesByClass].filter(([, files]) => files.size > 1);
  expect(shared.map(([name, files]) => `${name}: ${[...files].join(', ')}`)).toEqual([]);
});

test('the style sheet of a component belongs to the layer of its folder', () => {
  const outside = sheets.filter(({ file, text }) => {
    if (/src\/ui\/style\/(tokens|base)\.css$/.test(file)) return false;
    const layer = /^src\/(ui|app|directory)\//.test(file) ? 'ui' : 'areas';
    return !text.trimStart().startsWith(`@layer ${layer} {`);
  });
  expect(outside.map(({ file }) => file)).toEqual([]);
});

test('a scrolling element is positioned, so that absolutely positioned content cannot escape it', () => {
  const escaping = sheets.flatMap(({ file, text }) =>
    [...text.matchAll(/([^{}]*)\{([^{}]*)\}/g)]
      .filter(
        ([, , rule = '']) => /overflow(-[xy])?:[^;]*\b(auto|scroll)\b/.test(rule) && !/position:/.test(rule),
      )
      .map(([, selector = '']) => `${file}: ${selector.trim()}`),
  );
  expect(escaping).toEqual([]);
});
