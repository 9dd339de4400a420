/** The start of a text, without a character that does not fit whole: half of one is neither stored nor shown. */
export const cutText = (text: string, maxLength: number): string =>
  text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
