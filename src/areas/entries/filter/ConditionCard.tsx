import { Suspense, useEffect, useRef } from 'react';
import type { Comparison } from '../../../../contract/rules/query/condition.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Select } from '../../../ui/form/select/Select.tsx';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import { changeOperation, listChoiceOptions } from './draft.ts';
import { findListOperators, findOperation, formatOperator, getOperations } from './operators.ts';
import { ValueEditor } from './ValueEditor.tsx';
import type { ValueEditorProps } from './ValueEditor.tsx';
import './filter.css';

const FilterOptionList = lazyWithPreload(() => import('../../../ui/table/filter/FilterOptionList.tsx'));
const FilterFoot = lazyWithPreload(() => import('../../../ui/table/filter/FilterFoot.tsx'));

interface ConditionCardProps extends Omit<ValueEditorProps, 'onChange'> {
  name: string;
  /** Whether the condition stays without a value; its operator is part of the saved view. */
  isPinned: boolean;
  /** Why the comparison is not applied. */
  error: string | undefined;
  onChange: (comparison: Comparison) => void;
  onRemove: () => void;
  onDone: () => void;
}

/** Card of a chip in which one condition is edited: operator, value and the number of matches. */
export default function ConditionCard({
  name,
  isPinned,
  error,
  onChange,
  onRemove,
  onDone,
  ...editor
}: ConditionCardProps) {
  const card = useRef<HTMLDivElement>(null);
  const { comparison, field } = editor;
  // A value can be typed at once. Fields whose list opens with the focus would cover the card.
  useEffect(() => {
    card.current?.querySelector<HTMLElement>('.find-value input:not([role=combobox])')?.focus();
  }, []);
  const { rowOperator } = comparison.operation;
  const fieldType = field?.fieldType;
  // Choices are checked in a list: the number of checked ones decides between "is" and "is one of".
  const listOperators = findListOperators(rowOperator, fieldType);
  const [one = rowOperator, several = rowOperator] = listOperators ?? [];
  const operators = getOperations(fieldType).filter(
    (operation) => findListOperators(operation.rowOperator, fieldType)?.[1] !== operation.rowOperator,
  );
  return (
    <div ref={card} className="find-card">
      <div className="find-card-head">
        <b>{name}</b>
        {isPinned ? (
          <span className="find-quiet">{formatOperator(rowOperator, fieldType)}</span>
        ) : (
          <Select
            className="find-select"
            label="Operator"
            value={one}
            onChange={(operator) => {
              const list =
                comparison.operands.length > 1 ? findListOperators(operator, fieldType) : undefined;
              onChange(changeOperation(comparison, findOperation(list?.[1] ?? operator)));
            }}
            options={operators.map((operation) => ({
              value: operation.rowOperator,
              label: formatOperator(operation.rowOperator, fieldType),
            }))}
          />
        )}
      </div>
      {listOperators ? (
        <Suspense>
          <FilterOptionList
            label={`Value of ${name}`}
            options={listChoiceOptions(field, comparison)}
            value={comparison.operands.map(String)}
            onChange={(values) => {
              const operation = findOperation(values.length > 1 ? several : one);
              onChange({ ...comparison, operation, operands: values.map(Number) });
            }}
          />
        </Suspense>
      ) : (
        comparison.operation.operand !== 'none' && (
          <div className="find-value">
            <ValueEditor {...editor} onChange={(operands) => onChange({ ...comparison, operands })} />
          </div>
        )
      )}
      {error !== undefined && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
      <Suspense>
        <FilterFoot onDone={onDone}>
          <Button variant="quiet" size="small" onClick={onRemove}>
            {isPinned ? 'Any value' : 'Remove'}
          </Button>
        </FilterFoot>
      </Suspense>
    </div>
  );
}
