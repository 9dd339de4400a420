// oxlint-disable no-underscore-dangle -- the name is zod's
import type { $ZodConfig, $ZodRawIssue } from 'zod/v4/core';

declare global {
  /** Global configuration of all copies of zod. */
  // oxlint-disable-next-line no-var -- properties of globalThis are declared with var
  var __zod_globalConfig: $ZodConfig | undefined;
}

/** Formats a validation issue as an instruction; undefined for zod's own message. */
function formatIssue(issue: $ZodRawIssue): string | undefined {
  if (issue.code === 'too_small' && issue.origin === 'string') {
    return issue.minimum === 1 ? 'Fill this in' : `Use at least ${issue.minimum} characters`;
  }
  if (issue.code === 'too_big' && issue.origin === 'string') return `Use at most ${issue.maximum} characters`;
  if (issue.code === 'invalid_format' && issue.format === 'email') return 'This is not an e-mail address';
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'Fill this in';
  return undefined;
}

// `jitless` stops zod from compiling parsers with `new Function`, which the Content-Security-Policy forbids. This module is
// imported first, because schema modules compile when they are evaluated, and sets the global directly, because importing
// zod's `config` would add zod to the first load.
globalThis.__zod_globalConfig = Object.assign(globalThis.__zod_globalConfig ?? {}, {
  jitless: true,
  customError: formatIssue,
});
