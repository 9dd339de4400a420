import { Plus, X } from 'lucide-react';
import type { MouseEvent } from 'react';
import { flushSync } from 'react-dom';
import { ENTRY_ID } from '../../../../contract/rules/query/tree.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import type { Field, Schema } from '../model/schema.ts';
import { changed } from './draft.ts';
import type { Group, Node, Rule } from './draft.ts';
import { focusAdded, focusAdder } from './focus.ts';
import { operationOf, operatorWords, operatorsFor } from './operators.ts';
import { ValueEditor } from './ValueEditor.tsx';
import type { NameOf } from './words.ts';
import './find.css';

interface BuilderProps {
  draft: Group;
  fields: readonly Field[];
  schema: Schema;
  nameOf: NameOf;
  onChange: (draft: Group) => void;
  /** Conditions of a field (shapes 5): no groups within one another, no ids of entries, operations that have a code. */
  flat?: boolean;
}

const DEEPEST = 6;

/** Conditions put together by hand: groups of which all or any must hold, within one another. */
export function Builder({ draft, onChange, ...known }: BuilderProps) {
  const set = (path: readonly number[], next: Node | undefined) => onChange(changed(draft, path, next));
  return <GroupEditor group={draft} path={[]} set={set} {...known} />;
}

interface NodeProps extends Omit<BuilderProps, 'draft' | 'onChange'> {
  path: readonly number[];
  set: (path: readonly number[], next: Node | undefined) => void;
}

const firstRule = ([first]: readonly Field[]): Rule => ({
  kind: 'rule',
  field: first?.apiName ?? ENTRY_ID,
  operator: operatorsFor(first?.fieldType)[0]?.rowOperator ?? '$eq',
  operands: [],
});

function GroupEditor({ group, ...rest }: NodeProps & { group: Group }) {
  const { path, set, fields, flat = false } = rest;
  const nested = path.length > 0;
  const add = (node: Node) => (event: MouseEvent) => {
    const fieldset = event.currentTarget.closest('.find-group');
    flushSync(() => set(path, { ...group, of: [...group.of, node] }));
    focusAdded(fieldset);
  };
  return (
    <fieldset className="find-group">
      <legend className="visually-hidden">{nested ? 'Group of conditions' : 'Conditions'}</legend>
      <div className="find-head">
        <span>Where</span>
        <select
          className="input find-select"
          aria-label="How many of the conditions must hold"
          value={group.match}
          onChange={({ target }) => set(path, { ...group, match: target.value === 'any' ? 'any' : 'all' })}
        >
          <option value="all">all hold</option>
          <option value="any">any holds</option>
        </select>
        {nested && <IconButton label="Remove the group" icon={X} size="small" onClick={removal(path, set)} />}
      </div>
      {group.of.map((node, at) => {
        const place = [...path, at];
        // A condition has no other identity than its place.
        const key = place.join('.');
        return node.kind === 'group' ? (
          <GroupEditor key={key} group={node} {...rest} path={place} />
        ) : (
          <RuleEditor key={key} rule={node} {...rest} path={place} />
        );
      })}
      <div className="find-add">
        <Button size="small" variant="quiet" icon={Plus} onClick={add(firstRule(fields))}>
          Add condition
        </Button>
        {!flat && path.length < DEEPEST && (
          <Button
            size="small"
            variant="quiet"
            icon={Plus}
            onClick={add({
              kind: 'group',
              match: group.match === 'all' ? 'any' : 'all',
              of: [firstRule(fields)],
            })}
          >
            Add group
          </Button>
        )}
      </div>
    </fieldset>
  );
}

/** Takes a node away; the keyboard goes on where another could be added. */
const removal =
  (path: NodeProps['path'], set: NodeProps['set']) =>
  ({ currentTarget }: MouseEvent): void => {
    const node = currentTarget.closest('.find-rule') ?? currentTarget.closest('.find-group');
    if (node) focusAdder(node);
    set(path, undefined);
  };

/** The rule with another operation; what it compares with stays where that still makes sense. */
function withOperator(rule: Rule, operator: string): Rule {
  const before = operationOf(rule.operator)?.operand;
  const after = operationOf(operator)?.operand;
  const [first] = rule.operands;
  if (before === after) return { ...rule, operator };
  return { ...rule, operator, operands: after === 'none' || first === undefined ? [] : [first] };
}

function RuleEditor({ rule, ...rest }: NodeProps & { rule: Rule }) {
  const { path, set, fields, schema, nameOf, flat = false } = rest;
  const field = fields.find(({ apiName }) => apiName === rule.field);
  return (
    <div className="find-rule">
      <select
        className="input find-select"
        aria-label="Field"
        value={rule.field}
        onChange={({ target }) => {
          const next = fields.find(({ apiName }) => apiName === target.value);
          const operators = operatorsFor(next?.fieldType);
          const [operation] = operators;
          set(path, {
            ...rule,
            field: target.value,
            operator: operation?.rowOperator ?? '$eq',
            operands: [],
          });
        }}
      >
        {fields.map(({ apiName, name }) => (
          <option key={apiName} value={apiName}>
            {name}
          </option>
        ))}
        {!flat && <option value={ENTRY_ID}>Entry id</option>}
      </select>
      <select
        className="input find-select"
        aria-label="Operator"
        value={rule.operator}
        onChange={({ target }) => set(path, withOperator(rule, target.value))}
      >
        {operatorsFor(field?.fieldType)
          .filter(({ id }) => !flat || id !== null)
          .map(({ rowOperator }) => (
            <option key={rowOperator} value={rowOperator}>
              {operatorWords(rowOperator, field?.fieldType)}
            </option>
          ))}
      </select>
      <div className="find-value">
        <ValueEditor
          {...{ rule, field, schema, nameOf }}
          onChange={(operands) => set(path, { ...rule, operands })}
        />
      </div>
      <IconButton label="Remove the condition" icon={X} size="small" onClick={removal(path, set)} />
    </div>
  );
}
