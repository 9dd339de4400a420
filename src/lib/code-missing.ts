/** Message shown when code that the page needs could not be loaded. */
export const CODE_MISSING_MESSAGE =
  'Part of the console could not be loaded. It was probably updated since you opened this page. Reload the page.';

// Messages of Chromium, Firefox, Safari and the bundler's style loader, and the message above.
const CODE_MISSING_PATTERN =
  /^(Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed|Unable to preload CSS|Part of the console could not be loaded)/;

/** Whether an error means that code could not be fetched. A browser may cache that failure until the page is reloaded. */
export const isCodeMissingError = (thrown: unknown): boolean =>
  thrown instanceof Error && CODE_MISSING_PATTERN.test(thrown.message);
