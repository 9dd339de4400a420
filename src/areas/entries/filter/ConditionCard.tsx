import { Suspense } from 'react';
import { FIELD } from '../../../../contract/rules/fields.ts';
import type { Comparison } from '../../../../contract/rules/query/condition.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Select } from '../../../ui/form/Select.tsx';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import { changeOperation } from './draft.ts';
import { findOperation, formatOperator, getOperations } from './operators.ts';
import { ValueEditor } from './ValueEditor.tsx';
import type { ValueEditorProps } from './ValueEditor.tsx';
import './filter.css';

const FilterOptionList = lazyWithPreload(() => import('../../../ui/table/FilterOptionList.tsx'));
const FilterFoot = lazyWithPreload(() => import('../../../ui/table/FilterFoot.tsx'));

/** Operators of a list of choices: of one value, and of several. */
const LIST_OPERATORS: readonly (readonly [one: string, several: string])[] = [
  ['$eq', '$in'],
  ['$not', '$nin'],
];

interface ConditionCardProps extends Omit<ValueEditorProps, 'onChange'> {
  name: string;
  /** Why the comparison is not applied. */
  error: string | undefined;
  onChange: (comparison: Comparison) => void;
  onRemove: () => void;
  onDone: () => void;
}

/** Card of a chip in which one condition is edited: operator, value and the number of matches. */
export default function ConditionCard({
  name,
  error,
  onChange,
  onRemove,
  onDone,
  ...editor
}: ConditionCardProps) {
  const { comparison, field } = editor;
  const { rowOperator } = comparison.operation;
  const isChoice = field?.fieldType === FIELD.choice;
  // Choices are checked in a list: the number of checked ones decides between "is" and "is one of".
  const listOperators = isChoice ? LIST_OPERATORS.find((pair) => pair.includes(rowOperator)) : undefined;
  const [one = rowOperator, several = rowOperator] = listOperators ?? [];
  const operators = getOperations(field?.fieldType).filter(
    (operation) => !isChoice || !LIST_OPERATORS.some(([, other]) => other === operation.rowOperator),
  );
  return (
    <div className="find-card">
      <div className="find-card-head">
        <b>{name}</b>
        <Select
          className="find-select"
          label="Operator"
          value={one}
          onChange={(operator) => {
            const next = findOperation(operator);
            const pair = isChoice && comparison.operands.length > 1;
            const list = pair ? LIST_OPERATORS.find(([first]) => first === operator) : undefined;
            onChange(changeOperation(comparison, list ? findOperation(list[1]) : next));
          }}
          options={operators.map((operation) => ({
            value: operation.rowOperator,
            label: formatOperator(operation.rowOperator, field?.fieldType),
          }))}
        />
      </div>
      {listOperators ? (
        <Suspense>
          <FilterOptionList
            label={`Value of ${name}`}
            options={(field?.choiceValues ?? []).map((choice) => ({
              value: String(choice.id),
              label: choice.name,
            }))}
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
            Remove
          </Button>
        </FilterFoot>
      </Suspense>
    </div>
  );
}
