/** Ends a text with a full stop, unless it ends with a punctuation mark of a sentence. */
export const endSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** Makes the first letter a capital one. */
export const capitalize = (text: string): string => `${text.charAt(0).toLocaleUpperCase()}${text.slice(1)}`;

/** Formats the name of a property as a label: "dateFrom" and "date_from" as "Date from", "apiName" as "API name". */
export const formatIdentifier = (name: string): string =>
  capitalize(
    name
      .replaceAll('_', ' ')
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .replaceAll(/\b(api|id|ip|ids|url)\b/g, (word) => ABBREVIATIONS[word] ?? word),
  );

const ABBREVIATIONS: Readonly<Record<string, string>> = {
  api: 'API',
  id: 'ID',
  ids: 'IDs',
  ip: 'IP',
  url: 'URL',
};
