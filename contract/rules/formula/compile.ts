import { ANYTHING, functions, type FormulaFunction } from './functions.ts';
import { FormulaError, type Node } from './syntax.ts';
import {
  numberOf,
  textOf,
  typeOfField,
  valueOfField,
  writtenDate,
  type FormulaField,
  type Value,
  type ValueType,
} from './values.ts';

/** Stored values by the id of their field. */
type Stored = Readonly<Record<string, unknown>>;

export interface Compiled {
  type: ValueType;
  run: (stored: Stored) => Value;
}

/** Where names of fields lead; every field that is asked for is noted. */
export interface Scope {
  field(name: string): FormulaField | undefined;
  used: Map<number, FormulaField>;
}

const NAMES: Readonly<Record<ValueType, string>> = {
  number: 'a number',
  text: 'a text',
  boolean: 'true or false',
  date: 'a date',
  day: 'a date',
  texts: 'several choices',
  ids: 'entries, users or files',
};
const isDate = (type: ValueType) => type === 'date' || type === 'day';
const isList = (type: ValueType) => type === 'texts' || type === 'ids';

/** Checks the types of a tree and makes functions of it: nothing is evaluated that was not checked. */
export function compile(node: Node, scope: Scope): Compiled {
  if (node.kind === 'literal') return literal(node.value);
  if (node.kind === 'field') return fieldOf(node.name, node.at, scope);
  if (node.kind === 'call') return call(node, scope);
  if (node.kind === 'binary') return binary(node, scope);
  return node.operator === '-' ? negative(node.of, scope) : negation(node.of, scope);
}

function literal(value: number | string | boolean): Compiled {
  const type = typeof value === 'number' ? 'number' : typeof value === 'string' ? 'text' : 'boolean';
  return { type, run: () => value };
}

function fieldOf(name: string, at: number, scope: Scope): Compiled {
  const field = scope.field(name);
  if (!field) throw new FormulaError(at, `Field with name "${name}" does not exist`);
  scope.used.set(field.id, field);
  return { type: typeOfField(field), run: (stored) => valueOfField(field, stored[field.id]) };
}

function expect(types: readonly ValueType[], node: Node, scope: Scope): Compiled {
  const compiled = compile(node, scope);
  if (types.includes(compiled.type)) return compiled;
  const wanted = [...new Set(types.map((type) => NAMES[type]))].join(' or ');
  throw new FormulaError(node.at, `Expected ${wanted}, this is ${NAMES[compiled.type]}`);
}

const minus = (value: Value) => (typeof value === 'number' ? 0 - value : null);

function negative(of: Node, scope: Scope): Compiled {
  const { run } = expect(['number'], of, scope);
  return { type: 'number', run: (stored) => minus(run(stored)) };
}

/** No data counts as false wherever true or false is asked for. */
function negation(of: Node, scope: Scope): Compiled {
  const { run } = expect(['boolean'], of, scope);
  return { type: 'boolean', run: (stored) => run(stored) !== true };
}

type Binary = Extract<Node, { kind: 'binary' }>;

function binary(node: Binary, scope: Scope): Compiled {
  const { operator } = node;
  if (operator === 'and' || operator === 'or') return logical(operator, node, scope);
  if (operator === '&') return joined(node, scope);
  if (operator === '+' || operator === '-' || operator === '*' || operator === '/')
    return arithmetic(operator, node, scope);
  return comparison(operator, node, scope);
}

function logical(operator: 'and' | 'or', node: Binary, scope: Scope): Compiled {
  const [left, right] = [expect(['boolean'], node.left, scope), expect(['boolean'], node.right, scope)];
  const run: Compiled['run'] =
    operator === 'and'
      ? (stored) => left.run(stored) === true && right.run(stored) === true
      : (stored) => left.run(stored) === true || right.run(stored) === true;
  return { type: 'boolean', run };
}

const ARITHMETIC = {
  '+': (left: number, right: number) => left + right,
  '-': (left: number, right: number) => left - right,
  '*': (left: number, right: number) => left * right,
  // By zero there is no result: infinities are no data.
  '/': (left: number, right: number) => left / right,
} as const;

function arithmetic(operator: keyof typeof ARITHMETIC, node: Binary, scope: Scope): Compiled {
  const [left, right] = [expect(['number'], node.left, scope), expect(['number'], node.right, scope)];
  const compute = ARITHMETIC[operator];
  return {
    type: 'number',
    run: (stored) => {
      const [one, other] = [left.run(stored), right.run(stored)];
      return typeof one === 'number' && typeof other === 'number' ? numberOf(compute(one, other)) : null;
    },
  };
}

const written = (value: Value, type: ValueType): string => {
  if (value === null) return '';
  if (typeof value === 'number' && (type === 'date' || type === 'day')) return writtenDate(value, type);
  return typeof value === 'object' ? value.join(', ') : String(value);
};

/** Parts without data are left out. */
function joined(node: Binary, scope: Scope): Compiled {
  const types = ANYTHING.filter((type) => type !== 'ids');
  const [left, right] = [expect(types, node.left, scope), expect(types, node.right, scope)];
  return {
    type: 'text',
    run: (stored) => textOf(written(left.run(stored), left.type) + written(right.run(stored), right.type)),
  };
}

