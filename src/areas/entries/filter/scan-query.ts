/** A range of characters in the text of a query. */
export interface TextRange {
  from: number;
  to: number;
}

/** The key or value at the caret. */
export interface CaretContext extends TextRange {
  kind: 'key' | 'value';
  /** Text typed so far, without quotes. */
  typed: string;
  /** Keys that lead there, without groups and list indexes: a field, then an operator. */
  keyPath: readonly string[];
}

interface Frame {
  kind: 'object' | 'list';
  path: string;
  keyPath: readonly string[];
  expects: 'key' | 'colon' | 'value' | 'comma';
  key: string;
  index: number;
}

// Tolerates unfinished input: strings may be open, and everything that is not punctuation is a word.
const TOKEN =
  /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|"(?:\\[^]|[^"\\])*"?|'(?:\\[^]|[^'\\])*'?|[{}[\]:,]|[^\s{}[\]:,"']+/g;
const GROUPS = new Set(['$and', '$or']);

const unquote = (token: string): string => token.replace(/^["']/, '').replace(/["']$/, '');
const isComment = (token: string): boolean => token.startsWith('//') || token.startsWith('/*');

const getKeyPath = ({ kind, keyPath, key }: Frame): readonly string[] =>
  kind === 'object' && !GROUPS.has(key.toLowerCase()) ? [...keyPath, key] : keyPath;
const getPath = ({ kind, path, key, index }: Frame): string => {
  if (path === '') return 'query';
  return `${path}.${kind === 'object' ? key : index}`;
};

interface ScanResult {
  /** Ranges of keys and values by the path that errors name: `query.$or.1.City`. */
  ranges: ReadonlyMap<string, TextRange>;
  context: CaretContext | undefined;
}

/** Scans the text of a query, complete or not: the ranges of its parts and what is at the caret. Never throws. */
export function scanQueryText(text: string, caret = -1): ScanResult {
  const ranges = new Map<string, TextRange>();
  const root: Frame = { kind: 'list', path: '', keyPath: [], expects: 'value', key: '', index: 0 };
  const frames: Frame[] = [root];
  let context: CaretContext | undefined;
  let lastEnd = 0;
  const getFrame = () => frames.at(-1) ?? root;
  const setContext = (range: TextRange, typed: string) => {
    const frame = getFrame();
    if (frame.expects === 'key') context = { ...range, kind: 'key', typed, keyPath: frame.keyPath };
    else if (frame.expects === 'value')
      context = { ...range, kind: 'value', typed, keyPath: getKeyPath(frame) };
  };

  for (const { 0: token, index: from } of text.matchAll(TOKEN)) {
    const to = from + token.length;
    const isPunctuation = /^[{}[\]:,]$/.test(token);
    if (caret >= lastEnd && (isPunctuation ? caret <= from : caret < from))
      setContext({ from: caret, to: caret }, '');
    else if (!isPunctuation && caret >= from && caret <= to && !isComment(token))
      setContext({ from, to }, unquote(text.slice(from, caret)));
    lastEnd = to;
    if (!isComment(token)) applyToken(frames, ranges, token, { from, to });
  }
  if (
    caret >= lastEnd &&
    context === undefined &&
    (caret > lastEnd || /[{[:,\s]$|^$/.test(text.slice(0, caret)))
  )
    setContext({ from: caret, to: caret }, '');
  return { ranges, context };
}

/** Whether the colon of a key is right before the caret. */
export function isAfterColon(text: string, caret: number): boolean {
  const { context } = scanQueryText(text, caret);
  return context?.kind === 'value' && context.typed === '' && /: ?$/.test(text.slice(0, caret));
}

function applyToken(frames: Frame[], ranges: Map<string, TextRange>, token: string, range: TextRange): void {
  const frame = frames.at(-1);
  if (!frame) return;
  if (token === '{' || token === '[') {
    const path = getPath(frame);
    if (!ranges.has(path)) ranges.set(path, range);
    frames.push({
      kind: token === '{' ? 'object' : 'list',
      path,
      keyPath: getKeyPath(frame),
      expects: token === '{' ? 'key' : 'value',
      key: '',
      index: 0,
    });
  } else if (token === '}' || token === ']') {
    if (frames.length > 1) frames.pop();
    const outer = frames.at(-1);
    if (outer) outer.expects = 'comma';
  } else if (token === ':') frame.expects = 'value';
  else if (token === ',') {
    frame.expects = frame.kind === 'object' ? 'key' : 'value';
    frame.index += 1;
  } else if (frame.expects === 'key') {
    frame.key = unquote(token);
    frame.expects = 'colon';
    ranges.set(getPath(frame), range);
  } else if (frame.expects === 'value') {
    if (frame.kind === 'list') ranges.set(getPath(frame), range);
    frame.expects = 'comma';
  }
}

const ERROR_POSITION = /at (\d+):(\d+)$/;

/**
 * The range of an error: the part its path names, or the nearest enclosing part. For a syntax error the character at
 * the position in its message.
 */
export function getErrorRange(text: string, error: { path: string; message: string }): TextRange {
  const [, line, column] = ERROR_POSITION.exec(error.message) ?? [];
  if (error.path === 'query' && line !== undefined) {
    const before = text.split('\n').slice(0, Number(line) - 1);
    const from = before.reduce((sum, { length }) => sum + length + 1, 0) + Number(column) - 1;
    return { from: Math.min(from, text.length), to: Math.min(from + 1, text.length) };
  }
  const { ranges } = scanQueryText(text);
  for (let path = error.path; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('.')))) {
    const found = ranges.get(path);
    if (found) return found;
  }
  return { from: 0, to: text.length };
}

/** Line and column of a range, starting at 1. */
export function getLineAndColumn(text: string, { from }: TextRange): { line: number; column: number } {
  const lines = text.slice(0, from).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
