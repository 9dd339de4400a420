// oxlint-disable no-underscore-dangle -- the name is zod's
import type { $ZodConfig, $ZodRawIssue } from 'zod/v4/core';

declare global {
  /** Global configuration of all copies of zod. */
  // oxlint-disable-next-line no-var -- properties of globalThis are declared with var
  var __zod_globalConfig: $ZodConfig | undefined;
}

const WORDS: Readonly<Record<string, string>> = { email: 'e-mail address', api: 'API' };

/** Formats the request for a missing value by the name of its property: "Enter a first name" for `firstName`. */
function formatMissing(path: readonly PropertyKey[] | undefined): string {
  const property = path?.at(-1);
  if (typeof property !== 'string') return 'Enter a value';
  const label = property
    .split(/(?=[A-Z])/)
    .map((word) => WORDS[word.toLowerCase()] ?? word.toLowerCase())
    .join(' ');
  return `Enter ${/^[aeiou]/i.test(label) ? 'an' : 'a'} ${label}`;
}

/** Instructions for the patterns of the contract that forms contain. */
const PATTERNS: Readonly<Record<string, string>> = {
  '/^[A-Za-z][A-Za-z0-9_]*$/': 'Use letters, digits and underscores, and begin with a letter',
  '/^[A-Za-z][A-Za-z0-9_-]*$/': 'Use letters, digits, hyphens and underscores, and begin with a letter',
  '/^[a-z][a-z0-9-]*[a-z0-9]$/': 'Use lower-case letters, digits and hyphens, and begin with a letter',
  '/^[a-z][a-z0-9-]*$/': 'Use lower-case letters, digits and hyphens, and begin with a letter',
  '/^[^\\s@.]+(\\.[^\\s@.]+)+$/': 'Enter a domain such as example.com',
  '/^([^\\s@]+@)?[^\\s@.]+(\\.[^\\s@.]+)+$/': 'Enter an e-mail address, or a domain such as example.com',
  '/^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$/':
    'Use letters, digits, hyphens and underscores, with dots between the words',
  '/^[A-Za-z0-9_:.\\/-]+$/': 'Use letters, digits and the characters _ : . / -',
  '/^([01]\\d|2[0-3]):[0-5]\\d$/': 'Enter a time such as 07:30',
  '/^[0-9]{6}$/': 'Enter the six digits shown in the app',
  '/\\S/': 'Enter a text, not only spaces',
};

/** Formats a validation issue as an instruction; undefined for zod's own message. */
function formatIssue(issue: $ZodRawIssue): string | undefined {
  if (issue.code === 'too_small' && issue.origin === 'string') {
    return issue.minimum === 1 ? formatMissing(issue.path) : `Use at least ${issue.minimum} characters`;
  }
  if (issue.code === 'too_big' && issue.origin === 'string') return `Use at most ${issue.maximum} characters`;
  if (issue.code === 'invalid_format' && issue.format === 'email') return 'This is not an e-mail address';
  if (issue.code === 'invalid_format')
    return issue.input === ''
      ? formatMissing(issue.path)
      : (PATTERNS[String(issue.pattern)] ?? 'This is not valid');
  if (issue.code === 'invalid_type' && issue.input === undefined) return formatMissing(issue.path);
  return undefined;
}

// `jitless` stops zod from compiling parsers with `new Function`, which the Content-Security-Policy forbids. This module is
// imported first, because schema modules compile when they are evaluated, and sets the global directly, because importing
// zod's `config` would add zod to the first load.
globalThis.__zod_globalConfig = Object.assign(globalThis.__zod_globalConfig ?? {}, {
  jitless: true,
  customError: formatIssue,
});
