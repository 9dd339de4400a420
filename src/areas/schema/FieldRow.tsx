import { Link } from '@tanstack/react-router';
import { Hash, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { EntryTypeVm, SavedView } from '../../api/generated/types.gen.ts';
import { useAllowed } from '../../api/session.ts';
import { ChoiceBadge } from '../entries/model/ChoiceBadge.tsx';
import { FieldIcon } from '../entries/model/FieldIcon.tsx';
import { requiredWords } from '../entries/filter/words.ts';
import { lackingQuery, readsOf, typeWords, usesOf } from '../entries/model/schema-words.ts';
import type { Field, Schema } from '../entries/model/schema.ts';
import { count, counted } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Badge } from '../../ui/layout/Badge.tsx';
import { MenuButton } from '../../ui/menu/MenuButton.tsx';
import { copyText } from '../../ui/button/copy.ts';
import { useDeleteField } from '../entries/pages/deletions.ts';
import { writeEntriesView } from '../entries/model/view.ts';
import { viewOf } from '../entries/views/saved.ts';
import type { QueryObject } from '../entries/filter/draft.ts';
import { readRows } from '../entries/model/use-rows.ts';

interface FieldRowProps {
  field: Field;
  fields: readonly Field[];
  schema: Schema;
  type: EntryTypeVm;
  /** The saved views that ask for the field or are ordered by it. */
  usedBy: readonly SavedView[];
  onEdit: () => void;
}

const CHOICES = 12;
const names = new Intl.ListFormat('en');

/** A field with all its properties in words. */
export function FieldRow({ field, fields, schema, type, usedBy, onEdit }: FieldRowProps) {
  const update = useAllowed('updateField');
  const removal = useAllowed('deleteField');
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
          {typeWords(field, schema)}
          <Marks field={field} />
        </p>
        <Rules {...{ field, fields, schema, type }} />
        <Choices field={field} />
        <UsedIn {...{ field, fields, type, usedBy }} />
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
            disabledReason: removal.reason ?? (field.isKey ? 'Its values name the entries' : undefined),
            onSelect: () => void remove(field, type),
          },
        ]}
      />
    </li>
  );
}

function Marks({ field }: { field: Field }) {
  return (
    <span className="sch-marks">
      {field.isKey && <Badge tone="accent">Names the entry</Badge>}
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

function Rules({ field, fields, schema, type }: RulesProps) {
  const reads = readsOf(field, fields);
  const query = lackingQuery(field, schema);
  return (
    <>
      {field.requiredWhen && (
        <Line>Required when {requiredWords(field.requiredWhen, schema.fieldById)}.</Line>
      )}
      {typeof field.formula === 'string' && (
        <Line>
          Calculated as <code>{field.formula}</code>
          {reads.length > 0 && `, which reads ${names.format(reads.map(({ name }) => name))}`}. It is not
          written by hand.
        </Line>
      )}
      {!field.isStoreRequestSupported && !field.isCalculated && (
        <Line>The interface does not take values for it.</Line>
      )}
      {!field.isOnEntryForm && <Line>Not on the entry form.</Line>}
      {query && !field.isKey && <Lacking {...{ field, fields, type, query }} />}
    </>
  );
}

function Line({ children }: { children: ReactNode }) {
  return <p className="sch-line">{children}</p>;
}

function Choices({ field: { choiceValues = [] } }: { field: Field }) {
  const [all, setAll] = useState(false);
  if (choiceValues.length === 0) return null;
  const more = choiceValues.length - CHOICES;
  return (
    <div className="sch-choices">
      {choiceValues.slice(0, all ? undefined : CHOICES).map((choice) => (
        <ChoiceBadge key={choice.id} choice={choice} />
      ))}
      {more > 0 && (
        <Button size="small" variant="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show ${count(more)} more`}
        </Button>
      )}
    </div>
  );
}

type UsedInProps = Pick<FieldRowProps, 'field' | 'fields' | 'type' | 'usedBy'>;

function UsedIn({ field, fields, type, usedBy }: UsedInProps) {
  const { formulas, conditions } = usesOf(field, fields);
  return (
    <>
      {formulas.length > 0 && (
        <Line>Read by the formula of {names.format(formulas.map(({ name }) => name))}.</Line>
      )}
      {conditions.length > 0 && (
        <Line>Decides whether {names.format(conditions.map(({ name }) => name))} is required.</Line>
      )}
      {usedBy.length > 0 && (
        <Line>
          Asked for by {usedBy.length === 1 ? 'the view' : 'the views'}{' '}
          {usedBy.map((view, at) => (
            <span key={view.id}>
              {at > 0 && ', '}
              <Link
                to="/entries/$type"
                params={{ type: type.apiName }}
                search={writeEntriesView(viewOf(view, fields))}
              >
                <bdi>{view.name}</bdi>
              </Link>
            </span>
          ))}
          .
        </Line>
      )}
    </>
  );
}

interface LackingProps {
  field: Field;
  fields: readonly Field[];
  type: EntryTypeVm;
  /** Asks for the entries that need the field and lack it. */
  query: QueryObject;
}

const AWHILE = 60_000;
// Each is a question of its own to the service.
const MOST_COUNTED = 20;

const isNeeded = ({ isRequired, isKey, requiredWhen }: Field): boolean =>
  (isRequired && !isKey) || (requiredWhen !== null && requiredWhen !== undefined);

/** How many entries lack a value that they need now, and the way to them (spec 4.6, requiredWhen). */
function Lacking({ field, fields, type, query }: LackingProps) {
  const { allowed } = useAllowed('queryRowsByBody');
  const counts = fields.filter(isNeeded).length <= MOST_COUNTED;
  const key = fields.find(({ isKey }) => isKey);
  const { data } = useQuery({
    queryKey: [{ _id: 'queryRowsByBody', lacking: field.id, query }],
    queryFn: async ({ signal }) =>
      (await readRows(type.id, { query, fields: key ? [key.apiName] : [], limit: 1 }, signal)).totalRecords,
    enabled: allowed && counts,
    staleTime: AWHILE,
  });
  if (!allowed || (counts && data === undefined)) return null;
  if (data === 0) return <p className="sch-line">Every entry that needs it has it.</p>;
  return (
    <p className="sch-line">
      <Link to="/entries/$type" params={{ type: type.apiName }} search={{ query }}>
        {data === undefined
          ? 'Show entries that lack it'
          : counted(data, 'entry needs it and lacks it', 'entries need it and lack it')}
      </Link>
      {data !== undefined && ': they stay as they are, and would be refused if they were written anew.'}
    </p>
  );
}
