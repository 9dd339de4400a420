import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Hash, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type {
  CalculationFailures,
  EntryTypeVm,
  SavedView,
} from '../../../../contract/generated/types.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { endSentence } from '../../../lib/text/sentences.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { copyText } from '../../../ui/button/CopyButton.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { NextAttempt } from '../../../ui/layout/Distance.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import {
  ChoiceBadge,
  FieldIcon,
  buildMissingValueQuery,
  findFieldUsage,
  formatFieldType,
  formatRequiredWhen,
  formatView,
  getFormulaInputs,
  queryRows,
  toEntriesView,
  useTimeZone,
} from '../../entries/index.ts';
import type { Field, QueryObject, Schema } from '../../entries/index.ts';
import { useDeleteField } from '../panels/use-delete.tsx';

interface FieldRowProps {
  field: Field;
  fields: readonly Field[];
  schema: Schema;
  type: EntryTypeVm;
  /** Saved views that filter or sort by the field. */
  usedBy: readonly SavedView[];
  /** Calculations of the field that failed. */
  failures: CalculationFailures | undefined;
  onEdit: () => void;
}

const MAX_CHOICES = 12;
const listFormat = new Intl.ListFormat('en');

/** A field with its properties and dependencies as text. */
export function FieldRow({ field, fields, schema, type, usedBy, failures, onEdit }: FieldRowProps) {
  const update = usePermission('updateField');
  const removal = usePermission('deleteField');
  const remove = useDeleteField();
  return (
    <li className="sch-field">
      <div className="sch-name">
        <h2>{field.name}</h2>
        <span className="mono sch-api">{field.apiName}</span>
        {(field.description ?? '') !== '' && <p>{field.description}</p>}
      </div>
      <div className="sch-rules">
        <p>
          <FieldIcon field={field} />
          {formatFieldType(field, schema)}
          <FieldBadges field={field} />
        </p>
        <FieldRules {...{ field, fields, schema, type }} />
        {failures && <FailedCalculations {...{ failures, type }} />}
        <Choices field={field} />
        <FieldUsage {...{ field, fields, type, usedBy }} />
      </div>
      <MenuButton
        label={`Actions for ${field.name}`}
        size="small"
        items={() => [
          { label: 'Edit', icon: Pencil, disabledReason: update.reason, onSelect: onEdit },
          { label: 'Copy id', icon: Hash, onSelect: () => void copyText(String(field.id)) },
          'line',
          {
            label: 'Delete field',
            icon: Trash2,
            danger: true,
            disabledReason: removal.reason ?? (field.isKey ? 'The key field cannot be deleted' : undefined),
            onSelect: () => void remove(field, type, schema),
          },
        ]}
      />
    </li>
  );
}

function FieldBadges({ field }: { field: Field }) {
  return (
    <span className="sch-marks">
      {field.isKey && <Badge tone="accent">Key field</Badge>}
      {field.isRequired && <Badge>Required</Badge>}
      {field.isCalculated && <Badge tone="info">Calculated</Badge>}
      {field.isSearchable && <Badge>Searchable</Badge>}
    </span>
  );
}

interface RulesProps {
  field: Field;
  fields: readonly Field[];
  schema: Schema;
  type: EntryTypeVm;
}

function FieldRules({ field, fields, schema, type }: RulesProps) {
  const reads = getFormulaInputs(field, fields);
  const query = buildMissingValueQuery(field, schema);
  const { name: zone } = useTimeZone();
  return (
    <>
      {field.requiredWhen && (
        <RuleLine>Required when {formatRequiredWhen(field.requiredWhen, schema.fieldById, zone)}.</RuleLine>
      )}
      {typeof field.formula === 'string' && (
        <RuleLine>
          Calculated as <code>{field.formula}</code>
          {reads.length > 0 && `, which reads ${listFormat.format(reads.map(({ name }) => name))}`}. It cannot
          be edited.
          {typeof field.formulaMaxLength === 'number' &&
            ` A result has at most ${pluralize(field.formulaMaxLength, 'character', 'characters')}.`}
        </RuleLine>
      )}
      {!field.isStoreRequestSupported && !field.isCalculated && (
        <RuleLine>The API does not accept values for it.</RuleLine>
      )}
      {!field.isOnEntryForm && <RuleLine>Not on the entry form.</RuleLine>}
      {query && !field.isKey && <MissingValues {...{ field, fields, type, query }} />}
    </>
  );
}

/** Entries shown before the rest is a number. */
const MAX_SHOWN_FAILURES = 3;
/** The service records at most this many entries of a field. */
const MAX_RECORDED_FAILURES = 1_000;

