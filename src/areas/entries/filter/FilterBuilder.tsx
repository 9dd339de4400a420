import { Plus, X } from 'lucide-react';
import type { MouseEvent } from 'react';
import { flushSync } from 'react-dom';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import type { Comparison, Condition, ConditionGroup } from '../../../../contract/rules/query/condition.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Select } from '../../../ui/form/select/Select.tsx';
import type { Field, Schema } from '../model/schema.ts';
import {
  changeOperation,
  createComparison,
  findComparedField,
  getFieldName,
  replaceCondition,
} from './draft.ts';
import { focusAdded, focusAdder } from './focus.ts';
import type { NameLookup } from './format-filter.ts';
import { findOperation, formatOperator, getOperations } from './operators.ts';
import { ValueEditor } from './ValueEditor.tsx';
import './filter.css';

interface FilterBuilderProps {
  draft: ConditionGroup;
  fields: readonly Field[];
  schema: Schema;
  lookUpName: NameLookup;
  onChange: (draft: ConditionGroup) => void;
  /** For `requiredWhen` rules (shapes 5): no nested groups, no entry ids, only operations with a code. */
  flat?: boolean;
}

const MAX_GROUP_DEPTH = 6;

/** Editor of a condition tree: comparisons in nested groups of which all or any must hold. */
export function FilterBuilder({ draft, onChange, ...shared }: FilterBuilderProps) {
  const set = (path: readonly number[], next: Condition | undefined) =>
    onChange(replaceCondition(draft, path, next));
  return <GroupEditor group={draft} path={[]} set={set} {...shared} />;
}

interface ConditionProps extends Omit<FilterBuilderProps, 'draft' | 'onChange'> {
  path: readonly number[];
  set: (path: readonly number[], next: Condition | undefined) => void;
}

const MATCHES = [
  { value: 'all', label: 'all match' },
  { value: 'any', label: 'any matches' },
] as const;

function GroupEditor({ group, ...rest }: ConditionProps & { group: ConditionGroup }) {
  const { path, set, fields, flat = false } = rest;
  const isNested = path.length > 0;
  const add = (condition: Condition) => (event: MouseEvent) => {
    const fieldset = event.currentTarget.closest('.find-group');
    flushSync(() => set(path, { ...group, conditions: [...group.conditions, condition] }));
    focusAdded(fieldset);
  };
  return (
    <fieldset className="find-group">
      <legend className="visually-hidden">{isNested ? 'Group of conditions' : 'Conditions'}</legend>
      <div className="find-head">
        <span>Where</span>
        <Select
          className="find-select"
          label="Match all or any of the conditions"
          value={group.match}
          onChange={(match) => set(path, { ...group, match })}
          options={MATCHES}
        />
        {isNested && (
          <IconButton label="Remove group" icon={X} size="small" onClick={removeOnClick(path, set)} />
        )}
      </div>
      {group.conditions.map((condition, index) => {
        const childPath = [...path, index];
        // A condition has no identity but its position.
        const key = childPath.join('.');
        return condition.kind === 'group' ? (
          <GroupEditor key={key} group={condition} {...rest} path={childPath} />
        ) : (
          <ComparisonEditor key={key} comparison={condition} {...rest} path={childPath} />
        );
      })}
      <div className="find-add">
        <Button size="small" variant="quiet" icon={Plus} onClick={add(createComparison(fields[0]))}>
          Add condition
        </Button>
        {!flat && path.length < MAX_GROUP_DEPTH && (
          <Button
            size="small"
            variant="quiet"
            icon={Plus}
            onClick={add({
              kind: 'group',
              match: group.match === 'all' ? 'any' : 'all',
              conditions: [createComparison(fields[0])],
            })}
          >
            Add group
          </Button>
        )}
      </div>
    </fieldset>
  );
}

/** Removes a condition and moves the focus to the button that adds one. */
const removeOnClick =
  (path: ConditionProps['path'], set: ConditionProps['set']) =>
  ({ currentTarget }: MouseEvent): void => {
    const element = currentTarget.closest('.find-rule') ?? currentTarget.closest('.find-group');
    if (element) focusAdder(element);
    set(path, undefined);
  };

function ComparisonEditor({ comparison, ...rest }: ConditionProps & { comparison: Comparison }) {
  const { path, set, fields, schema, lookUpName, flat = false } = rest;
  const field = findComparedField(comparison, fields);
  return (
    <div className="find-rule">
      <Select
        className="find-select"
        label="Field"
        value={getFieldName(comparison)}
        onChange={(name) => set(path, createComparison(fields.find(({ apiName }) => apiName === name)))}
        options={[
          ...fields.map(({ apiName, name }) => ({ value: apiName, label: name })),
          ...(flat ? [] : [{ value: ENTRY_ID, label: 'Entry id' }]),
        ]}
      />
      <Select
        className="find-select"
        label="Operator"
        value={comparison.operation.rowOperator}
        onChange={(operator) => set(path, changeOperation(comparison, findOperation(operator)))}
        options={getOperations(field?.fieldType)
          .filter(({ id }) => !flat || id !== null)
          .map(({ rowOperator }) => ({
            value: rowOperator,
            label: formatOperator(rowOperator, field?.fieldType),
          }))}
      />
      <div className="find-value">
        <ValueEditor
          {...{ comparison, field, schema, lookUpName }}
          onChange={(operands) => set(path, { ...comparison, operands })}
        />
      </div>
      <IconButton label="Remove condition" icon={X} size="small" onClick={removeOnClick(path, set)} />
    </div>
  );
}
