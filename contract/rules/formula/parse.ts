/** Tokens and syntax tree of formulas. */

/** A position in the text of a formula and what is wrong there. */
export interface FormulaIssue {
  /** Index of the character, from 0. */
  position: number;
  message: string;
}

/** Error of the parser and the type check; used only inside this folder. */
export class FormulaError extends Error {
  readonly issue: FormulaIssue;

  constructor(position: number, message: string) {
    super(message);
    this.issue = { position, message };
  }
}

type Operator = '+' | '-' | '*' | '/' | '&' | '=' | '<>' | '<' | '<=' | '>' | '>=' | 'and' | 'or';

export type Node = { position: number } & (
  | { kind: 'literal'; value: number | string | boolean }
  | { kind: 'field'; name: string }
  | { kind: 'unary'; operator: '-' | 'not'; operand: Node }
  | { kind: 'binary'; operator: Operator; left: Node; right: Node }
  | { kind: 'call'; name: string; args: Node[] }
);

type TokenKind = 'number' | 'text' | 'name' | 'field' | 'sign' | 'end';

export interface Token {
  kind: TokenKind;
  text: string;
  position: number;
}

const MAX_FORMULA_LENGTH = 10_000;

/** A number, a text in quotes (a doubled quote stands for one), a name, a name in brackets, a sign. */
const PATTERNS: readonly (readonly [TokenKind, RegExp])[] = [
  ['number', /\d+(?:\.\d+)?/y],
  ['text', /"(?:[^"]|"")*"/y],
  ['name', /[A-Za-z][A-Za-z0-9_]*/y],
  ['field', /\[[^[\]]+\]/y],
  ['sign', /<=|>=|<>|[-+*/&=<>(),]/y],
];
const SPACE = /\s*/y;

function matchAt(pattern: RegExp, source: string, position: number): string | undefined {
  pattern.lastIndex = position;
  return pattern.exec(source)?.[0];
}

function readToken(source: string, position: number): Token {
  for (const [kind, pattern] of PATTERNS) {
    const text = matchAt(pattern, source, position);
    if (text !== undefined) return { kind, text, position };
  }
  const character = String.fromCodePoint(source.codePointAt(position) ?? 0);
  if (character === '"') throw new FormulaError(position, 'The text has no closing quote');
  throw new FormulaError(position, `Unexpected character ${character}`);
}

/** The tokens of a formula; the last one is `end`. @throws FormulaError */
export function tokenize(source: string): Token[] {
  if (source.length > MAX_FORMULA_LENGTH)
    throw new FormulaError(MAX_FORMULA_LENGTH, `A formula has at most ${MAX_FORMULA_LENGTH} characters`);
  const tokens: Token[] = [];
  for (let position = 0; ;) {
    position += matchAt(SPACE, source, position)?.length ?? 0;
    if (position >= source.length) return [...tokens, { kind: 'end', text: '', position }];
    const token = readToken(source, position);
    tokens.push(token);
    position += token.text.length;
  }
}

const MAX_DEPTH = 50;
const MAX_NODES = 1000;

/** Binary operators by increasing precedence; operators of one row are left-associative. */
const OPERATORS_BY_PRECEDENCE: readonly (readonly Operator[])[] = [
  ['or'],
  ['and'],
  ['=', '<>', '<', '<=', '>', '>='],
  ['&'],
  ['+', '-'],
  ['*', '/'],
];
const COMPARISON_LEVEL = 2;

class Parser {
  readonly #tokens: readonly Token[];
  #nextIndex = 0;
  #depth = 0;
  #nodeCount = 0;

  constructor(source: string) {
    this.#tokens = tokenize(source);
  }

  parse(): Node {
    const node = this.#parseBinary(0);
    if (this.#nextToken.kind !== 'end') throw this.#createError();
    return node;
  }

  get #nextToken(): Token {
    return this.#tokens[this.#nextIndex] ?? { kind: 'end', text: '', position: 0 };
  }