/** Why entries have no value in a calculated field. */
function FailedCalculations({ failures, type }: { failures: CalculationFailures; type: EntryTypeVm }) {
  const { entries, entryCount, fieldReason } = failures;
  const shown = entries.slice(0, MAX_SHOWN_FAILURES);
  const count = pluralize(entryCount, 'entry', 'entries');
  return (
    <Banner
      tone="warn"
      title={
        fieldReason === null
          ? `${entryCount >= MAX_RECORDED_FAILURES ? `At least ${count}` : count} could not be calculated`
          : 'No longer calculated'
      }
    >
      {fieldReason !== null && (
        <p>{endSentence(fieldReason)} Change the formula to calculate the field again.</p>
      )}
      <ul className="sch-failures">
        {shown.map(({ entryId, reason, retryAt }) => (
          <li key={entryId}>
            <Link to="/entries/$type/$entryId" params={{ type: type.apiName, entryId }}>
              Entry {entryId}
            </Link>
            {': '}
            {endSentence(reason)}
            {retryAt !== null && (
              <>
                {' '}
                <NextAttempt at={retryAt} />
              </>
            )}
          </li>
        ))}
      </ul>
      {entryCount > shown.length && <p>{formatNumber(entryCount - shown.length)} more.</p>}
      {fieldReason === null && <p>The field is calculated again when the entry or the formula changes.</p>}
    </Banner>
  );
}

function RuleLine({ children }: { children: ReactNode }) {
  return <p className="sch-line">{children}</p>;
}

function Choices({ field: { choiceValues = [] } }: { field: Field }) {
  const [all, setAll] = useState(false);
  if (choiceValues.length === 0) return null;
  const more = choiceValues.length - MAX_CHOICES;
  return (
    <div className="sch-choices">
      {choiceValues.slice(0, all ? undefined : MAX_CHOICES).map((choice) => (
        <ChoiceBadge key={choice.id} choice={choice} />
      ))}
      {more > 0 && (
        <Button size="small" variant="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show ${formatNumber(more)} more`}
        </Button>
      )}
    </div>
  );
}

type FieldUsageProps = Pick<FieldRowProps, 'field' | 'fields' | 'type' | 'usedBy'>;

function FieldUsage({ field, fields, type, usedBy }: FieldUsageProps) {
  const { formulas, conditions } = findFieldUsage(field, fields);
  return (
    <>
      {formulas.length > 0 && (
        <RuleLine>Used in the formula of {listFormat.format(formulas.map(({ name }) => name))}.</RuleLine>
      )}
      {conditions.length > 0 && (
        <RuleLine>
          Determines whether {listFormat.format(conditions.map(({ name }) => name))} is required.
        </RuleLine>
      )}
      {usedBy.length > 0 && (
        <RuleLine>
          Used in {usedBy.length === 1 ? 'the view' : 'the views'}{' '}
          {usedBy.map((view, at) => (
            <span key={view.id}>
              {at > 0 && ', '}
              <Link
                to="/entries/$type"
                params={{ type: type.apiName }}
                search={formatView(toEntriesView(view, fields))}
              >
                <bdi>{view.name}</bdi>
              </Link>
            </span>
          ))}
          .
        </RuleLine>
      )}
    </>
  );
}

interface MissingValuesProps {
  field: Field;
  fields: readonly Field[];
  type: EntryTypeVm;
  /** Query of the entries in which the field is required and has no value. */
  query: QueryObject;
}

const STALE_TIME_MS = 60_000;
/** Each count is a request; schemas with more such fields show a link only. */
const MAX_COUNTED_FIELDS = 20;

const mayBeRequired = ({ isRequired, isKey, requiredWhen }: Field): boolean =>
  (isRequired && !isKey) || (requiredWhen !== null && requiredWhen !== undefined);

/** Number of entries without a required value, with a link to them (spec 4.6, requiredWhen). */
function MissingValues({ field, fields, type, query }: MissingValuesProps) {
  const { allowed } = usePermission('queryRowsByBody');
  const isCounted = fields.filter(mayBeRequired).length <= MAX_COUNTED_FIELDS;
  const key = fields.find(({ isKey }) => isKey);
  const { data } = useQuery({
    queryKey: [{ _id: 'queryRowsByBody', lacking: field.id, query }],
    queryFn: async ({ signal }) =>
      (await queryRows(type.id, { query, fields: key ? [key.apiName] : [], limit: 1 }, signal)).totalRecords,
    enabled: allowed && isCounted,
    staleTime: STALE_TIME_MS,
  });
  if (!allowed || (isCounted && data === undefined)) return null;
  if (data === 0) return <p className="sch-line">All entries have the required value.</p>;
  return (
    <p className="sch-line">
      <Link to="/entries/$type" params={{ type: type.apiName }} search={{ query }}>
        {data === undefined
          ? 'Show entries without a required value'
          : pluralize(data, 'entry has no required value', 'entries have no required value')}
      </Link>
      {data !== undefined && '. They stay unchanged and can be edited, but new entries need the value.'}
    </p>
  );
}
