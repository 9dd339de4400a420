// oxlint-disable no-underscore-dangle -- the name is zod's
import type { $ZodConfig, $ZodRawIssue } from 'zod/v4/core';
import { PATTERN_INSTRUCTIONS } from '../contract/rules/patterns.ts';

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

/** Formats the instruction for a pattern, which zod gives as the text of a regular expression: `/^a\\/b$/`. */
const formatPattern = (pattern: string | undefined): string =>
  PATTERN_INSTRUCTIONS[String(pattern).slice(1, -1).replaceAll('\\/', '/')] ?? 'This is not valid';

/** Formats a validation issue as an instruction; undefined for zod's own message. */
function formatIssue(issue: $ZodRawIssue): string | undefined {
  if (issue.code === 'too_small' && issue.origin === 'string') {
    return issue.minimum === 1 ? formatMissing(issue.path) : `Use at least ${issue.minimum} characters`;
  }
  if (issue.code === 'too_big' && issue.origin === 'string') return `Use at most ${issue.maximum} characters`;
  if (issue.code === 'invalid_format' && issue.format === 'email') return 'This is not an e-mail address';
  if (issue.code === 'invalid_format')
    return issue.input === '' ? formatMissing(issue.path) : formatPattern(issue.pattern);
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
