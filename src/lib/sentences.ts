/** Ends a text with a full stop, unless it ends with a punctuation mark of a sentence. */
export const endSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);