type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

const COMPARISON: Readonly<Record<Comparison, (sign: number) => boolean>> = {
  '=': (sign) => sign === 0,
  '<>': (sign) => sign !== 0,
  '<': (sign) => sign < 0,
  '<=': (sign) => sign <= 0,
  '>': (sign) => sign > 0,
  '>=': (sign) => sign >= 0,
};

/** Texts compare without regard to case, as filters do (shapes 4). */
function orderOf(one: Value, other: Value): number {
  const [left, right] = [one, other].map((value) =>
    typeof value === 'string' ? value.toLowerCase() : Number(value),
  );
  if (left === undefined || right === undefined || left === right) return 0;
  return left < right ? -1 : 1;
}

function comparison(operator: Comparison, node: Binary, scope: Scope): Compiled {
  const [left, right] = [compile(node.left, scope), compile(node.right, scope)];
  const alike = left.type === right.type || (isDate(left.type) && isDate(right.type));
  if (!alike || isList(left.type))
    throw new FormulaError(
      node.at,
      `${node.operator} cannot compare ${NAMES[left.type]} with ${NAMES[right.type]}`,
    );
  if (left.type === 'boolean' && operator !== '=' && operator !== '<>')
    throw new FormulaError(node.at, `${operator} cannot compare true and false`);
  const holds = COMPARISON[operator];
  return {
    type: 'boolean',
    run: (stored) => {
      const [one, other] = [left.run(stored), right.run(stored)];
      return one === null || other === null ? null : holds(orderOf(one, other));
    },
  };
}

type Call = Extract<Node, { kind: 'call' }>;

function call(node: Call, scope: Scope): Compiled {
  if (node.name === 'if') return conditional(node, scope);
  if (node.name === 'isempty') return emptiness(node, scope);
  if (node.name === 'ifempty') return replacement(node, scope);
  const known = functions.get(node.name);
  if (!known) throw new FormulaError(node.at, `There is no function ${node.name}`);
  requireCount(node, known.atLeast ?? known.takes.length, known.many ? Infinity : known.takes.length);
  const args = node.args.map((arg, at) => expect(known.takes[at] ?? known.takes.at(-1) ?? [], arg, scope));
  const types = args.map(({ type }) => type);
  if (known.alike && types.some(isDate) !== types.every(isDate))
    throw new FormulaError(node.at, `${node.name} takes numbers or dates, not both`);
  const type = typeof known.gives === 'string' ? known.gives : known.gives(types);
  return { type, run: runner(known, args) };
}

const runner =
  (known: FormulaFunction, args: readonly Compiled[]): Compiled['run'] =>
  (stored) => {
    const values = args.map((arg) => arg.run(stored));
    return known.strict && values.includes(null) ? null : known.run(values);
  };

function requireCount(node: Call, least: number, most: number): void {
  const { length } = node.args;
  if (length >= least && length <= most) return;
  const wanted = most === Infinity ? `at least ${least}` : least === most ? least : `${least} to ${most}`;
  throw new FormulaError(node.at, `${node.name} takes ${wanted} values, not ${length}`);
}

/** The one type of two branches. */
function common(one: Compiled, other: Compiled, at: number): ValueType {
  if (one.type === other.type) return one.type;
  if (isDate(one.type) && isDate(other.type)) return 'date';
  throw new FormulaError(at, `This is ${NAMES[other.type]}, the other result is ${NAMES[one.type]}`);
}

/** Without a third value: no data where the condition does not hold. */
function conditional(node: Call, scope: Scope): Compiled {
  requireCount(node, 2, 3);
  const [test, yes, no] = node.args;
  if (!test || !yes) throw new FormulaError(node.at, 'if takes a condition and a value');
  const condition = expect(['boolean'], test, scope);
  const then = compile(yes, scope);
  const otherwise = no ? compile(no, scope) : { type: then.type, run: () => null };
  return {
    type: common(then, otherwise, no?.at ?? node.at),
    run: (stored) => (condition.run(stored) === true ? then : otherwise).run(stored),
  };
}

const isNoData = (value: Value) => value === null || (typeof value === 'object' && value.length === 0);

function emptiness(node: Call, scope: Scope): Compiled {
  requireCount(node, 1, 1);
  const [of] = node.args;
  if (!of) throw new FormulaError(node.at, 'isEmpty takes a value');
  const { run } = compile(of, scope);
  return { type: 'boolean', run: (stored) => isNoData(run(stored)) };
}

function replacement(node: Call, scope: Scope): Compiled {
  requireCount(node, 2, 2);
  const [of, instead] = node.args;
  if (!of || !instead) throw new FormulaError(node.at, 'ifEmpty takes two values');
  const [value, other] = [compile(of, scope), compile(instead, scope)];
  return {
    type: common(value, other, instead.at),
    run: (stored) => {
      const given = value.run(stored);
      return isNoData(given) ? other.run(stored) : given;
    },
  };
}
