/** What is told where code is missing that this page needs. */
export const CODE_IS_MISSING =
  'Part of the console could not be loaded. It was probably renewed since this page was opened: load the page anew';

// As Chromium, Firefox, Safari, the bundler's own loader of styles, and the text above say it.
const MISSING =
  /^(Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed|Unable to preload CSS|Part of the console could not be loaded)/;

/** Whether code could not be fetched. A browser may keep that answer until the page is loaded anew. */
export const isMissingCode = (thrown: unknown): boolean =>
  thrown instanceof Error && MISSING.test(thrown.message);
