/** Codes of the activity report and their names (shapes 2, UserActivityQuery). */

/** Names of activity types by code. */
export const activityNames: Readonly<Record<number, string>> = {
  1: 'Login Successful',
  2: 'Login Failed',
  3: 'Logout',
  4: 'Session Expired',
  5: 'Login Failed (Locked Out)',
  6: 'Login Failed (Requires Verification)',
  7: 'Login Failed (Forbidden)',
  8: 'Export Data',
  9: 'User Switch',
  10: 'Backup Access',
};

/** The only activity type with an export type. */
export const EXPORT_ACTIVITY_TYPE = 8;

/** Names of sources by code. */
export const activitySourceNames: Readonly<Record<number, string>> = {
  1: 'Web UI',
  2: 'Mobile',
  3: 'API',
  4: 'Add-In',
};

/** Names of export types by code; 0 is a valid code. */
export const exportTypeNames: Readonly<Record<number, string>> = {
  0: 'Export Data',
  1: 'Export Formula',
  2: 'Export Image',
  3: 'Download Document',
  4: 'Template Report',
};

/** Days that the activity report reaches back. */
export const ACTIVITY_RETENTION_DAYS = 90;
