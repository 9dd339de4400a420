/** A part of the text of a query. */
export interface Range {
  from: number;
  to: number;
}

/** What stands at the caret: the name of something, or a value. */
export interface Spot extends Range {
  kind: 'key' | 'value';
  /** What has been typed of it, without quotes. */
  typed: string;
  /** The names that lead there, without groups and places in lists: a field, then an operator. */
  chain: readonly string[];
}

interface Frame {
  kind: 'object' | 'list';
  path: string;
  chain: readonly string[];
  expects: 'key' | 'colon' | 'value' | 'comma';
  key: string;
  index: number;
}

// Strings may still be open, and words are whatever is no mark: what is typed is read long before it is whole.
const TOKEN =
  /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|"(?:\\[^]|[^"\\])*"?|'(?:\\[^]|[^'\\])*'?|[{}[\]:,]|[^\s{}[\]:,"']+/g;
const GROUPS = new Set(['$and', '$or']);

const bare = (token: string): string => token.replace(/^["']/, '').replace(/["']$/, '');
const isComment = (token: string): boolean => token.startsWith('//') || token.startsWith('/*');

const chainOf = ({ kind, chain, key }: Frame): readonly string[] =>
  kind === 'object' && !GROUPS.has(key.toLowerCase()) ? [...chain, key] : chain;
const pathOf = ({ kind, path, key, index }: Frame): string => {
  if (path === '') return 'query';
  return `${path}.${kind === 'object' ? key : index}`;
};

interface Scanned {
  /** Where the names and the values are that a fault may be about: `query.$or.1.City`. */
  places: ReadonlyMap<string, Range>;
  spot: Spot | undefined;
}

/** Reads the text of a query as far as it is one, and what stands at the caret. */
export function scan(text: string, caret = -1): Scanned {
  const places = new Map<string, Range>();
  const root: Frame = { kind: 'list', path: '', chain: [], expects: 'value', key: '', index: 0 };
  const frames: Frame[] = [root];
  let spot: Spot | undefined;
  let last = 0;
  const top = () => frames.at(-1) ?? root;
  const note = (range: Range, typed: string) => {
    const frame = top();
    if (frame.expects === 'key') spot = { ...range, kind: 'key', typed, chain: frame.chain };
    else if (frame.expects === 'value') spot = { ...range, kind: 'value', typed, chain: chainOf(frame) };
  };

  for (const { 0: token, index: from } of text.matchAll(TOKEN)) {
    const to = from + token.length;
    const isMark = /^[{}[\]:,]$/.test(token);
    if (caret >= last && (isMark ? caret <= from : caret < from)) note({ from: caret, to: caret }, '');
    else if (!isMark && caret >= from && caret <= to && !isComment(token))
      note({ from, to }, bare(text.slice(from, caret)));
    last = to;
    if (!isComment(token)) step(frames, places, token, { from, to });
  }
  if (caret >= last && spot === undefined && (caret > last || /[{[:,\s]$|^$/.test(text.slice(0, caret))))
    note({ from: caret, to: caret }, '');
  return { places, spot };
}

/** Whether the colon of a name stands right before the caret. */
export function isPastColon(text: string, caret: number): boolean {
  const { spot } = scan(text, caret);
  return spot?.kind === 'value' && spot.typed === '' && /: ?$/.test(text.slice(0, caret));
}

function step(frames: Frame[], places: Map<string, Range>, token: string, range: Range): void {
  const frame = frames.at(-1);
  if (!frame) return;
  if (token === '{' || token === '[') {
    const path = pathOf(frame);
    if (!places.has(path)) places.set(path, range);
    frames.push({
      kind: token === '{' ? 'object' : 'list',
      path,
      chain: chainOf(frame),
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
    frame.key = bare(token);
    frame.expects = 'colon';
    places.set(pathOf(frame), range);
  } else if (frame.expects === 'value') {
    if (frame.kind === 'list') places.set(pathOf(frame), range);
    frame.expects = 'comma';
  }
}

const AT = /at (\d+):(\d+)$/;

/** Where a fault is in the text: what its path names, or the nearest around it; for what cannot be read, the sign. */
export function rangeOf(text: string, fault: { path: string; message: string }): Range {
  const [, line, column] = AT.exec(fault.message) ?? [];
  if (fault.path === 'query' && line !== undefined) {
    const before = text.split('\n').slice(0, Number(line) - 1);
    const from = before.reduce((sum, one) => sum + one.length + 1, 0) + Number(column) - 1;
    return { from: Math.min(from, text.length), to: Math.min(from + 1, text.length) };
  }
  const { places } = scan(text);
  for (let path = fault.path; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('.')))) {
    const found = places.get(path);
    if (found) return found;
  }
  return { from: 0, to: text.length };
}

/** A place as editors name it: line and column, from 1. */
export function lineOf(text: string, { from }: Range): { line: number; column: number } {
  const lines = text.slice(0, from).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
