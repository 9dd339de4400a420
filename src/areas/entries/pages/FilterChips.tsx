import { ListFilter, Plus, X } from 'lucide-react';
import { Fragment } from 'react';
import type { Condition, QueryError } from '../../../../contract/rules/query/condition.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { RemovableChip } from '../../../ui/table/FilterChips.tsx';
import { replaceCondition, toFilterDraft, toQueryObject } from '../filter/draft.ts';
import type { QueryObject } from '../filter/draft.ts';
import { focusPreviousChip, focusFilter } from '../filter/focus.ts';
import { formatFilter, formatComparisonParts } from '../filter/format-filter.ts';
import type { FilterDisplay } from '../filter/format-filter.ts';
import { useNameLookup } from '../filter/use-name-lookup.ts';
import type { Field, Schema } from '../model/schema.ts';
import { useEntryType } from '../model/use-entry-type.ts';
import { useTimeZone } from '../model/zone.ts';
import type { EntriesView } from '../views/view.ts';
import '../../../ui/table/filter.css';
import './filter-chips.css';

interface FilterChipsProps {
  condition: Condition | undefined;
  errors: readonly QueryError[] | undefined;
  fields: readonly Field[];
  schema: Schema;
  onChange: (query: QueryObject | undefined) => void;
  /** Opens the condition at an index in the filter builder; the number of conditions opens a new one. */
  onEdit?: (index: number) => void;
}

const MAX_LABEL_CHARS = 90;
const shorten = (text: string): string =>
  text.length <= MAX_LABEL_CHARS ? text : `${text.slice(0, MAX_LABEL_CHARS - 1)}…`;

/** The filter as a row of chips joined by "and" or "or"; a nested group is one chip. */
export function FilterChips({ condition, errors, fields, schema, onChange, onEdit }: FilterChipsProps) {
  const draft = toFilterDraft(condition);
  const lookUpName = useNameLookup(draft, fields, schema);
  const { name: zone } = useTimeZone();
  if (errors)
    return (
      <RemovableChip
        label={`The filter has ${pluralize(errors.length, 'error', 'errors')}`}
        onRemove={() => {
          focusFilter();
          onChange(undefined);
        }}
      />
    );
  if (draft.conditions.length === 0) return null;
  return (
    <fieldset className="sentence">
      <legend className="visually-hidden">Filter</legend>
      <ListFilter aria-hidden />
      <span>Where</span>
      {draft.conditions.map((part, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a condition has no identity but its position
        <Fragment key={index}>
          {index > 0 && <span>{draft.match === 'any' ? 'or' : 'and'}</span>}
          <Chip
            {...{ condition: part, fields }}
            display={{ lookUpName, zone }}
            onEdit={onEdit && (() => onEdit(index))}
            onRemove={() => onChange(toQueryObject(replaceCondition(draft, [index], undefined)))}
          />
        </Fragment>
      ))}
      {onEdit && (
        <IconButton
          label="Add condition to the filter"
          icon={Plus}
          size="small"
          onClick={() => onEdit(draft.conditions.length)}
        />
      )}
    </fieldset>
  );
}

interface ChipProps {
  condition: Condition;
  fields: readonly Field[];
  display: FilterDisplay;
  onEdit: (() => void) | undefined;
  onRemove: () => void;
}

function Chip({ condition, fields, display, onEdit, onRemove }: ChipProps) {
  const text = formatFilter(condition, fields, display);
  const content = <ChipContent {...{ condition, fields, display, text }} />;
  return (
    <span className="filter-chip">
      {onEdit ? (
        <button type="button" className="filter-chip-parts" title={text} onClick={onEdit}>
          {content}
        </button>
      ) : (
        <span className="filter-chip-parts" title={text}>
          {content}
        </span>
      )}
      <button
        type="button"
        className="filter-chip-remove"
        aria-label={`Remove ${shorten(text)}`}
        onClick={({ currentTarget }) => {
          focusPreviousChip(currentTarget.closest('.filter-chip'));
          onRemove();
        }}
      >
        <X />
      </button>
    </span>
  );
}

function ChipContent({
  condition,
  fields,
  display,
  text,
}: Pick<ChipProps, 'condition' | 'fields' | 'display'> & { text: string }) {
  if (condition.kind === 'group') return <bdi>{text}</bdi>;
  const { field, operator, value } = formatComparisonParts(condition, fields, display);
  return (
    <>
      <bdi>{field}</bdi> <span className="filter-chip-operator">{operator}</span>{' '}
      {value !== '' && <bdi className="filter-chip-value">{value}</bdi>}
    </>
  );
}

/** Search and filter of a list as one text; undefined without them. */
export function useFilterText(
  view: Pick<EntriesView, 'q'>,
  condition: Condition | undefined,
): string | undefined {
  const { schema, fields } = useEntryType();
  const draft = toFilterDraft(condition);
  const lookUpName = useNameLookup(draft, fields, schema);
  const { name: zone } = useTimeZone();
  const parts = [
    ...(view.q.trim() === '' ? [] : [`Search: ${view.q.trim()}`]),
    ...(toQueryObject(draft) ? [formatFilter(draft, fields, { lookUpName, zone })] : []),
  ];
  return parts.length > 0 ? parts.join(' · ') : undefined;
}
