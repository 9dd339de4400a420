/**
 * One pass over the text of a JSON document for what JSON parsers do not report: names that occur twice in an object, numbers that
 * parsing would change, and the depth and size of the document. Syntax is left to the parser; the scanner accepts
 * JSON5 as well, and tolerates any text. Takes time and memory linear in the length of the text.
 */
import { findNumberLoss } from './numbers.ts';

/** An error of a document and its path, such as `storeRequests.3.value`; the root has the path of the options. */
interface JsonIssue {
  path: string;
  message: string;
}

export interface JsonScanOptions {
  /** Path of the document itself. */
  rootPath: string;
  /** Whether the path of a value inside the document starts with the path of the document. */
  isRootInPaths?: boolean;
  /** Maximum number of objects and lists inside each other. */
  maxDepth?: number;
  /** Maximum number of objects, lists and properties. */
  maxNodes?: number;
  /** The scan stops after so many issues. */
  maxIssues: number;
  /** Names that no property may have, at any depth. */
  forbiddenNames?: ReadonlySet<string>;
  /** Parses a text with its quotes; called for names with escapes only, which are put in quotes if they have none. May throw. */
  parseText: (literal: string) => unknown;
}

export interface JsonScan {
  /** The limit at which the scan ended. */
  exceeded?: 'depth' | 'nodes';
  issues: JsonIssue[];
}

/** An object or list around the current position. Frames are reused, one for each depth. */
interface Frame {
  isObject: boolean;
  /** Whether the next text of an object is a name. */
  expectsName: boolean;
  name: string;
  index: number;
  names: string[];
  /** The same names, as soon as there are too many to compare each with each. */
  nameSet: Set<string> | undefined;
}

const MAX_LISTED_NAMES = 8;
const MAX_NAME_EXCERPT_LENGTH = 100;

