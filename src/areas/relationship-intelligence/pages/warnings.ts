import type { ImportWarningCode } from '../../../../contract/generated/types.gen.ts';

/** What a warning says about its items, after their number. */
export const WARNING_TEXTS: Readonly<Record<ImportWarningCode, string>> = {
  BEFORE_PERIOD: 'older than the historical sync period, skipped',
  HISTORY_CLOSED: 'of a closed history, skipped',
  EXCLUDED: 'with an excluded address, skipped',
  INTERNAL_ONLY: 'with internal addresses only, skipped',
  LATE_FOR_MONTH: 'late for their month, accepted',
  CONTENT_DIFFERS: 'already imported with other content, which stays',
  USER_NOT_ENABLED: 'of users who are not enabled, skipped',
};
