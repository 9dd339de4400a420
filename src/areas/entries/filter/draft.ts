import { filterOperations } from '../../../../contract/rules/fields.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/tree.ts';
import type { Condition, Operand } from '../../../../contract/rules/query/tree.ts';

/** One comparison as the builder holds it: what it compares with may still be missing. */
export interface Rule {
  kind: 'rule';
  /** ApiName of a field, or EntryId. */
  field: string;
  /** The operation by its key in a row query. */
  operator: string;
  operands: readonly Operand[];
}

/** Conditions that must all hold, or one of them. */
export interface Group {
  kind: 'group';
  match: 'all' | 'any';
  of: readonly Node[];
}

export type Node = Rule | Group;

/** A row query as an object (shapes 4). */
export type QueryObject = Record<string, unknown>;

export const EMPTY: Group = { kind: 'group', match: 'all', of: [] };

const toNode = (condition: Condition): Node =>
  condition.kind === 'comparison'
    ? {
        kind: 'rule',
        field: condition.field === ENTRY_ID ? ENTRY_ID : condition.field.apiName,
        operator: condition.operation.rowOperator,
        operands: condition.operands,
      }
    : { kind: 'group', match: condition.kind, of: condition.of.map(toNode) };

/** A condition as the builder shows it. */
export function toDraft(condition: Condition): Group {
  const node = toNode(condition);
  return node.kind === 'group' ? node : { ...EMPTY, of: [node] };
}

const operandOf = new Map(filterOperations.map(({ rowOperator, operand }) => [rowOperator, operand]));

/** Whether the rule says everything that its operation needs. */
export function isComplete({ operator, operands }: Rule): boolean {
  const kind = operandOf.get(operator);
  if (kind === 'none') return true;
  const given = operands.filter((one) => one !== '');
  return given.length >= (kind === 'pair' ? 2 : 1);
}

const MARKERS = new Set(['$nodata', '$notnodata']);
const isMarker = (value: unknown): boolean => typeof value === 'string' && MARKERS.has(value.toLowerCase());

function contentOf({ operator, operands }: Rule): unknown {
  const kind = operandOf.get(operator);
  const [first] = operands;
  if (kind === 'none') return operator;
  // The text "$noData" itself would be read as the marker (spec 4.4); in a list it is a text.
  if (operator === '$eq') return isMarker(first) ? { $in: [first] } : first;
  if (operator === '$not' && isMarker(first)) return { $nin: [first] };
  // The line on which the next value will stand is empty at first.
  return { [operator]: kind === 'one' ? first : operands.filter((one) => one !== '') };
}

function write(node: Node): QueryObject | undefined {
  if (node.kind === 'rule') return isComplete(node) ? { [node.field]: contentOf(node) } : undefined;
  const parts = node.of.map(write).filter((part) => part !== undefined);
  const [only] = parts;
  if (only === undefined) return undefined;
  if (node.match === 'any') return { $or: parts };
  if (parts.length === 1) return only;
  const keys = parts.flatMap((part) => Object.keys(part).map((key) => key.toLowerCase()));
  if (new Set(keys).size < keys.length) return { $and: parts };
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
}

/** The query that the builder says; what is not complete yet asks for nothing. Undefined: everything. */
export const toQuery = (draft: Group): QueryObject | undefined => write(draft);

/** The draft with the node at this place replaced, or taken away. */
export function changed(group: Group, [at, ...rest]: readonly number[], next: Node | undefined): Group {
  if (at === undefined) return next?.kind === 'group' ? next : EMPTY;
  const of = group.of.flatMap((node, index) => {
    if (index !== at) return [node];
    if (rest.length === 0) return next ? [next] : [];
    return node.kind === 'group' ? [changed(node, rest, next)] : [node];
  });
  return { ...group, of };
}
