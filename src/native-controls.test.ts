import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Source of a file without comments. */
const readCode = (file: string): string =>
  readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, ' ');

const files = globSync('src/**/*.{ts,tsx}').filter((file) => !/generated|\.gen\.|\.test\./.test(file));

/** Control that the console has once, with the component that stands for it. */
const NATIVE_CONTROLS: readonly { pattern: RegExp; instead: string }[] = [
  {
    pattern: /<(?:select|option|optgroup|datalist)\b|createElement\(\s*'select'/,
    instead: 'ui/form/Select.tsx',
  },
  {
    pattern: /\btype=(?:"|\{[^}]*')(?:date|time|datetime-local|month|week)\b/,
    instead: 'ui/form/DateInput.tsx',
  },
  // Dates typed as a text, in UTC instead of the zone of the user.
  {
    pattern: /<(?:textarea|input)\b(?:(?!\/>)[\s\S])*?\bUTC\b/,
    instead: 'ui/form/DateInput.tsx',
  },
  // Options of a select that stand for true and false.
  {
    pattern: /\{ value: (?:'true'|'false'|true|false), label: /,
    instead: 'ui/form/SwitchInput.tsx',
  },
];

test('no file has a select, date input or Boolean of its own beside those of ui/form', () => {
  expect(files.length).toBeGreaterThan(400);
  const found = files.flatMap((file) =>
    NATIVE_CONTROLS.filter(({ pattern }) => pattern.test(readCode(file))).map(
      ({ instead }) => `${file}: use ${instead}`,
    ),
  );
  expect(found).toEqual([]);
});

test('no field cuts a text that is typed or pasted: the form says how long it may be', () => {
  expect(files.filter((file) => /\bmaxLength=/.test(readCode(file)))).toEqual([]);
});

test('only ui/form builds selects and calendars of React Aria', () => {
  const found = files.filter(
    (file) =>
      !file.startsWith('src/ui/form/') &&
      /import \{[^}]*\b(?:Select|DatePicker|DateField|Calendar|TimeField|Switch)\b[^}]*\} from 'react-aria-components\/\w+'/.test(
        readCode(file),
      ),
  );
  expect(found).toEqual([]);
});

// The module that exports all components would load all of them wherever one is used.
test('components of React Aria are imported from their own paths', () => {
  expect(files.filter((file) => /from 'react-aria-components'/.test(readCode(file)))).toEqual([]);
});
