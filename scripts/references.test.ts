/** The pages about security and features name tests, files and pages that exist. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createBrowserPattern } from '../e2e/support/browsers/journeys.ts';

const PAGES = [
  'docs/security.md',
  'docs/audit-log.md',
  'docs/features.md',
  ...globSync('docs/security/*.md'),
];
const TESTS = globSync('{contract,src,service,scripts,bench,e2e}/**/*.test.ts');

/** A test of the repository has this path, or a path that ends with it: `keys.test`, `agent/keys.test`. */
const isTest = (name: string): boolean =>
  TESTS.some((file) => `/${file}`.endsWith(`/${name.replace(/\.ts$/, '')}.ts`));

const isFile = (path: string): boolean =>
  ['', 'service/', 'src/', 'contract/'].some((folder) => existsSync(join(folder, path)));

test.each(PAGES)('%s refers to nothing that does not exist', (page) => {
  const text = readFileSync(page, 'utf8');
  const tests = [...text.matchAll(/(?:[\w-]+\/)*[\w.-]+\.test(?:\.ts)?\b/g)].map(([name]) => name);
  const files = [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|tsx|md|txt|yaml))`/g)].map(
    ([, path = '']) => path,
  );
  const links = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, path = '']) => path);
  expect({
    tests: tests.filter((name) => !isTest(name)),
    files: files.filter((path) => !isFile(path)),
    links: links.filter((path) => !existsSync(join(dirname(page), path))),
  }).toEqual({ tests: [], files: [], links: [] });
});

test('the tables name the 40 faults in order, each with a test or the reason why there is none', () => {
  const text = readFileSync('docs/security.md', 'utf8');
  const rows = [...text.matchAll(/^\| (F\d\d) \|.*\| ([^|]+) \|$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(
    Array.from({ length: 40 }, (_, index) => `F${String(index + 1).padStart(2, '0')}`),
  );
  expect(rows.filter(([, , proof = '']) => !/\.test\b|^not tested/i.test(proof))).toEqual([]);
  const without = rows.filter(([, , proof = '']) => /^not tested/i.test(proof)).length;
  const partly = rows.filter(([, , proof = '']) => /not tested/i.test(proof)).length - without;
  expect(text).toContain(
    `| faults of the table above | ${rows.length}: ${rows.length - partly - without} tested, ${partly} partly, ${without} not tested |`,
  );
});

const ASVS_STATES = {
  'not met': /^\| [^|]+ \| [^|]+ \| not met/,
  partly: /^\| [^|]+ \| [^|]+ \| partly/,
  'not applicable': /\| not applicable \|$/,
  deployment: /^\| [^|]+ \| [^|]+ \| deployment/,
  shown: /(?:\.test\b|\]\().* \|$/,
};

test('the page on security counts the rows of ASVS as they are', () => {
  const text = readFileSync('docs/security/asvs.md', 'utf8');
  const rows = text.match(/^\| \d.*\|$/gm) ?? [];
  const states = rows.map(
    (row) => Object.entries(ASVS_STATES).find(([, form]) => form.test(row))?.[0] ?? `no state: ${row}`,
  );
  expect(states.filter((state) => state.startsWith('no state'))).toEqual([]);
  const count = (state: keyof typeof ASVS_STATES): number => states.filter((each) => each === state).length;
  expect(readFileSync('docs/security.md', 'utf8')).toContain(
    `| rows of ASVS 5.0, levels 1 and 2 | ${rows.length}: ${count('shown')} shown, ${count('partly')} partly, ` +
      `${count('not met')} not met, ${count('deployment')} left to the deployment, ${count('not applicable')} not applicable |`,
  );
});

test('the table of features has a test for what works, and says what does not', () => {
  const text = readFileSync('docs/features.md', 'utf8');
  const rows = [...text.matchAll(/^\| (?!Feature|---)([^|]+) \| [^|]+ \| ([^|]+) \| ([^|]*)\| ([^|]*)\|$/gm)];
  expect(rows.length).toBeGreaterThan(100);
  expect(rows.length).toBe([...text.matchAll(/^\| /gm)].length - [...text.matchAll(/^## /gm)].length);
  const wrong = rows.filter(
    ([, , state, missing = '', proof = '']) =>
      !['Works', 'Partly', 'No'].includes(state ?? '') ||
      (state !== 'No' && !/\.test\.ts/.test(proof)) ||
      (state !== 'Works' && missing.trim() === ''),
  );
  expect(wrong.map(([row]) => row)).toEqual([]);
});

test('the journeys that Firefox and WebKit run are browser tests', () => {
  expect(createBrowserPattern().test('e2e/users/create.test.ts creates a user with a password')).toBe(false);
  expect(
    createBrowserPattern().test('users/create.test.ts creates a user with a password who signs in with it'),
  ).toBe(true);
});
