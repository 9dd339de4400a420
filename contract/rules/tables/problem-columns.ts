/** Columns that files of rows with problems have after the columns of the imported file; an import of such a file ignores them. */
export const PROBLEM_HEADINGS = ['Row', 'Problem'] as const;

/** Number of the columns of a file without those for problems. */
export const countFileColumns = (headings: readonly string[]): number =>
  headings.at(-2) === PROBLEM_HEADINGS[0] && headings.at(-1) === PROBLEM_HEADINGS[1]
    ? headings.length - 2
    : headings.length;