  /** Consumes and returns the next token if it is one of these signs or words. */
  #accept(...texts: readonly string[]): Token | undefined {
    const token = this.#nextToken;
    if (token.kind !== 'sign' && token.kind !== 'name') return undefined;
    if (!texts.includes(token.text.toLowerCase())) return undefined;
    this.#nextIndex += 1;
    return token;
  }

  #expect(sign: string): void {
    if (!this.#accept(sign)) throw this.#createError(sign);
  }

  #createError(expected = 'a value, a field or a function'): FormulaError {
    const { kind, text, position } = this.#nextToken;
    return new FormulaError(position, `Expected ${expected}, found ${kind === 'end' ? 'the end' : text}`);
  }

  /** @throws FormulaError when the tree has too many nodes */
  #createNode<N extends Node>(node: N): N {
    this.#nodeCount += 1;
    if (this.#nodeCount > MAX_NODES)
      throw new FormulaError(node.position, `A formula has at most ${MAX_NODES} operations and values`);
    return node;
  }

  /** Runs a recursive step; limits the depth, so that nested brackets cannot exhaust the stack. */
  #descend<T>(parse: () => T): T {
    if (this.#depth >= MAX_DEPTH)
      throw new FormulaError(this.#nextToken.position, `A formula is at most ${MAX_DEPTH} levels deep`);
    this.#depth += 1;
    const result = parse();
    this.#depth -= 1;
    return result;
  }

  /** Parses operators of this precedence level and above. */
  #parseBinary(level: number): Node {
    const operators = OPERATORS_BY_PRECEDENCE[level];
    if (!operators) return this.#parseUnary();
    let left = this.#parseBinary(level + 1);
    for (;;) {
      const token = this.#accept(...operators);
      if (!token) return left;
      const operator = operators.find((candidate) => candidate === token.text.toLowerCase()) ?? '=';
      const right = this.#parseBinary(level + 1);
      left = this.#createNode({ kind: 'binary', operator, left, right, position: token.position });
    }
  }

  #parseUnary(): Node {
    const token = this.#accept('-', 'not');
    if (!token) return this.#parsePrimary();
    // `not` binds more loosely than a comparison: `not A = B` is `not (A = B)`.
    const operator = token.text === '-' ? '-' : 'not';
    const operand = this.#descend(() =>
      operator === '-' ? this.#parseUnary() : this.#parseBinary(COMPARISON_LEVEL),
    );
    return this.#createNode({ kind: 'unary', operator, operand, position: token.position });
  }

  #parsePrimary(): Node {
    const { kind, text, position } = this.#nextToken;
    if (kind === 'sign' && text === '(') return this.#parseBrackets();
    if (kind === 'sign' || kind === 'end') throw this.#createError();
    this.#nextIndex += 1;
    if (kind === 'number') return this.#createNode({ kind: 'literal', value: Number(text), position });
    if (kind === 'text')
      return this.#createNode({ kind: 'literal', value: text.slice(1, -1).replaceAll('""', '"'), position });
    if (kind === 'field')
      return this.#createNode({ kind: 'field', name: text.slice(1, -1).trim(), position });
    return this.#parseName(text, position);
  }

  #parseBrackets(): Node {
    this.#expect('(');
    const node = this.#descend(() => this.#parseBinary(0));
    this.#expect(')');
    return node;
  }

  /** A name is a function if a bracket follows, `true` or `false`, or a field. */
  #parseName(name: string, position: number): Node {
    const word = name.toLowerCase();
    if (this.#accept('('))
      return this.#createNode({ kind: 'call', name: word, args: this.#parseArguments(), position });
    if (word === 'true' || word === 'false')
      return this.#createNode({ kind: 'literal', value: word === 'true', position });
    if (word === 'and' || word === 'or')
      throw new FormulaError(
        position,
        `Expected a value before ${name}; a field of this name is written [${name}]`,
      );
    return this.#createNode({ kind: 'field', name, position });
  }

  #parseArguments(): Node[] {
    const args: Node[] = [];
    if (this.#accept(')')) return args;
    do args.push(this.#descend(() => this.#parseBinary(0)));
    while (this.#accept(','));
    this.#expect(')');
    return args;
  }
}

/** The syntax tree of a formula. @throws FormulaError */
export const parseFormula = (source: string): Node => new Parser(source).parse();
