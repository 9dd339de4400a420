import { config } from 'zod/v4/core';
import type { $ZodRawIssue } from 'zod/v4/core';

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

// `jitless`: zod otherwise compiles its parsers with `new Function`, which the Content-Security-Policy refuses.
// Imported first, because a schema module evaluated earlier would already have tried.
config({ jitless: true, customError: words });
