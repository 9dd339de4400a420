/** What a pasted text may name, each once and in the order of the text. */
export interface PastedTokens {
  /** Whole cells: lines, and their parts between tabs, semicolons, bars and commas. */
  cells: readonly string[];
  /** Numbers that stand alone in a cell or follow the word "entry" or "id". */
  ids: readonly number[];
  /** Texts with the form of an IP address or network; not validated. */
  addresses: readonly string[];
  /** Request ids, which are UUIDs. */
  requestIds: readonly string[];
}

const MAX_TEXT_LENGTH = 200_000;
const MAX_CELL_LENGTH = 200;
const MAX_ID = 2_147_483_647;
const NAMED_ID = /(?:\bentr(?:y|ies)|\bid)[\s:#=/"']{1,5}([1-9]\d{0,9})(?!\d)/gi;
const ADDRESS =
  /(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]{0,4}(?::[\da-f]{0,4}){2,7})(?:\/\d{1,3})?(?![\w:])/gi;
const REQUEST_ID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi;

const unique = <Value>(values: readonly Value[]): Value[] => [...new Set(values)];

const trimQuotes = (text: string): string =>
  text
    .trim()
    .replace(/^["'“”(<]+|["'“”)>]+$/g, '')
    .trim();

/** Takes a text apart; text beyond the first 200,000 characters is ignored. */
export function readPastedTokens(pasted: string): PastedTokens {
  const text = pasted.slice(0, MAX_TEXT_LENGTH);
  const wide = text.split(/[\r\n\t;|]+/);
  const cells = unique([...wide, ...wide.flatMap((cell) => cell.split(','))].map(trimQuotes)).filter(
    (cell) => cell !== '' && cell.length <= MAX_CELL_LENGTH,
  );
  const numbers = [
    ...cells.filter((cell) => /^[1-9]\d{0,9}$/.test(cell)),
    ...[...text.matchAll(NAMED_ID)].map(([, id]) => id),
  ].map(Number);
  const find = (pattern: RegExp) => unique([...text.matchAll(pattern)].map(([found]) => found));
  return {
    cells,
    ids: unique(numbers.filter((id) => id <= MAX_ID)),
    addresses: find(ADDRESS),
    requestIds: unique(find(REQUEST_ID).map((id) => id.toLowerCase())),
  };
}
