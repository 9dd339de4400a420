import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const glossary = readFileSync('docs/glossary.md', 'utf8');
const [, section = ''] = /## Words of the interface\n([\s\S]*?)\n## /.exec(glossary) ?? [];
const retired = [...section.matchAll(/^\|[^|]+\|([^|]+)\|$/gm)]
  .flatMap(([, words = '']) => words.split(';').map((word) => word.trim()))
  .filter((word) => /[a-z]{2}/i.test(word) && word !== 'not');

/** Source of a file without comments, with any white space as one space, as JSX shows it. */
const readTexts = (file: string): string =>
  readFileSync(file, 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, ' ')
    .replaceAll(/\s+/g, ' ');

test('no text of the console contains wording that the glossary retires', () => {
  expect(retired.length).toBeGreaterThan(40);
  const files = globSync('src/**/*.{ts,tsx}').filter((file) => !/generated|\.test\.|\.gen\./.test(file));
  const found = files.flatMap((file) => {
    const texts = readTexts(file);
    return retired.filter((word) => texts.includes(word)).map((word) => `${file}: ${word}`);
  });
  expect(found).toEqual([]);
});
