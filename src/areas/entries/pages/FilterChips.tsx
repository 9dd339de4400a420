import { ListFilter, Plus, X } from 'lucide-react';
import { Fragment } from 'react';
import type { Condition, QueryFault } from '../../../../contract/rules/query/tree.ts';
import { EMPTY, changed, toDraft, toQuery } from '../filter/draft.ts';
import type { Node, QueryObject } from '../filter/draft.ts';
import { focusBeside, focusFilter } from '../filter/focus.ts';
import { useNameOf } from '../filter/use-name-of.ts';
import { nodeWords, ruleParts } from '../filter/words.ts';
import type { NameOf } from '../filter/words.ts';
import type { Field, Schema } from '../model/schema.ts';
import { counted } from '../../../lib/numbers.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { RemovableChip } from '../../../ui/table/RemovableChip.tsx';
import './filter-chips.css';

interface FilterChipsProps {
  condition: Condition | undefined;
  faults: readonly QueryFault[] | undefined;
  fields: readonly Field[];
  schema: Schema;
  onChange: (query: QueryObject | undefined) => void;
  /** Leads to a condition in the builder, by its place; to a new one behind the last. */
  onEdit?: (at: number) => void;
}

const LONGEST = 90;
const short = (words: string): string =>
  words.length <= LONGEST ? words : `${words.slice(0, LONGEST - 1)}…`;

/** The filter as a sentence: a chip for each condition, "and" or "or" between them; groups within it are one chip. */
export function FilterChips({ condition, faults, fields, schema, onChange, onEdit }: FilterChipsProps) {
  const draft = condition ? toDraft(condition) : EMPTY;
  const nameOf = useNameOf(draft, fields, schema);
  if (faults)
    return (
      <RemovableChip
        label={`The filter has ${counted(faults.length, 'fault', 'faults')}`}
        onRemove={() => {
          focusFilter();
          onChange(undefined);
        }}
      />
    );
  if (draft.of.length === 0) return null;
  return (
    <fieldset className="where">
      <legend className="visually-hidden">Filter</legend>
      <ListFilter aria-hidden />
      <span>Where</span>
      {draft.of.map((node, at) => (
        // A condition has no other identity than its place.
        // oxlint-disable-next-line react/no-array-index-key
        <Fragment key={at}>
          {at > 0 && <span>{draft.match === 'any' ? 'or' : 'and'}</span>}
          <Chip
            {...{ node, fields, nameOf }}
            onEdit={onEdit && (() => onEdit(at))}
            onRemove={() => onChange(toQuery(changed(draft, [at], undefined)))}
          />
        </Fragment>
      ))}
      {onEdit && (
        <IconButton
          label="Add a condition to the filter"
          icon={Plus}
          size="small"
          onClick={() => onEdit(draft.of.length)}
        />
      )}
    </fieldset>
  );
}

interface ChipProps {
  node: Node;
  fields: readonly Field[];
  nameOf: NameOf;
  onEdit: (() => void) | undefined;
  onRemove: () => void;
}

function Chip({ node, fields, nameOf, onEdit, onRemove }: ChipProps) {
  const words = nodeWords(node, fields, nameOf);
  const content = <Parts {...{ node, fields, nameOf, words }} />;
  return (
    <span className="where-chip">
      {onEdit ? (
        <button type="button" className="where-parts" title={words} onClick={onEdit}>
          {content}
        </button>
      ) : (
        <span className="where-parts" title={words}>
          {content}
        </span>
      )}
      <button
        type="button"
        className="where-clear"
        aria-label={`Remove ${short(words)}`}
        onClick={({ currentTarget }) => {
          focusBeside(currentTarget.closest('.where-chip'));
          onRemove();
        }}
      >
        <X />
      </button>
    </span>
  );
}

function Parts({
  node,
  fields,
  nameOf,
  words,
}: Pick<ChipProps, 'node' | 'fields' | 'nameOf'> & { words: string }) {
  if (node.kind === 'group') return <bdi>{words}</bdi>;
  const { field, operator, value } = ruleParts(node, fields, nameOf);
  return (
    <>
      <bdi>{field}</bdi> <span className="where-operator">{operator}</span>{' '}
      {value !== '' && <bdi className="where-value">{value}</bdi>}
    </>
  );
}
