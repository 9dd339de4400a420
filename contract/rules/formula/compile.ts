import { ANY_TYPE, functions, type FormulaFunction } from './functions.ts';
import { FormulaError, type Node } from './parse.ts';
import {
  toNumber,
  toText,
  getFieldType,
  getFieldValue,
  formatDate,
  type FormulaField,
  type Value,
  type ValueType,
} from './values.ts';

/** Stored values by the id of their field. */
type StoredValues = Readonly<Record<string, unknown>>;

export interface CompiledExpression {
  type: ValueType;
  run: (stored: StoredValues) => Value;
}

/** Fields that an expression may read; `usedFields` collects those it does read. */
export interface CompileScope {
  findField(name: string): FormulaField | undefined;
  usedFields: Map<number, FormulaField>;
}

const TYPE_NAMES: Readonly<Record<ValueType, string>> = {
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

/** Compiles a syntax tree into functions after checking its types. @throws FormulaError */
export function compile(node: Node, scope: CompileScope): CompiledExpression {
  if (node.kind === 'literal') return compileLiteral(node.value);
  if (node.kind === 'field') return compileField(node.name, node.position, scope);
  if (node.kind === 'call') return compileCall(node, scope);
  if (node.kind === 'binary') return compileBinary(node, scope);
  return node.operator === '-' ? compileNegative(node.operand, scope) : compileNot(node.operand, scope);
}

function compileLiteral(value: number | string | boolean): CompiledExpression {
  const type = typeof value === 'number' ? 'number' : typeof value === 'string' ? 'text' : 'boolean';
  return { type, run: () => value };
}

function compileField(name: string, position: number, scope: CompileScope): CompiledExpression {
  const field = scope.findField(name);
  if (!field) throw new FormulaError(position, `Field with name "${name}" does not exist`);
  scope.usedFields.set(field.id, field);
  return { type: getFieldType(field), run: (stored) => getFieldValue(field, stored[field.id]) };
}

/** Compiles an expression that must have one of these types. */
function compileAs(types: readonly ValueType[], node: Node, scope: CompileScope): CompiledExpression {
  const compiled = compile(node, scope);
  if (types.includes(compiled.type)) return compiled;
  const expected = [...new Set(types.map((type) => TYPE_NAMES[type]))].join(' or ');
  throw new FormulaError(node.position, `Expected ${expected}, this is ${TYPE_NAMES[compiled.type]}`);
}

const negate = (value: Value) => (typeof value === 'number' ? 0 - value : null);

function compileNegative(operand: Node, scope: CompileScope): CompiledExpression {
  const { run } = compileAs(['number'], operand, scope);
  return { type: 'number', run: (stored) => negate(run(stored)) };
}

/** `not`, `and` and `or` treat no data as false. */
function compileNot(operand: Node, scope: CompileScope): CompiledExpression {
  const { run } = compileAs(['boolean'], operand, scope);
  return { type: 'boolean', run: (stored) => run(stored) !== true };
}

type Binary = Extract<Node, { kind: 'binary' }>;

function compileBinary(node: Binary, scope: CompileScope): CompiledExpression {
  const { operator } = node;
  if (operator === 'and' || operator === 'or') return compileLogical(operator, node, scope);
  if (operator === '&') return compileConcatenation(node, scope);
  if (operator === '+' || operator === '-' || operator === '*' || operator === '/')
    return compileArithmetic(operator, node, scope);
  return compileComparison(operator, node, scope);
}

function compileLogical(operator: 'and' | 'or', node: Binary, scope: CompileScope): CompiledExpression {
  const [left, right] = [compileAs(['boolean'], node.left, scope), compileAs(['boolean'], node.right, scope)];
  const run: CompiledExpression['run'] =
    operator === 'and'
      ? (stored) => left.run(stored) === true && right.run(stored) === true
      : (stored) => left.run(stored) === true || right.run(stored) === true;
  return { type: 'boolean', run };
}

const ARITHMETIC = {
  '+': (left: number, right: number) => left + right,
  '-': (left: number, right: number) => left - right,
  '*': (left: number, right: number) => left * right,
  // A division by zero results in no data: toNumber rejects infinities.
  '/': (left: number, right: number) => left / right,
} as const;

function compileArithmetic(
  operator: keyof typeof ARITHMETIC,
  node: Binary,
  scope: CompileScope,
): CompiledExpression {
  const [left, right] = [compileAs(['number'], node.left, scope), compileAs(['number'], node.right, scope)];
  const compute = ARITHMETIC[operator];
  return {
    type: 'number',
    run: (stored) => {
      const [a, b] = [left.run(stored), right.run(stored)];
      return typeof a === 'number' && typeof b === 'number' ? toNumber(compute(a, b)) : null;
    },
  };
}

const formatValue = (value: Value, type: ValueType): string => {
  if (value === null) return '';
  if (typeof value === 'number' && (type === 'date' || type === 'day')) return formatDate(value, type);
  return typeof value === 'object' ? value.join(', ') : String(value);
};

/** `&` omits operands without data. */
function compileConcatenation(node: Binary, scope: CompileScope): CompiledExpression {
  const types = ANY_TYPE.filter((type) => type !== 'ids');
  const [left, right] = [compileAs(types, node.left, scope), compileAs(types, node.right, scope)];
  return {
    type: 'text',
    run: (stored) =>
      toText(formatValue(left.run(stored), left.type) + formatValue(right.run(stored), right.type)),
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

/** Compares two values of one type; texts case-insensitively, like filters (shapes 4). */
function compareValues(a: Value, b: Value): number {
  const [left, right] = [a, b].map((value) =>
    typeof value === 'string' ? value.toLowerCase() : Number(value),
  );
  if (left === undefined || right === undefined || left === right) return 0;
  return left < right ? -1 : 1;
}

function compileComparison(operator: Comparison, node: Binary, scope: CompileScope): CompiledExpression {
  const [left, right] = [compile(node.left, scope), compile(node.right, scope)];
  const hasSameType = left.type === right.type || (isDate(left.type) && isDate(right.type));
  if (!hasSameType || isList(left.type))
    throw new FormulaError(
      node.position,
      `${node.operator} cannot compare ${TYPE_NAMES[left.type]} with ${TYPE_NAMES[right.type]}`,
    );
  if (left.type === 'boolean' && operator !== '=' && operator !== '<>')
    throw new FormulaError(node.position, `${operator} cannot compare true and false`);
  const isTrueFor = COMPARISON[operator];
  return {
    type: 'boolean',
    run: (stored) => {
      const [a, b] = [left.run(stored), right.run(stored)];
      return a === null || b === null ? null : isTrueFor(compareValues(a, b));
    },
  };
}

type Call = Extract<Node, { kind: 'call' }>;

function compileCall(node: Call, scope: CompileScope): CompiledExpression {
  if (node.name === 'if') return compileIf(node, scope);
  if (node.name === 'isempty') return compileIsEmpty(node, scope);
  if (node.name === 'ifempty') return compileIfEmpty(node, scope);
  const definition = functions.get(node.name);
  if (!definition) throw new FormulaError(node.position, `There is no function ${node.name}`);
  const { parameterTypes, minArguments = parameterTypes.length, isVariadic, resultType } = definition;
  requireArgumentCount(node, minArguments, isVariadic ? Infinity : parameterTypes.length);
  const args = node.args.map((arg, index) =>
    compileAs(parameterTypes[index] ?? parameterTypes.at(-1) ?? [], arg, scope),
  );
  const types = args.map(({ type }) => type);
  if (definition.rejectsMixedTypes && types.some(isDate) !== types.every(isDate))
    throw new FormulaError(node.position, `${node.name} takes numbers or dates, not both`);
  const type = typeof resultType === 'string' ? resultType : resultType(types);
  return { type, run: createRunner(definition, args) };
}

const createRunner =
  (definition: FormulaFunction, args: readonly CompiledExpression[]): CompiledExpression['run'] =>
  (stored) => {
    const values = args.map((arg) => arg.run(stored));
    return definition.isStrict && values.includes(null) ? null : definition.run(values);
  };

function requireArgumentCount(node: Call, min: number, max: number): void {
  const { length } = node.args;
  if (length >= min && length <= max) return;
  const expected = max === Infinity ? `at least ${min}` : min === max ? min : `${min} to ${max}`;
  throw new FormulaError(node.position, `${node.name} takes ${expected} values, not ${length}`);
}

/** The common type of the two branches of a condition. */
function getCommonType(first: CompiledExpression, second: CompiledExpression, position: number): ValueType {
  if (first.type === second.type) return first.type;
  if (isDate(first.type) && isDate(second.type)) return 'date';
  throw new FormulaError(
    position,
    `This is ${TYPE_NAMES[second.type]}, the other result is ${TYPE_NAMES[first.type]}`,
  );
}

/** `if` without a third argument results in no data when the condition is false. */
function compileIf(node: Call, scope: CompileScope): CompiledExpression {
  requireArgumentCount(node, 2, 3);
  const [conditionNode, thenNode, elseNode] = node.args;
  if (!conditionNode || !thenNode) throw new FormulaError(node.position, 'if takes a condition and a value');
  const condition = compileAs(['boolean'], conditionNode, scope);
  const thenBranch = compile(thenNode, scope);
  const elseBranch = elseNode ? compile(elseNode, scope) : { type: thenBranch.type, run: () => null };
  return {
    type: getCommonType(thenBranch, elseBranch, elseNode?.position ?? node.position),
    run: (stored) => (condition.run(stored) === true ? thenBranch : elseBranch).run(stored),
  };
}

const isNoData = (value: Value) => value === null || (typeof value === 'object' && value.length === 0);

function compileIsEmpty(node: Call, scope: CompileScope): CompiledExpression {
  requireArgumentCount(node, 1, 1);
  const [argument] = node.args;
  if (!argument) throw new FormulaError(node.position, 'isEmpty takes a value');
  const { run } = compile(argument, scope);
  return { type: 'boolean', run: (stored) => isNoData(run(stored)) };
}

function compileIfEmpty(node: Call, scope: CompileScope): CompiledExpression {
  requireArgumentCount(node, 2, 2);
  const [valueNode, defaultNode] = node.args;
  if (!valueNode || !defaultNode) throw new FormulaError(node.position, 'ifEmpty takes two values');
  const [expression, defaultExpression] = [compile(valueNode, scope), compile(defaultNode, scope)];
  return {
    type: getCommonType(expression, defaultExpression, defaultNode.position),
    run: (stored) => {
      const value = expression.run(stored);
      return isNoData(value) ? defaultExpression.run(stored) : value;
    },
  };
}
