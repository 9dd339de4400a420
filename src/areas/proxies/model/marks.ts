/** What an assignment deserves a second look for. */
export const MARKS = ['cycle', 'inactive', 'noTwoFactor'] as const;
export type Mark = (typeof MARKS)[number];
