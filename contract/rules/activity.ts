/** Codes of the activity report with their names (shapes 2, UserActivityQuery). */

/** What a user did. */
export const activities: Readonly<Record<number, string>> = {
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

/** The only activity that has a kind of export data. */
export const EXPORT_ACTIVITY = 8;

/** Through what a user did it. */
export const sources: Readonly<Record<number, string>> = { 1: 'Web UI', 2: 'Mobile', 3: 'API', 4: 'Add-In' };

/** What was exported; 0 is a value. */
export const exportKinds: Readonly<Record<number, string>> = {
  0: 'Export Data',
  1: 'Export Formula',
  2: 'Export Image',
  3: 'Download Document',
  4: 'Template Report',
};

/** The report reaches this many days back, and no further. */
export const ACTIVITY_DAYS = 90;
