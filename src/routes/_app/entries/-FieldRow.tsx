import { Link } from '@tanstack/react-router';
import { Hash, Pencil, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import type { EntryTypeVm } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { requiredWords } from '../../../entries/find/words.ts';
import { lackingQuery, typeWords, usesOf } from '../../../entries/schema-words.ts';
import type { Field, Schema } from '../../../entries/schema.ts';
import { count } from '../../../lib/numbers.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { copyText } from '../users/-copy.ts';
import { useDeleteField } from './-deletions.ts';

interface FieldRowProps {
  field: Field;
  fields: readonly Field[];
  schema: Schema;
  type: EntryTypeVm;
  onEdit: () => void;
}

const CHOICES = 12;
const names = new Intl.ListFormat('en');

/** A field with all its properties in words. */
export function FieldRow({ field, fields, schema, type, onEdit }: FieldRowProps) {
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
          {typeWords(field, schema)}
          <Marks field={field} />
        </p>
        <Rules {...{ field, schema, type }} />
        <Choices field={field} />
        <UsedIn {...{ field, fields }} />
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
  schema: Schema;
  type: EntryTypeVm;
}

function Rules({ field, schema, type }: RulesProps) {
  const query = lackingQuery(field, schema);
  return (
    <>
      {field.requiredWhen && (
        <Line>Required when {requiredWords(field.requiredWhen, schema.fieldById)}.</Line>
      )}
      {typeof field.formula === 'string' && (
        <Line>
          Calculated as <code>{field.formula}</code>
        </Line>
      )}
      {!field.isStoreRequestSupported && !field.isCalculated && (
        <Line>The interface does not take values for it.</Line>
      )}
      {!field.isOnEntryForm && <Line>Not on the entry form.</Line>}
      {query && !field.isKey && (
        <Line>
          <Link to="/entries/$type" params={{ type: type.apiName }} search={{ query }}>
            Show entries that lack it
          </Link>
        </Line>
      )}
    </>
  );
}

function Line({ children }: { children: ReactNode }) {
  return <p className="sch-line">{children}</p>;
}

function Choices({ field: { choiceValues = [] } }: { field: Field }) {
  if (choiceValues.length === 0) return null;
  const more = choiceValues.length - CHOICES;
  return (
    <p className="sch-choices">
      {choiceValues.slice(0, CHOICES).map(({ id, name }) => (
        <Badge key={id}>{name}</Badge>
      ))}
      {more > 0 && <span>and {count(more)} more</span>}
    </p>
  );
}

function UsedIn({ field, fields }: { field: Field; fields: readonly Field[] }) {
  const { formulas, conditions } = usesOf(field, fields);
  if (formulas.length + conditions.length === 0) return null;
  return (
    <p className="sch-line">
      {formulas.length > 0 && `Read by the formula of ${names.format(formulas.map(({ name }) => name))}. `}
      {conditions.length > 0 &&
        `Decides whether ${names.format(conditions.map(({ name }) => name))} is required.`}
    </p>
  );
}
