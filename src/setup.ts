// oxlint-disable no-underscore-dangle -- as zod calls it
import type { $ZodConfig, $ZodRawIssue } from 'zod/v4/core';

declare global {
  /** Where zod keeps its settings for all of its copies. */
  // oxlint-disable-next-line no-var -- a property of globalThis is declared so
  var __zod_globalConfig: $ZodConfig | undefined;
}

/** What is wrong with a value, in words that say what to do; undefined leaves zod's own. */
function words(issue: $ZodRawIssue): string | undefined {
  if (issue.code === 'too_small' && issue.origin === 'string') {
    return issue.minimum === 1 ? 'Fill this in' : `Use at least ${issue.minimum} characters`;
  }
  if (issue.code === 'too_big' && issue.origin === 'string') return `Use at most ${issue.maximum} characters`;
  if (issue.code === 'invalid_format' && issue.format === 'email') return 'This is not an e-mail address';
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'Fill this in';
  return undefined;
}

// `jitless`: zod otherwise compiles its parsers with `new Function`, which the Content-Security-Policy refuses. Imported
// first, because a schema module evaluated earlier would already have tried; and set where zod looks for it, since its own
// `config` would bring zod into the first load, whose page has nothing to check.
globalThis.__zod_globalConfig = Object.assign(globalThis.__zod_globalConfig ?? {}, {
  jitless: true,
  customError: words,
});
