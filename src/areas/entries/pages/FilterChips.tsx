import { Pin as PinIcon, PinOff, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SavedView } from '../../../../contract/generated/types.gen.ts';
import type { Comparison, Condition, QueryError } from '../../../../contract/rules/query/condition.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import { CardChip, RemovableChip } from '../../../ui/table/filter/FilterChips.tsx';
import { FilterSentence } from '../../../ui/table/filter/FilterSentence.tsx';
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
import { addCondition, findPinnedConditions, listClauses, togglePin } from '../views/pinned.ts';
import type { EntriesView } from '../views/view.ts';

const ConditionCard = lazyWithPreload(() => import('../filter/ConditionCard.tsx'));

/** The pinned filters of the open saved view. */
interface Pins {
  pinned: SavedView['pinned'];
  /** Why the user cannot pin and unpin. */
  refusal: string | undefined;
  onPin: (pinned: SavedView['pinned']) => void;
}

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
  /** Undefined where no saved view is open. */
  pins?: Pins | undefined;
}

const MAX_LABEL_CHARS = 90;
const shorten = (text: string): string =>
  text.length <= MAX_LABEL_CHARS ? text : `${text.slice(0, MAX_LABEL_CHARS - 1)}…`;

/**
 * The filter as one sentence: each condition is edited in its chip; a nested group is one chip, edited in the panel. Pinned
 * filters of the saved view come first and stay without a value.
 */
export function FilterChips(props: FilterChipsProps) {
  const { condition, errors, fields, schema, matchCount, onChange, onEditGroup, panelButton, pins } = props;
  const edit = useConditionEdit(condition, fields, onChange);
  const { base, draft, openIndex } = edit;
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
  const pinned = findPinnedConditions(pins?.pinned ?? [], base, fields);
  const clauses = listClauses(base, pinned);
  const openChip = (id: string | undefined) => {
    const clause = clauses.find((one) => one.id === id);
    if (!clause) edit.close();
    else if (clause.index === undefined) edit.add(addCondition(draft, clause.condition));
    else edit.open(clause.index);
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
      edit={[
        openIndex === undefined ? undefined : clauses.find(({ index }) => index === openIndex)?.id,
        openChip,
      ]}
      additions={[...fields, undefined].map((field) => ({
        label: field?.name ?? 'Entry id',
        onSelect: () => edit.add({ ...draft, conditions: [...draft.conditions, createComparison(field)] }),
      }))}
      clauses={clauses.map(({ id, index, isPinned, ...clause }) => {
        const part = (index === undefined ? undefined : draft.conditions[index]) ?? clause.condition;
        const onRemove = () => index !== undefined && remove(index);
        if (part.kind === 'group') {
          const label = shorten(formatFilter(part, fields, display));
          const onEdit = onEditGroup && index !== undefined ? () => onEditGroup(index) : undefined;
          return { label, id, isActive: true, chip: <GroupChip title={label} {...{ onRemove, onEdit }} /> };
        }
        const isSet = index !== undefined && isComplete(part);
        return {
          label: id,
          id,
          isActive: isSet || !isPinned,
          isKept: isPinned,
          chip: (
            <ComparisonChip
              {...{ id, isPinned, isSet, onRemove, fields, schema, display, edit }}
              comparison={part}
              pin={pins && { refusal: pins.refusal, onToggle: () => pins.onPin(togglePin(pinned, part)) }}
            />
          ),
        };
      })}
    />
  );
}

interface ComparisonChipProps {
  id: string;
  comparison: Comparison;
  isPinned: boolean;
  /** Whether it is a condition of the filter. */
  isSet: boolean;
  onRemove: () => void;
  fields: readonly Field[];
  schema: Schema;
  display: FilterDisplay;
  edit: ReturnType<typeof useConditionEdit>;
  /** Pins or unpins it; undefined where no saved view is open. */
  pin: { refusal: string | undefined; onToggle: () => void } | undefined;
}

function ComparisonChip(props: ComparisonChipProps) {
  const { id, comparison, isPinned, isSet, onRemove, fields, schema, display, edit, pin } = props;
  const { field: label, operator, value } = formatComparisonParts(comparison, fields, display);
  const title = isSet ? shorten(formatFilter(comparison, fields, display)) : `${label} ${operator}`;
  const emptyValue = comparison.operation.operand === 'none' ? 'off' : 'any value';
  return (
    <CardChip
      {...{ id, label, title, operator }}
      value={isSet ? value : undefined}
      placeholder={isPinned ? emptyValue : undefined}
      onClear={onRemove}
      action={
        pin && (
          <IconButton
            label={`${isPinned ? 'Unpin' : 'Pin'} ${title}`}
            icon={isPinned ? PinOff : PinIcon}
            size="small"
            disabledReason={pin.refusal}
            onClick={pin.onToggle}
          />
        )
      }
    >
      {(close) => (
        <ConditionCard
          {...{ comparison, isPinned, schema, onRemove }}
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

interface GroupChipProps {
  title: string;
  onRemove: () => void;
  onEdit: (() => void) | undefined;
}

function GroupChip({ title, onRemove, onEdit }: GroupChipProps) {
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