const [QUOTE, APOSTROPHE, SLASH, BACKSLASH] = [0x22, 0x27, 0x2f, 0x5c];
const [OPENING_BRACE, CLOSING_BRACE, OPENING_BRACKET, CLOSING_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
const [COLON, COMMA, MINUS, PLUS, POINT, ZERO, NINE] = [0x3a, 0x2c, 0x2d, 0x2b, 0x2e, 0x30, 0x39];
const [SPACE, NO_BREAK_SPACE] = [0x20, 0xa0];
const LINE_END = /[\n\r\u2028\u2029]/g;

/** Tells if JSON5 allows the character between two tokens: beyond ASCII, whitespace and line ends are those of ECMAScript. */
const isSpace = (code: number): boolean =>
  code <= SPACE || (code >= NO_BREAK_SPACE && /\s/.test(String.fromCharCode(code)));

const endsWord = (code: number): boolean =>
  isSpace(code) ||
  code === COMMA ||
  code === COLON ||
  code === CLOSING_BRACE ||
  code === CLOSING_BRACKET ||
  code === OPENING_BRACE ||
  code === OPENING_BRACKET ||
  code === QUOTE ||
  code === APOSTROPHE ||
  code === SLASH;

const startsNumber = (code: number): boolean =>
  (code >= ZERO && code <= NINE) || code === MINUS || code === PLUS || code === POINT;

/** Name for a path: long names are cut, and characters that cannot be shown or stored are replaced. */
export function formatPathName(name: string): string {
  const excerpt = name.length > MAX_NAME_EXCERPT_LENGTH ? `${name.slice(0, MAX_NAME_EXCERPT_LENGTH)}…` : name;
  return excerpt.replaceAll('\0', '\ufffd').toWellFormed();
}

/** Index of the quote that ends the text which starts at `start`, or the length of the document. */
function findTextEnd(text: string, start: number, quote: string): number {
  for (let end = text.indexOf(quote, start); end >= 0; end = text.indexOf(quote, end + 1)) {
    let first = end;
    while (first > start && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    // An odd number of backslashes escapes the quote.
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}

/** Index after a comment of JSON5 that starts at `start`. */
function skipComment(text: string, start: number): number {
  if (text.startsWith('/*', start)) {
    const end = text.indexOf('*/', start + 2);
    return end < 0 ? text.length : end + 2;
  }
  if (!text.startsWith('//', start)) return start + 1;
  LINE_END.lastIndex = start;
  return LINE_END.exec(text)?.index ?? text.length;
}

/** Scans one document; a new instance for each. */
class Scanner {
  readonly issues: JsonIssue[] = [];
  exceeded: JsonScan['exceeded'];
  readonly #text: string;
  readonly #options: JsonScanOptions;
  readonly #frames: Frame[] = [];
  #depth = 0;
  #nodeCount = 0;

  constructor(text: string, options: JsonScanOptions) {
    this.#text = text;
    this.#options = options;
  }

  run(): void {
    const text = this.#text;
    let index = 0;
    while (index < text.length && !this.exceeded && this.issues.length < this.#options.maxIssues) {
      const code = text.charCodeAt(index);
      if (isSpace(code)) index += 1;
      else if (code === QUOTE || code === APOSTROPHE) {
        const quote = code === QUOTE ? '"' : "'";
        const end = findTextEnd(text, index + 1, quote);
        if (this.#frame?.expectsName) this.#readName(index + 1, end, quote);
        index = end + 1;
      } else if (code === SLASH) index = skipComment(text, index);
      else if (endsWord(code)) {
        this.#applyPunctuation(code);
        index += 1;
      } else {
        let end = index + 1;
        while (end < text.length && !endsWord(text.charCodeAt(end))) end += 1;
        if (this.#frame?.expectsName) this.#readName(index, end, '"');
        else if (startsNumber(code)) this.#checkNumber(text.slice(index, end));
        index = end;
      }
    }
  }

  get #frame(): Frame | undefined {
    return this.#depth === 0 ? undefined : this.#frames[this.#depth - 1];
  }

  #applyPunctuation(code: number): void {
    const frame = this.#frame;
    if (code === OPENING_BRACE || code === OPENING_BRACKET) this.#open(code === OPENING_BRACE);
    else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) this.#depth = Math.max(0, this.#depth - 1);
    else if (code === COLON) this.#countNode();
    else if (frame?.isObject) frame.expectsName = true;
    else if (frame) frame.index += 1;
  }

  #open(isObject: boolean): void {
    this.#countNode();
    this.#depth += 1;
    if (this.#depth > (this.#options.maxDepth ?? Infinity)) this.exceeded = 'depth';
    const frame = (this.#frames[this.#depth - 1] ??= {
      isObject,
      expectsName: isObject,
      name: '',
      index: 0,
      names: [],
      nameSet: undefined,
    });
    frame.isObject = isObject;
    frame.expectsName = isObject;
    frame.index = 0;
    frame.names.length = 0;
    frame.nameSet = undefined;
  }

  #countNode(): void {
    this.#nodeCount += 1;
    if (this.#nodeCount > (this.#options.maxNodes ?? Infinity)) this.exceeded ??= 'nodes';
  }

  /** `quote` makes the name a text that can be parsed: the quote around it, or any for an unquoted name. */
  #readName(start: number, end: number, quote: string): void {
    const content = this.#text.slice(start, end);
    if (!content.includes('\\')) return this.#addName(content);
    let name: unknown;
    try {
      name = this.#options.parseText(`${quote}${content}${quote}`);
    } catch {
      // The parser of the document reports the invalid name.
    }
    this.#addName(typeof name === 'string' ? name : content);
  }

  #addName(name: string): void {
    const frame = this.#frame;
    if (!frame) return;
    frame.expectsName = false;
    frame.name = name;
    if (this.#options.forbiddenNames?.has(name)) this.#addIssue('is not allowed as a name');
    if (frame.nameSet ? frame.nameSet.has(name) : frame.names.includes(name))
      this.#addIssue('is given twice');
    else if (frame.nameSet) frame.nameSet.add(name);
    else {
      frame.names.push(name);
      if (frame.names.length > MAX_LISTED_NAMES) frame.nameSet = new Set(frame.names);
    }
  }

  #checkNumber(literal: string): void {
    const loss = findNumberLoss(literal);
    if (loss !== undefined) this.#addIssue(loss);
  }

  #addIssue(message: string): void {
    const { rootPath, isRootInPaths } = this.#options;
    const names = this.#frames
      .slice(0, this.#depth)
      .map(({ isObject, name, index }) => (isObject ? formatPathName(name) : String(index)));
    const path = [...(isRootInPaths || names.length === 0 ? [rootPath] : []), ...names].join('.');
    this.issues.push({ path, message });
  }
}

/**
 * Finds names given twice, forbidden names and numbers that parsing would change, with their paths, and ends at the limits of depth and
 * size. Never throws; a text with invalid syntax has any result.
 */
export function scanJson(text: string, options: JsonScanOptions): JsonScan {
  const scanner = new Scanner(text, options);
  scanner.run();
  const { exceeded, issues } = scanner;
  return exceeded ? { exceeded, issues } : { issues };
}
