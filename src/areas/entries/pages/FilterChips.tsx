import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Comparison, Condition, QueryError } from '../../../../contract/rules/query/condition.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import { CardChip, RemovableChip } from '../../../ui/table/FilterChips.tsx';
import { FilterSentence } from '../../../ui/table/FilterSentence.tsx';
import {
  createComparison,
  findComparedField,
  isComplete,
  replaceCondition,
  toFilterDraft,
  toQueryObject,
} from '../filter/draft.ts';
import type { QueryObject } from '../filter/draft.ts';
import { focusFilter } from '../filter/focus.ts';
import { formatFilter, formatComparisonParts } from '../filter/format-filter.ts';
import type { FilterDisplay } from '../filter/format-filter.ts';
import { useConditionEdit } from '../filter/use-condition-edit.ts';
import { useNameLookup } from '../filter/use-name-lookup.ts';
import type { Field, Schema } from '../model/schema.ts';
import { useEntryType } from '../model/use-entry-type.ts';
import { useTimeZone } from '../model/zone.ts';
import type { EntriesView } from '../views/view.ts';

const ConditionCard = lazyWithPreload(() => import('../filter/ConditionCard.tsx'));

interface FilterChipsProps {
  condition: Condition | undefined;
  errors: readonly QueryError[] | undefined;
  fields: readonly Field[];
  schema: Schema;
  matchCount?: number | undefined;
  /** `isStep`: the new filter is a history entry of its own. */
  onChange: (query: QueryObject | undefined, isStep: boolean) => void;
  /** Opens the group at an index in the filter panel, where there is one. */
  onEditGroup?: (index: number) => void;
  /** Opens the filter panel; without it the text of the address is edited. */
  panelButton?: ReactNode;
}

const MAX_LABEL_CHARS = 90;
const shorten = (text: string): string =>
  text.length <= MAX_LABEL_CHARS ? text : `${text.slice(0, MAX_LABEL_CHARS - 1)}…`;

const getChipId = (index: number): string => `condition-${index}`;

/** The filter as one sentence: each condition is edited in its chip; a nested group is one chip, edited in the panel. */
export function FilterChips(props: FilterChipsProps) {
  const { condition, errors, fields, schema, matchCount, onChange, onEditGroup, panelButton } = props;
  const edit = useConditionEdit(condition, fields, onChange);
  const { draft, openIndex } = edit;
  const lookUpName = useNameLookup(draft, fields, schema);
  const { name: zone } = useTimeZone();
  const display = { lookUpName, zone };
  if (errors)
    return (
      <>
        <RemovableChip
          label={`The filter has ${pluralize(errors.length, 'error', 'errors')}`}
          onRemove={() => {
            focusFilter();
            onChange(undefined, true);
          }}
        />
        {panelButton}
      </>
    );
  const remove = (index: number) => {
    edit.cancel();
    onChange(toQueryObject(replaceCondition(draft, [index], undefined)), true);
  };
  const openChip = (id: string | undefined) => {
    if (id === undefined) edit.close();
    else edit.open(draft.conditions.findIndex((_, index) => getChipId(index) === id));
  };
  return (
    <FilterSentence
      matchCount={matchCount}
      conjunction={draft.match === 'any' ? 'or' : 'and'}
      textButton={panelButton}
      onClear={
        draft.conditions.length > 1
          ? () => {
              focusFilter();
              edit.cancel();
              onChange(undefined, true);
            }
          : undefined
      }
      edit={[openIndex === undefined ? undefined : getChipId(openIndex), openChip]}
      additions={[...fields, undefined].map((field) => ({
        label: field?.name ?? 'Entry id',
        onSelect: () => edit.add(createComparison(field)),
      }))}
      clauses={draft.conditions.map((part, index) => {
        const title = shorten(formatFilter(part, fields, display));
        const shared = { title, onRemove: () => remove(index) };
        return {
          label: title,
          id: getChipId(index),
          isActive: true,
          chip:
            part.kind === 'group' ? (
              <GroupChip {...shared} onEdit={onEditGroup && (() => onEditGroup(index))} />
            ) : (
              <ComparisonChip
                {...shared}
                {...{ fields, schema, display, edit }}
                id={getChipId(index)}
                comparison={part}
              />
            ),
        };
      })}
    />
  );
}

interface ChipProps {
  title: string;
  onRemove: () => void;
}

interface ComparisonChipProps extends ChipProps {
  comparison: Comparison;
  id: string;
  fields: readonly Field[];
  schema: Schema;
  display: FilterDisplay;
  edit: ReturnType<typeof useConditionEdit>;
}

function ComparisonChip(props: ComparisonChipProps) {
  const { id, title, onRemove, comparison, fields, schema, display, edit } = props;
  const { field: label, operator, value } = formatComparisonParts(comparison, fields, display);
  return (
    <CardChip
      {...{ id, label, title, operator }}
      value={isComplete(comparison) ? value : undefined}
      onClear={onRemove}
    >
      {(close) => (
        <ConditionCard
          {...{ comparison, schema, onRemove }}
          name={label}
          field={findComparedField(comparison, fields)}
          lookUpName={display.lookUpName}
          error={edit.error}
          onChange={edit.change}
          onDone={close}
        />
      )}
    </CardChip>
  );
}

function GroupChip({ title, onRemove, onEdit }: ChipProps & { onEdit: (() => void) | undefined }) {
  const content = <bdi>{title}</bdi>;
  return (
    <span className="filter filter-on filter-clause">
      {onEdit ? (
        <button type="button" className="filter-open" title={title} onClick={onEdit}>
          {content}
        </button>
      ) : (
        <span className="filter-open" title={title}>
          {content}
        </span>
      )}
      <button type="button" className="filter-clear" aria-label={`Remove ${title}`} onClick={onRemove}>
        <X />
      </button>
    </span>
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
