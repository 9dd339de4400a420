/** A place in the text of a formula and what is wrong there. */
export interface FormulaFault {
  /** Index of the character, from 0. */
  at: number;
  message: string;
}

/** Thrown inside these files alone; readFormula turns it into a value. */
export class FormulaError extends Error {
  readonly fault: FormulaFault;

  constructor(at: number, message: string) {
    super(message);
    this.fault = { at, message };
  }
}

export type Operator = '+' | '-' | '*' | '/' | '&' | '=' | '<>' | '<' | '<=' | '>' | '>=' | 'and' | 'or';

export type Node = { at: number } & (
  | { kind: 'literal'; value: number | string | boolean }
  | { kind: 'field'; name: string }
  | { kind: 'unary'; operator: '-' | 'not'; of: Node }
  | { kind: 'binary'; operator: Operator; left: Node; right: Node }
  | { kind: 'call'; name: string; args: Node[] }
);

type TokenKind = 'number' | 'text' | 'name' | 'field' | 'sign' | 'end';

export interface Token {
  kind: TokenKind;
  text: string;
  at: number;
}

const MAX_LENGTH = 10_000;

/** One token each: a number, a text in quotes (a doubled quote stands for one), a name, a name in brackets, a sign. */
const PATTERNS: readonly (readonly [TokenKind, RegExp])[] = [
  ['number', /\d+(?:\.\d+)?/y],
  ['text', /"(?:[^"]|"")*"/y],
  ['name', /[A-Za-z][A-Za-z0-9_]*/y],
  ['field', /\[[^[\]]+\]/y],
  ['sign', /<=|>=|<>|[-+*/&=<>(),]/y],
];
const SPACE = /\s*/y;

function matchAt(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

function tokenAt(source: string, at: number): Token {
  for (const [kind, pattern] of PATTERNS) {
    const text = matchAt(pattern, source, at);
    if (text !== undefined) return { kind, text, at };
  }
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
  if (character === '"') throw new FormulaError(at, 'The text has no closing quote');
  throw new FormulaError(at, `${character} means nothing here`);
}

/** The tokens of a formula, the end as the last one. */
export function tokensOf(source: string): Token[] {
  if (source.length > MAX_LENGTH)
    throw new FormulaError(MAX_LENGTH, `A formula has at most ${MAX_LENGTH} characters`);
  const tokens: Token[] = [];
  for (let at = 0; ;) {
    at += matchAt(SPACE, source, at)?.length ?? 0;
    if (at >= source.length) return [...tokens, { kind: 'end', text: '', at }];
    const token = tokenAt(source, at);
    tokens.push(token);
    at += token.text.length;
  }
}
