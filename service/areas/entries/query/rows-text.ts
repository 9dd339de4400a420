/**
 * Rows of an answer in one text, as the database writes it: the event loop passes it on whole, however many there are.
 * They have no line breaks of their own, as JSON writes those of texts as signs.
 */
export const BETWEEN_ROWS = ',\n';

/** Each of the rows. */
export const rowsIn = (text: string): string[] => (text === '' ? [] : text.split(BETWEEN_ROWS));

export const joinRows = (texts: readonly string[]): string =>
  texts.filter((text) => text !== '').join(BETWEEN_ROWS);
