import { FormulaError, tokensOf, type Node, type Operator, type Token } from './syntax.ts';

const MAX_DEPTH = 50;
const MAX_NODES = 1000;

/** Operators from the loosest to the tightest; those of one row are taken from left to right. */
const LEVELS: readonly (readonly Operator[])[] = [
  ['or'],
  ['and'],
  ['=', '<>', '<', '<=', '>', '>='],
  ['&'],
  ['+', '-'],
  ['*', '/'],
];

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;
  #nodes = 0;

  constructor(source: string) {
    this.#tokens = tokensOf(source);
  }

  whole(): Node {
    const node = this.#level(0);
    if (this.#peek.kind !== 'end') throw this.#unexpected();
    return node;
  }

  get #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: '', at: 0 };
  }

  /** Takes the next token when it is this sign or word. */
  #takes(...texts: readonly string[]): Token | undefined {
    const token = this.#peek;
    if (token.kind !== 'sign' && token.kind !== 'name') return undefined;
    if (!texts.includes(token.text.toLowerCase())) return undefined;
    this.#next += 1;
    return token;
  }

  #expect(sign: string): void {
    if (!this.#takes(sign)) throw this.#unexpected(sign);
  }

  #unexpected(wanted = 'a value, a field or a function'): FormulaError {
    const { kind, text, at } = this.#peek;
    return new FormulaError(at, `Expected ${wanted}, found ${kind === 'end' ? 'the end' : text}`);
  }

  #count<N extends Node>(node: N): N {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES)
      throw new FormulaError(node.at, `A formula has at most ${MAX_NODES} operations and values`);
    return node;
  }

  /** Everything that leads deeper goes through here: a formula of brackets alone must not exhaust the stack. */
  #deeper<T>(read: () => T): T {
    if (this.#depth >= MAX_DEPTH)
      throw new FormulaError(this.#peek.at, `A formula is at most ${MAX_DEPTH} levels deep`);
    this.#depth += 1;
    const result = read();
    this.#depth -= 1;
    return result;
  }

  #level(index: number): Node {
    const operators = LEVELS[index];
    if (!operators) return this.#unary();
    let left = this.#level(index + 1);
    for (;;) {
      const token = this.#takes(...operators);
      if (!token) return left;
      const operator = operators.find((each) => each === token.text.toLowerCase()) ?? '=';
      const right = this.#level(index + 1);
      left = this.#count({ kind: 'binary', operator, left, right, at: token.at });
    }
  }

  #unary(): Node {
    const token = this.#takes('-', 'not');
    if (!token) return this.#primary();
    // `not` binds as loosely as a comparison, so that `not A = B` is what it says.
    const operator = token.text === '-' ? '-' : 'not';
    const of = this.#deeper(() => (operator === '-' ? this.#unary() : this.#level(2)));
    return this.#count({ kind: 'unary', operator, of, at: token.at });
  }

  #primary(): Node {
    const { kind, text, at } = this.#peek;
    if (kind === 'sign' && text === '(') return this.#bracketed();
    if (kind === 'sign' || kind === 'end') throw this.#unexpected();
    this.#next += 1;
    if (kind === 'number') return this.#count({ kind: 'literal', value: Number(text), at });
    if (kind === 'text')
      return this.#count({ kind: 'literal', value: text.slice(1, -1).replaceAll('""', '"'), at });
    if (kind === 'field') return this.#count({ kind: 'field', name: text.slice(1, -1).trim(), at });
    return this.#named(text, at);
  }

  #bracketed(): Node {
    this.#expect('(');
    const node = this.#deeper(() => this.#level(0));
    this.#expect(')');
    return node;
  }

  /** A name is a function before a bracket, `true` or `false`, or else a field. */
  #named(name: string, at: number): Node {
    const word = name.toLowerCase();
    if (this.#takes('(')) return this.#count({ kind: 'call', name: word, args: this.#arguments(), at });
    if (word === 'true' || word === 'false')
      return this.#count({ kind: 'literal', value: word === 'true', at });
    if (word === 'and' || word === 'or')
      throw new FormulaError(
        at,
        `Expected a value before ${name}; a field of this name is written [${name}]`,
      );
    return this.#count({ kind: 'field', name, at });
  }

  #arguments(): Node[] {
    const args: Node[] = [];
    if (this.#takes(')')) return args;
    do args.push(this.#deeper(() => this.#level(0)));
    while (this.#takes(','));
    this.#expect(')');
    return args;
  }
}

/**
 * The tree of a formula.
 * @throws FormulaError
 */
export const parseFormula = (source: string): Node => new Parser(source).whole();
