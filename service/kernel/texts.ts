/** A text of others as the database can store it, which takes neither NUL nor half a character. */
export const toStorableText = (text: string, maxLength: number): string =>
  text.replaceAll('\0', '').slice(0, maxLength).toWellFormed();
