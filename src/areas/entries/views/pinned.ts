import type { PinnedFilter, SavedView } from '../../../../contract/generated/types.gen.ts';
import { ENTRY_ID, MATCH_ALL } from '../../../../contract/rules/query/condition.ts';
import type { Comparison, Condition, ConditionGroup } from '../../../../contract/rules/query/condition.ts';
import { changeOperation, createComparison, getFieldName } from '../filter/draft.ts';
import { findListOperators, findOperation, getOperations } from '../filter/operators.ts';
import { findField } from '../model/schema.ts';
import type { Field } from '../model/schema.ts';

/** The operator that is pinned: of choices one operator, whether it compares with one of them or with several. */
const getPinnedOperator = ({ field, operation: { rowOperator } }: Omit<Comparison, 'operands'>): string => {
  const fieldType = field === ENTRY_ID ? undefined : field.fieldType;
  return findListOperators(rowOperator, fieldType)?.[0] ?? rowOperator;
};

/** The key of a comparison, whatever its value: its field and operator. */
const getComparisonKey = (comparison: Comparison): string =>
  `${getFieldName(comparison).toLowerCase()} ${getPinnedOperator(comparison)}`;

/** A filter that stays at hand: its condition in the filter, or one without a value while the filter has none. */
export interface PinnedCondition {
  key: string;
  comparison: Comparison;
  /** Position among the conditions of the filter; undefined while it has no such condition. */
  index: number | undefined;
}

/** The pinned filters of a view with their conditions; those of deleted fields are left out. */
export function findPinnedConditions(
  pinned: SavedView['pinned'],
  draft: ConditionGroup,
  fields: readonly Field[],
): readonly PinnedCondition[] {
  const found = pinned.flatMap((pin): PinnedCondition[] => {
    const field = findField(fields, pin.field);
    const isSupported = getOperations(field?.fieldType).some(
      ({ rowOperator }) => rowOperator === pin.operator,
    );
    if ((!field && pin.field !== ENTRY_ID) || !isSupported) return [];
    const empty = changeOperation(createComparison(field), findOperation(pin.operator));
    const comparison = changeOperation(empty, findOperation(getPinnedOperator(empty)));
    const key = getComparisonKey(comparison);
    const index = draft.conditions.findIndex(
      (condition) => condition.kind === 'comparison' && getComparisonKey(condition) === key,
    );
    const condition = draft.conditions[index];
    return condition?.kind === 'comparison'
      ? [{ key, comparison: condition, index }]
      : [{ key, comparison, index: undefined }];
  });
  return found.filter(({ key }, at) => found.findIndex((other) => other.key === key) === at);
}

/** A condition of the filter, or a pinned filter that has none. */
interface FilterClause {
  /** The same while its operator and value change and when it is pinned, so that its chip keeps the focus. */
  id: string;
  condition: Condition;
  /** Position among the conditions of the filter; undefined for a pinned filter without a value. */
  index: number | undefined;
  isPinned: boolean;
}

/** The clauses of a filter: pinned filters, then the other conditions in their order. */
export function listClauses(
  draft: ConditionGroup,
  pinned: readonly PinnedCondition[],
): readonly FilterClause[] {
  const pinnedIndexes = new Set(pinned.map(({ index }) => index));
  const others = draft.conditions
    .map((condition, index) => ({ condition, index, isPinned: false }))
    .filter(({ index }) => !pinnedIndexes.has(index));
  const counts = new Map<string, number>();
  return [
    ...pinned.map(({ comparison, index }) => ({ condition: comparison, index, isPinned: true })),
    ...others,
  ].map((clause) => {
    const { condition } = clause;
    // An API name is never empty.
    const name = condition.kind === 'comparison' ? getFieldName(condition).toLowerCase() : '';
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return { ...clause, id: `${name} ${count}` };
  });
}

/** Adds a condition that must hold besides the filter. */
export const addCondition = (draft: ConditionGroup, condition: Condition): ConditionGroup =>
  draft.match === 'all' || draft.conditions.length === 0
    ? { ...MATCH_ALL, conditions: [...draft.conditions, condition] }
    : { ...MATCH_ALL, conditions: [draft, condition] };

/** The pinned filters with that of a comparison added, or removed if it was pinned; those of deleted fields are dropped. */
export function togglePin(pinned: readonly PinnedCondition[], comparison: Comparison): SavedView['pinned'] {
  const key = getComparisonKey(comparison);
  const others = pinned.filter((pin) => pin.key !== key).map((pin) => pin.comparison);
  const next = others.length < pinned.length ? others : [...others, comparison];
  return next.map((one) => ({
    field: getFieldName(one),
    // Operations and the contract name the same operators; a test compares them.
    operator: getPinnedOperator(one) as PinnedFilter['operator'],
  }));
}
